/** What one service accepts, as data: read from `profiles/*.json` or a user's own file. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Ajv, { type ValidateFunction } from 'ajv';
import { NotAFile, readPlainFile } from './plain-file';

/** What one `service-provider` value takes; field names in camelCase. */
export interface ServiceProvider {
  readonly displayName: string;
  /** Without these a create is refused. */
  readonly needs?: readonly string[];
  readonly forbids?: readonly string[];
  readonly ignores?: readonly string[];
  /** May be left out, but never sent empty or null. */
  readonly neverEmpty?: readonly string[];
  /** Groups of which all are given or none. */
  readonly together?: readonly (readonly string[])[];
}

/** What one service accepts. */
export interface Profile {
  readonly name: string;
  readonly doc: string;
  readonly serviceProviders: Readonly<Record<string, ServiceProvider>>;
  readonly limits: {
    /** Most sources of one target; null where there is no limit. */
    readonly maxSources: number | null;
    readonly requestsPerSecond: number;
  };
  readonly capabilities: {
    readonly tokenInPatch: boolean;
    readonly affectedWorkspaces: boolean;
    readonly lookupByName: boolean;
    readonly includeOnOutbound: boolean;
    readonly foreignProjects: 'refused' | 'dropped';
  };
  /** Further variables to read token, address and host name from; only of shipped profiles. */
  readonly environment?: Readonly<Partial<Record<'token' | 'address' | 'hostname', readonly string[]>>>;
}

/** A profile that cannot be used: no such name or file, not JSON, or not of the schema. */
export class ProfileError extends Error {
  override readonly name = 'ProfileError';
}

/** The folder of the profiles that ship with the package. */
const shipped = join(__dirname, '..', '..', 'profiles');

/** The shipped profile that has such a service provider; undefined when none has. */
export function profileWithProvider(name: string): string | undefined {
  const names = readdirSync(shipped).map((file) => file.replace(/\.json$/, ''));
  return names.sort().find((one) => Object.hasOwn(readProfile(one, shipped).serviceProviders, name));
}

/** Further variables of the products that profiles describe. Here and not in the profiles: whoever brings a profile file must not say from where a token is read and where it is sent. */
const environments: Readonly<Record<string, Profile['environment']>> = {
  'hcp-terraform': { token: ['TFE_TOKEN'], address: ['TFE_ADDRESS'], hostname: ['TFE_HOSTNAME'] },
};

/** More is no profile. */
const mostBytes = 1_000_000;

/** Reads a profile by its shipped name, or from a file where the text ends in .json or holds a slash (relative to `from`). */
export function readProfile(nameOrFile: string, from: string): Profile {
  if (nameOrFile.endsWith('.json') || nameOrFile.includes('/') || nameOrFile.includes('\\')) {
    return parseProfile(readText(resolve(from, nameOrFile), nameOrFile), nameOrFile);
  }
  const file = join(shipped, `${nameOrFile}.json`);
  if (!/^[a-z0-9][a-z0-9-]*$/.test(nameOrFile) || !existsSync(file)) {
    throw new ProfileError(
      `there is no profile "${nameOrFile}": name default, hcp-terraform, or a .json file`,
    );
  }
  const profile = parseProfile(readText(file, nameOrFile), `profile ${nameOrFile}`);
  const environment = environments[nameOrFile];
  return environment === undefined ? profile : { ...profile, environment };
}

function readText(file: string, shown: string): string {
  let bytes: Buffer;
  try {
    bytes = readPlainFile(file, mostBytes);
  } catch (cause) {
    const why =
      cause instanceof NotAFile ? cause.message : ((cause as NodeJS.ErrnoException).code ?? 'unknown error');
    throw new ProfileError(`the profile file ${shown} cannot be read (${why})`);
  }
  if (bytes.length > mostBytes) {
    throw new ProfileError(`the profile file ${shown} is larger than ${mostBytes} bytes: this is no profile`);
  }
  return bytes.toString('utf8');
}

/** Parses and checks the text of a profile; `label` names it in errors. */
export function parseProfile(text: string, label: string): Profile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Its own message quotes the text, which may be any file.
    throw new ProfileError(`${label} is not JSON`);
  }
  if (typeof value === 'object' && value !== null && 'environment' in value) {
    throw new ProfileError(
      `${label} has \`environment\`: only the profiles that come with Tether name variables for token, address or host. Remove it, and set TETHER_TOKEN and TETHER_ADDRESS`,
    );
  }
  const issues = profileIssues(value);
  if (issues.length > 0) throw new ProfileError(`${label} is not a profile:\n  ${issues.join('\n  ')}`);
  return value as Profile;
}

/** Compiled at the first use: compiling takes longer than judging hundreds of profiles. */
let compiled: ValidateFunction | undefined;

/** All mistakes of the value, one line each with its path; empty when it is a profile. */
function profileIssues(value: unknown): string[] {
  compiled ??= compile();
  const validate = compiled;
  if (validate(value)) return [];
  return (validate.errors ?? []).map((error) => {
    const extra = error.keyword === 'additionalProperties' ? named(error.params.additionalProperty) : '';
    return `${error.instancePath || '/'}: ${error.message ?? 'is wrong'}${extra}`;
  });
}

/** A key that may be a slip of the keyboard; another may be the content of a file that is no profile. */
function named(key: unknown): string {
  return typeof key === 'string' && /^\$?[A-Za-z]{1,32}$/.test(key) ? ` "${key}"` : '';
}

function compile(): ValidateFunction {
  const schema = JSON.parse(
    readFileSync(join(__dirname, '..', '..', 'schemas', 'profile.schema.json'), 'utf8'),
  ) as object;
  // The schema ships with the package: checking it too would take longer than compiling it.
  const options = {
    allErrors: true,
    allowUnionTypes: true,
    strict: true,
    validateSchema: false,
    meta: false,
  };
  return new Ajv(options).compile(schema);
}
