/** What one service accepts, as data: read from `profiles/*.json` or a user's own file. */
import { readdirSync, readFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { profileIssues } from './profile-schema';

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
  readonly environment?: {
    readonly token?: readonly string[];
    readonly address?: readonly string[];
    readonly hostname?: readonly string[];
  };
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

/** Reads a profile by its shipped name, or from a file where the text ends in .json or holds a slash (relative to `from`). */
export function readProfile(nameOrFile: string, from: string): Profile {
  const isFile = nameOrFile.endsWith('.json') || nameOrFile.includes('/') || nameOrFile.includes('\\');
  if (!isFile && !/^[a-z0-9][a-z0-9-]*$/.test(nameOrFile)) {
    throw new ProfileError(
      `there is no profile "${nameOrFile}": name default, hcp-terraform, or a .json file`,
    );
  }
  const file = isFile
    ? isAbsolute(nameOrFile)
      ? nameOrFile
      : resolve(from, nameOrFile)
    : join(shipped, `${nameOrFile}.json`);
  return parseProfile(readText(file, nameOrFile, isFile), isFile ? nameOrFile : `profile ${nameOrFile}`);
}

function readText(file: string, nameOrFile: string, isFile: boolean): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    throw new ProfileError(
      isFile
        ? `the profile file ${nameOrFile} cannot be read (${code ?? 'unknown error'})`
        : `there is no profile "${nameOrFile}": name default, hcp-terraform, or a .json file`,
    );
  }
}

/** Parses and checks the text of a profile; `label` names it in errors. */
export function parseProfile(text: string, label: string): Profile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ProfileError(`${label} is not JSON: ${(cause as Error).message}`);
  }
  const issues = profileIssues(value);
  if (issues.length > 0) throw new ProfileError(`${label} is not a profile:\n  ${issues.join('\n  ')}`);
  return value as Profile;
}
