/** Reads the secrets that a manifest refers to, and checks their form. No message contains a value. */
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve, sep } from 'node:path';
import * as querystring from 'node:querystring';
import { systemCode } from '../client/errors';
import type { FieldsIssue, FieldValues, ResourceDefinition, SecretSource } from './kind';
import { NotAFile, readPlainFile, unlessItFails } from './plain-file';
import type { Profile } from './profile';
import { characterViolation, isKey } from './violations';

type Environment = Readonly<Record<string, string | undefined>>;

export interface SecretContext {
  readonly env: Environment;
  /** `fromFile` is relative to this absolute path. */
  readonly root: string;
  /** Paths in variables are relative to this. The default is the working directory of the process. */
  readonly cwd?: string;
}

export interface WantedSecret {
  readonly address: string;
  readonly field: string;
  readonly source: SecretSource;
}

export interface SecretFailure extends WantedSecret {
  readonly why: string;
  /** True if there is no value. Otherwise there is one that must not be sent. */
  readonly isMissing: boolean;
}

/** The secrets of a run, as they are sent. */
export interface ResolvedSecrets {
  value(address: string, field: string): string | undefined;
  readonly failures: readonly SecretFailure[];
}

/** Keys and certificates are a few kilobytes. */
const maxFileBytes = 64 * 1024;

type Resolution =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly why: string; readonly isMissing: boolean };

function refused(why: string, isMissing = false): Resolution {
  return { ok: false, why, isMissing };
}

/** Returns a secret as it is sent, or what is wrong with it as the rest of a sentence. It is the same for variables, files and programs. */
export function secretValue(text: string, isKey = false): Resolution {
  const plain = text.replace(/^\uFEFF/, '');
  // OpenSSH refuses a key that does not end with a line break.
  const value = isKey ? `${plain.trimEnd()}\n` : plain.replace(/\r?\n$/, '');
  if (value.trim() === '') return refused('is empty', true);
  if (/^\s*(['"]).*\1\s*$/s.test(value)) {
    return refused('is in quotes, which are no part of it: remove them');
  }
  if (isKey && /\\n|^-----BEGIN.*\n$/.test(value)) {
    return refused('has lost its line breaks: store the key with one line for each of its lines');
  }
  if (!isKey && /[\r\n]/.test(value)) return refused('has a line break inside, but it must be one line');
  if (!isKey && value.trim() !== value) return refused('begins or ends with a blank: remove it');
  const violation = characterViolation(value, isKey);
  return violation === undefined ? { ok: true, value } : refused(violation.problem);
}

/** Returns the known secrets of a program as they are sent, and what is wrong with the others. */
export function checkSecrets(definition: ResourceDefinition, values: FieldValues, profile: Profile) {
  const secrets: Record<string, string> = {};
  const issues: FieldsIssue[] = [];
  for (const [path, text] of Object.entries(values)) {
    if (!definition.fields[path]?.writeOnly || typeof text !== 'string') continue;
    const checked = secretValue(text, isKey(definition, path, values, profile));
    if (checked.ok) secrets[path] = checked.value;
    else issues.push({ rule: 'bad-secret', path, message: checked.why });
  }
  return { secrets, issues };
}

/** Returns the value, or a sentence that says why there is none. */
export function resolveSecret(source: SecretSource, context: SecretContext): Resolution {
  const place =
    'fromEnv' in source ? `environment variable ${source.fromEnv}` : `secret file ${source.fromFile}`;
  const text =
    'fromEnv' in source ? readVariable(source.fromEnv, context) : readFileText(source.fromFile, context);
  const checked = text.ok ? secretValue(text.value, source.isKey) : text;
  if (!checked.ok) return refused(`${place} ${checked.why}`, checked.isMissing);
  // A short password may be a part of anything.
  const isInside = (ownSecret: string) =>
    ownSecret.length < 8 ? checked.value.trim() === ownSecret : checked.value.includes(ownSecret);
  if (!listOwnSecrets(context).some(isInside)) return checked;
  return refused(`${place} holds a token or password of Tether itself, which must not be sent`);
}

const notListed = refused('is not listed in TETHER_SECRETS');

/** Returns the names and folders to which `TETHER_SECRETS` limits manifests, or null. */
function readAllowList({ TETHER_SECRETS: list = '' }: Environment): readonly string[] | null {
  return list === '' ? null : list.split(',').map((name) => name.trim());
}

function readVariable(name: string, { env }: SecretContext): Resolution {
  if (readAllowList(env)?.includes(name) === false) return notListed;
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  return value === undefined ? refused('is not set', true) : { ok: true, value };
}

function readFileText(file: string, { env, root, cwd = '' }: SecretContext): Resolution {
  const realPath = (path: string) => unlessItFails(() => realpathSync(resolve(cwd, path)));
  try {
    const path = realpathSync(resolve(root, file));
    const isInside = (folder: string) => {
      const realFolder = /[\\/]$/.test(folder) ? realPath(folder) : null;
      return realFolder !== null && path.startsWith(realFolder.endsWith(sep) ? realFolder : realFolder + sep);
    };
    if (readAllowList(env)?.some(isInside) === false) return notListed;
    // The environment of this process holds tokens that no entry may send.
    if (path.startsWith('/proc/')) return refused('is not a file of its own');
    const isFile = (name: string) => realPath(name) === path;
    if (readValues(env, ownVariable).some(isFile)) return refused(ownFile);
    // The SDK for S3 reads these files, which may be links, even if no variable names them.
    const folders = [env.HOME ?? '', env.USERPROFILE ?? '', homedir()].map((home) => `${home}/.aws/`);
    const files = folders.flatMap((folder) => [`${folder}credentials`, `${folder}config`]);
    if (folders.some(isInside) || files.some(isFile)) return refused(sdkFile);
    const bytes = readPlainFile(path, maxFileBytes);
    if (bytes.length > maxFileBytes) return refused(`is larger than ${maxFileBytes / 1024} KiB`);
    return { ok: true, value: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    return refused(describeFailure(error), ['ENOENT', 'ENOTDIR'].includes(systemCode(error)));
  }
}

const ownFile = 'is named by a variable of Tether itself, so it must not be sent';
const sdkFile = 'is a file of the AWS SDK, so it must not be sent';

/** Variables that no manifest may name. A token variable of another environment in `profile.ts` belongs here and below. */
export const ownVariable = /^(?:TETHER|TFE|AWS)_/i;

/** Variables whose values are never sent as a secret, whatever names them. */
const credential = /^(?:TETHER_TOKEN|TETHER_LEDGER_CREDENTIALS|TFE_TOKEN|AWS_SECRET|AWS_SESSION)/i;

function readValues(env: Environment, names: RegExp): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) => (value && names.test(name) ? [value] : []));
}

/** Returns the tokens and passwords of this run. An entry would send them to the URL that it names. */
function listOwnSecrets({ env, cwd = '' }: SecretContext): readonly string[] {
  const file = unlessItFails(() => readPlainFile(resolve(cwd, env.TETHER_TOKEN_FILE ?? ''), maxFileBytes));
  const texts = readValues(env, credential).flatMap((value) => value.split(/\s+/));
  const urls = texts.flatMap((text) => (URL.canParse(text) ? [new URL(text)] : []));
  const passwords = urls.map(({ username, password }) => querystring.unescape(password || username));
  return [...texts, ...passwords, file?.toString('utf8').trim() ?? ''];
}

export function resolveSecrets(wanted: readonly WantedSecret[], context: SecretContext): ResolvedSecrets {
  const values = new Map<string, string>();
  const failures: SecretFailure[] = [];
  for (const secret of wanted) {
    const resolution = resolveSecret(secret.source, context);
    if (resolution.ok) values.set(`${secret.address} ${secret.field}`, resolution.value);
    else failures.push({ ...secret, why: resolution.why, isMissing: resolution.isMissing });
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
