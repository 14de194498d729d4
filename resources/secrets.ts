/** Reads secrets from where a manifest says they are; a value never appears in a message. */
import { resolve } from 'node:path';
import type { SecretSource } from './kind';
import { NotAFile, readPlainFile } from './plain-file';

export interface SecretContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute; `fromFile` is relative to it. */
  readonly root: string;
}

export type SecretResolution =
  | { readonly ok: true; readonly value: string }
  /** Names the variable or file, never a value. */
  | { readonly ok: false; readonly why: string };

/** A field that a step must write. */
export interface WantedSecret {
  readonly address: string;
  readonly field: string;
  readonly source: SecretSource;
}

export interface SecretFailure extends WantedSecret {
  readonly why: string;
}

export interface ResolvedSecrets {
  /** Undefined when it could not be resolved or was not wanted. */
  value(address: string, field: string): string | undefined;
  readonly failures: readonly SecretFailure[];
}

/** Keys and certificates are a few kilobytes. */
const largestFile = 64 * 1024;

/** The value of one source, or why there is none. */
export async function resolveSecret(source: SecretSource, context: SecretContext): Promise<SecretResolution> {
  return 'fromEnv' in source ? fromEnvironment(source.fromEnv, context) : fromFile(source.fromFile, context);
}

/** Each source is read once; all that fail are told. */
export async function resolveSecrets(
  wanted: readonly WantedSecret[],
  context: SecretContext,
): Promise<ResolvedSecrets> {
  const bySource = new Map<string, SecretResolution>();
  const values = new Map<string, string>();
  const failures: SecretFailure[] = [];
  for (const one of wanted) {
    const source = JSON.stringify(one.source);
    const resolution = bySource.get(source) ?? (await resolveSecret(one.source, context));
    bySource.set(source, resolution);
    if (resolution.ok) values.set(nameOf(one.address, one.field), resolution.value);
    else failures.push({ ...one, why: resolution.why });
  }
  // A closure, so that printing the result shows no value.
  return { value: (address, field) => values.get(nameOf(address, field)), failures };
}

function nameOf(address: string, field: string): string {
  return JSON.stringify([address, field]);
}

function fromEnvironment(name: string, { env }: SecretContext): SecretResolution {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value === undefined) return { ok: false, why: `environment variable ${name} is not set` };
  return judge(value, `environment variable ${name}`);
}

function fromFile(file: string, { root }: SecretContext): SecretResolution {
  const place = `secret file ${file}`;
  try {
    const bytes = readPlainFile(resolve(root, file), largestFile);
    if (bytes.length > largestFile) {
      return { ok: false, why: `${place} is larger than ${largestFile / 1024} KiB` };
    }
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return judge(text.replace(/\r?\n$/, ''), place);
  } catch (error) {
    return { ok: false, why: `${place} ${describeFailure(error)}` };
  }
}

function judge(value: string, place: string): SecretResolution {
  if (value === '') return { ok: false, why: `${place} holds an empty secret` };
  if (value.trim() === '') return { ok: false, why: `${place} holds only white space` };
  return { ok: true, value };
}

function describeFailure(error: unknown): string {
  if (error instanceof NotAFile) return `is ${error.kind}, not a plain file`;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist';
  if (code === 'EACCES' || code === 'EPERM') return 'may not be read by this user';
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'is not UTF-8 text';
  return `cannot be read (${typeof code === 'string' ? code : 'unknown error'})`;
}
