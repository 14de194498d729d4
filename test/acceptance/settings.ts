/** Reads the settings of the acceptance suite from the environment, and refuses those that are not safe. */
import { resolve } from 'node:path';
import { isLoopback, parseAddress } from '../../client/address';
import { isProfileFile, type Profile, readProfile, type ServiceProvider } from '../../resources/profile';

/** Each sentence says what stops the suite, and what to do. */
export class Refused extends Error {
  constructor(readonly sentences: readonly string[]) {
    super(sentences.join('\n'));
  }
}

/** The VCS provider that the suite's clients name. */
export interface Vcs {
  readonly serviceProvider: string;
  readonly httpUrl: string;
  readonly apiUrl: string;
  readonly token: string;
}

export interface Settings {
  /** The base URL, without a slash at its end. */
  readonly address: string;
  readonly isLoopback: boolean;
  readonly token: string;
  /** A name, or the absolute path of a file. */
  readonly profileName: string;
  readonly profile: Profile;
  readonly organization: string;
  /** Undefined where the suite looks its places up by their names. */
  readonly workspaceIds: readonly string[] | undefined;
  readonly projectIds: readonly string[] | undefined;
  readonly agentPoolId: string | undefined;
  /** Undefined off loopback, where the user must name one before a run. */
  readonly vcs: Vcs | undefined;
  /** Variables that the command `tether` gets unchanged. */
  readonly passed: Readonly<Record<string, string>>;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const passedNames = ['TETHER_RATE', 'TETHER_TIMEOUT', 'NODE_EXTRA_CA_CERTS', 'HTTPS_PROXY', 'NO_PROXY'];

/** Throws `Refused` with every mistake. Relative paths start at `cwd`. */
export function readSettings(env: Environment, cwd: string): Settings {
  const mistakes: string[] = [];
  const attempt = <Value>(name: string, read: () => Value): Value | undefined => {
    try {
      return read();
    } catch (error) {
      mistakes.push(`${name}: ${error instanceof Error ? error.message : String(error)}.`);
      return undefined;
    }
  };
  const required = (name: string, what: string) => {
    const value = env[name] ?? '';
    if (value === '') mistakes.push(`Set ${name} to ${what}.`);
    return value;
  };
  const addressText = required('TETHER_ADDRESS', 'the base URL of the service, with /api/v2');
  const token = required('TETHER_TOKEN', 'a token of that service');
  const organization = required('TETHER_ACCEPTANCE_ORGANIZATION', 'an organization that the token manages');
  const nameOrFile = required('TETHER_PROFILE', 'default, hcp-terraform or a profile file');
  const profileName = isProfileFile(nameOrFile) ? resolve(cwd, nameOrFile) : nameOrFile;
  const address = addressText === '' ? undefined : attempt('TETHER_ADDRESS', () => parseAddress(addressText));
  const profile =
    nameOrFile === '' ? undefined : attempt('TETHER_PROFILE', () => readProfile(profileName, cwd));
  const workspaceIds = readIds(env, 'TETHER_ACCEPTANCE_WORKSPACES', 3, mistakes);
  const projectIds = readIds(env, 'TETHER_ACCEPTANCE_PROJECTS', 2, mistakes);
  const local = address !== undefined && isLoopback(new URL(address).hostname);
  const byName = profile?.capabilities.lookupByName === true;
  if (profile !== undefined && !byName) {
    if (address !== undefined && !local) {
      mistakes.push(
        `The profile ${profile.name} cannot look names up, so the suite cannot see that the workspaces are its own. Off loopback it needs a profile that can.`,
      );
    } else if (workspaceIds === undefined || projectIds === undefined) {
      mistakes.push(
        `The profile ${profile.name} cannot look names up: set TETHER_ACCEPTANCE_WORKSPACES to three ids and TETHER_ACCEPTANCE_PROJECTS to two, separated by commas.`,
      );
    }
  }
  const vcs = profile && readVcs(env, profile, local, mistakes);
  if (mistakes.length > 0 || address === undefined || profile === undefined) throw new Refused(mistakes);
  const set = passedNames.flatMap((name) => (env[name] ? [[name, env[name]] as const] : []));
  return {
    ...{ address, isLoopback: local, token, profileName, profile, organization },
    ...{ workspaceIds, projectIds, agentPoolId: env.TETHER_ACCEPTANCE_AGENT_POOL || undefined, vcs },
    passed: Object.fromEntries(set),
  };
}

/** True if the profile lets the VCS provider of the suite have this field, as one line of text. */
export function takesField(
  { profile }: Pick<Settings, 'profile'>,
  { serviceProvider }: Vcs,
  field: string,
): boolean {
  const { forbids = [], sshKeys = [] } = profile.serviceProviders[serviceProvider] ?? {};
  return !forbids.includes(field) && !sshKeys.includes(field);
}

function readIds(env: Environment, name: string, count: number, mistakes: string[]) {
  const text = env[name] ?? '';
  if (text === '') return undefined;
  const ids = text.split(',').map((id) => id.trim());
  if (ids.length !== count || ids.includes('') || new Set(ids).size !== count) {
    mistakes.push(`${name} must hold ${count} different ids, separated by commas.`);
  }
  return ids;
}

function readVcs(env: Environment, profile: Profile, local: boolean, mistakes: string[]): Vcs | undefined {
  const text = env.TETHER_ACCEPTANCE_VCS || (local ? defaultVcs(profile) : '');
  const token = env.TETHER_ACCEPTANCE_VCS_TOKEN || (local ? 'tether-acceptance-vcs-token' : '');
  if (text === '' && token === '') return undefined;
  const [serviceProvider = '', httpUrl = '', apiUrl = '', ...others] = text.split(',');
  if (others.length > 0 || !URL.canParse(httpUrl) || !URL.canParse(apiUrl)) {
    mistakes.push('TETHER_ACCEPTANCE_VCS must be PROVIDER,HTTP_URL,API_URL.');
  }
  if (token === '') mistakes.push('Set TETHER_ACCEPTANCE_VCS_TOKEN to a token of the VCS provider.');
  const provider = profile.serviceProviders[serviceProvider];
  if (provider === undefined || !isEnoughToken(provider)) {
    mistakes.push(
      `TETHER_ACCEPTANCE_VCS must name a provider of profile ${profile.name} that needs a token alone.`,
    );
  }
  return { serviceProvider, httpUrl, apiUrl, token };
}

function isEnoughToken({ needs = [], together = [] }: ServiceProvider): boolean {
  return needs.length === 0 && together.length === 0;
}

function defaultVcs({ serviceProviders }: Profile): string {
  const [name = ''] = Object.entries(serviceProviders).find(([, provider]) => isEnoughToken(provider)) ?? [];
  return `${name},https://git.example.com,https://git.example.com/api/v3`;
}
