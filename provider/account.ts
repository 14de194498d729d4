/** From what a provider was given and the process it runs in to where the calls go, with which token and how fast. */
import { BadOption } from '../client/errors';
import {
  AccountError,
  environmentToken,
  parseAddress,
  productAddress,
  productToken,
  type Setting,
  type SettingSource,
  settingOf,
  usualRate,
} from '../client/options';
import { type Profile, readProfile } from '../resources/profile';

/** Environment, folder and output of a process; tests make their own. */
export interface Surroundings extends SettingSource {
  /** Prints one line, which the engine shows to the user. */
  say(line: string): void;
}

/** Those of this process, which only this file touches. */
export const processSurroundings: Surroundings = {
  variable: (name) => process.env[name] || undefined,
  folder: () => process.cwd(),
  say: (line) => {
    process.stdout.write(`${line}\n`);
  },
};

/** The configuration under `tether:`. `tokenEnv` names the variable that holds the token; `rate` is requests a second. */
export const settings = ['address', 'token', 'tokenEnv', 'profile', 'rate'] as const;

export interface ProviderConfig
  extends Readonly<Partial<Record<(typeof settings)[number], string | undefined>>> {
  /** True for a provider that a program made: what it was given wins over `TETHER_*` variables. */
  readonly explicit: boolean;
}

export function profileNameOf(config: ProviderConfig, around: Surroundings): string {
  return preferred(config, config.profile, around.variable('TETHER_PROFILE')) ?? 'default';
}

/** Throws `ProfileError`. */
export function configuredProfile(config: ProviderConfig, around: Surroundings): Profile {
  return readProfile(profileNameOf(config, around), around.folder());
}

/** The base URL as the client writes it; undefined when nobody says. Throws `BadOption`. */
export function serviceAddressOf(
  config: ProviderConfig,
  profile: Profile,
  around: Surroundings,
): string | undefined {
  const address = preferred(config, config.address, around.variable('TETHER_ADDRESS'));
  const found = address ?? productAddress(profile, around)?.value;
  return found === undefined ? undefined : parseAddress(found);
}

function preferred({ explicit }: ProviderConfig, own: string | undefined, environment: string | undefined) {
  return explicit ? (own ?? environment) : (environment ?? own);
}

/** Whether a recorded address is that of the service, however it was written. */
export function isAddressOf(service: string, recorded: string): boolean {
  try {
    return parseAddress(recorded) === service;
  } catch {
    return false;
  }
}

/** What a client is made from. Throws one `AccountError` that names everything missing. */
export function accountOf(config: ProviderConfig, profile: Profile, around: Surroundings) {
  const problems: string[] = [];
  let address: string | undefined;
  try {
    address = serviceAddressOf(config, profile, around);
    if (address === undefined) {
      problems.push('no address: set TETHER_ADDRESS or `pulumi config set tether:address URL`, with /api/v2');
    }
  } catch (error) {
    if (!(error instanceof BadOption)) throw error;
    problems.push(error.message);
  }
  const token = tokenOf(config, profile, around);
  if (token === undefined) problems.push(noToken(config));
  const rate = config.rate === undefined ? usualRate(profile) : Number(config.rate);
  if (!(rate > 0)) problems.push('tether:rate must be a number above 0');
  if (address === undefined || token === undefined || problems.length > 0) {
    throw new AccountError(problems.join('; '));
  }
  return { address, token: token.value, tokenFrom: token.from, rate };
}

function noToken({ tokenEnv, explicit, address }: ProviderConfig): string {
  if (tokenEnv !== undefined) {
    return `no token: tether:tokenEnv names the variable ${tokenEnv}, which is not set`;
  }
  return explicit && address !== undefined
    ? 'no token: this provider was given an address of its own and needs a tether:tokenEnv or tether:token of its own'
    : 'no token: set TETHER_TOKEN, or `pulumi config set --secret tether:token`';
}

function tokenOf(config: ProviderConfig, profile: Profile, around: Surroundings): Setting | undefined {
  const own = ownToken(config, around);
  // A token of the environment must not travel to an address that a program gave to this provider alone.
  const alone = config.explicit && (config.tokenEnv !== undefined || config.address !== undefined);
  if (alone || (config.explicit && own !== undefined)) return own;
  return environmentToken(around) ?? own ?? productToken(profile, around);
}

function ownToken({ token, tokenEnv }: ProviderConfig, around: Surroundings): Setting | undefined {
  if (tokenEnv === undefined) return token === undefined ? undefined : { value: token, from: 'tether:token' };
  const named = settingOf(around, tokenEnv);
  return named && { ...named, from: `${tokenEnv}, which tether:tokenEnv names` };
}
