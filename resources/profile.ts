/**
 * Reads a profile, which describes a service, from `profiles/*.json` or from a user's own file. `service/profile.ts` reads the same files on
 * purpose: the service shares no code with the product. `test/resources/profile.test.ts` ties both types to the schema.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { OperationalError, systemCode } from '../client/errors';
import type { ProductVariables } from '../client/product-variables';
import { plain } from '../client/text';
import { NotAFile, namesHost, readPlainFile } from './plain-file';
import { loadValidator } from './validator';

export interface ServiceProvider {
  readonly displayName: string;
  /** A create needs these fields. */
  readonly needs?: readonly string[];
  readonly forbids?: readonly string[];
  /** These fields may be absent, but not empty. */
  readonly neverEmpty?: readonly string[];
  /** The fields of each group must be set together. */
  readonly together?: readonly (readonly string[])[];
  /** These secrets are SSH keys, beside those that always are. */
  readonly sshKeys?: readonly string[];
}

export interface Profile {
  readonly name: string;
  readonly doc: string;
  readonly serviceProviders: Readonly<Record<string, ServiceProvider>>;
  readonly limits: {
    /** The limit on the sources of one target. Null means no limit. */
    readonly maxSources: number | null;
    readonly requestsPerSecond: number;
  };
  /** The schema has more, which only the embedded service reads. */
  readonly capabilities: Readonly<Record<'tokenInPatch' | 'affectedWorkspaces' | 'lookupByName', boolean>>;
  readonly environment?: ProductVariables;
}

export class ProfileError extends OperationalError {}

const builtInFolder = join(__dirname, '..', '..', 'profiles');

/** The names of the files in `profiles/`. `test/resources/profile.test.ts` compares them. */
export const builtInProfiles = ['default', 'hcp-terraform'] as const;

export function profileWithProvider(name: string): string | undefined {
  return builtInProfiles.find((profile) =>
    Object.hasOwn(readProfile(profile, builtInFolder).serviceProviders, name),
  );
}

/** They are not in the files, because a user's own profile must not decide where a token is read or sent. `secrets.ts` knows the token variables. */
const environments: { readonly [Name in (typeof builtInProfiles)[number]]?: ProductVariables } = {
  'hcp-terraform': {
    token: ['TFE_TOKEN'],
    address: ['TFE_ADDRESS'],
    hostname: ['TFE_HOSTNAME'],
    defaultHost: 'app.terraform.io',
  },
};

const maxBytes = 1_000_000;

export function isProfileFile(text: string): boolean {
  return /\.json$|[\\/]/.test(text);
}

export function readProfile(nameOrFile: string, from: string): Profile {
  if (namesHost(nameOrFile))
    throw new ProfileError('a profile must not be on another host: name a local path');
  if (isProfileFile(nameOrFile)) {
    return parseProfile(readText(resolve(from, nameOrFile), nameOrFile), nameOrFile);
  }
  const name = builtInProfiles.find((builtIn) => builtIn === nameOrFile);
  if (name === undefined) {
    throw new ProfileError(
      `there is no profile "${nameOrFile}": name ${builtInProfiles.join(', ')}, or a .json file`,
    );
  }
  // A test checks the built-in profiles. A check here would take a third of a provider's start.
  const profile = JSON.parse(readText(join(builtInFolder, `${name}.json`), name)) as Profile;
  const environment = environments[name];
  return environment === undefined ? profile : { ...profile, environment };
}

function readText(file: string, label: string): string {
  const refuse = (what: string) => new ProfileError(`the profile file ${label} ${what}`);
  let bytes: Buffer;
  try {
    bytes = readPlainFile(file, maxBytes);
  } catch (cause) {
    throw refuse(`cannot be read (${cause instanceof NotAFile ? cause.message : systemCode(cause)})`);
  }
  if (bytes.length > maxBytes) throw refuse(`is larger than ${maxBytes} bytes: this is no profile`);
  return bytes.toString('utf8');
}

export function parseProfile(text: string, label: string): Profile {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    // The parser's message quotes the text, which may come from any file.
    throw new ProfileError(`${label} is not JSON`);
  }
  const issues = profileIssues(value);
  if (issues.length > 0) throw new ProfileError(`${label} is not a profile: ${issues.join('; ')}`);
  return value as Profile;
}

function profileIssues(value: unknown): string[] {
  const validate = loadValidator('profile');
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const key = String(params.additionalProperty ?? '');
    // An unusual key may be content of a file that is not a profile.
    const extra = /^\$?[A-Za-z]{1,32}$/.test(key) ? ` "${key}"` : '';
    return `${plain(instancePath || '/')}: ${message ?? 'is wrong'}${extra}`;
  });
}

export function profileSchema(): object {
  const file = join(__dirname, '..', '..', 'profiles', 'profile.schema.json');
  return JSON.parse(readFileSync(file, 'utf8')) as object;
}
