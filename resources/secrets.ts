/** Reads the secrets that a manifest refers to. No message contains a value. */
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemCode } from '../client/errors';
import type { SecretSource } from './kind';
import { NotAFile, readPlainFile } from './plain-file';

export interface SecretContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `fromFile` is relative to this absolute path. */
  readonly root: string;
}

export interface WantedSecret {
  readonly address: string;
  readonly field: string;
  readonly source: SecretSource;
}

export interface SecretFailure extends WantedSecret {
  readonly why: string;
}

export interface ResolvedSecrets {
  value(address: string, field: string): string | undefined;
  readonly failures: readonly SecretFailure[];
}

/** Keys and certificates are a few kilobytes. */
const largestFile = 64 * 1024;

/** Returns the value, or a sentence that says why there is none. */
export function resolveSecret(source: SecretSource, { env, root }: SecretContext) {
  const place =
    'fromEnv' in source ? `environment variable ${source.fromEnv}` : `secret file ${source.fromFile}`;
  const failed = (why: string) => ({ ok: false, why: `${place} ${why}` }) as const;
  let value: string | undefined;
  if ('fromEnv' in source) {
    value = Object.hasOwn(env, source.fromEnv) ? env[source.fromEnv] : undefined;
    if (value === undefined) return failed('is not set');
  } else {
    try {
      const path = realpathSync(resolve(root, source.fromFile));
      // The environment of this process holds tokens that no entry may send.
      if (path.startsWith('/proc/')) return failed('is not a file of its own');
      const bytes = readPlainFile(path, largestFile);
      if (bytes.length > largestFile) return failed(`is larger than ${largestFile / 1024} KiB`);
      value = new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '');
    } catch (error) {
      return failed(describeFailure(error));
    }
  }
  return value.trim() === '' ? failed('holds an empty secret') : ({ ok: true, value } as const);
}

export function resolveSecrets(wanted: readonly WantedSecret[], context: SecretContext): ResolvedSecrets {
  const values = new Map<string, string>();
  const failures: SecretFailure[] = [];
  for (const one of wanted) {
    const resolution = resolveSecret(one.source, context);
    if (resolution.ok) values.set(`${one.address} ${one.field}`, resolution.value);
    else failures.push({ ...one, why: resolution.why });
  }
  // A printed closure shows no value.
  return { value: (address, field) => values.get(`${address} ${field}`), failures };
}

function describeFailure(error: unknown): string {
  if (error instanceof NotAFile) return `is ${error.kind}, not a plain file`;
  const code = systemCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist';
  if (code === 'EACCES' || code === 'EPERM') return 'may not be read by this user';
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'is not UTF-8 text';
  return `cannot be read (${code})`;
}
