/** Where a provider's calls go, with which token and how fast, by what it was given and the process it runs in. */
import {
  AccountError,
  environmentToken,
  productAddress,
  productToken,
  type Setting,
  type SettingSource,
  settingOf,
  usualRate,
} from '../client/account';
import { BadOption } from '../client/errors';
import { parseAddress } from '../client/options';
import { proxyOf } from '../client/proxy';
import { type Profile, readProfile } from '../resources/profile';

/** Environment and folder of a process, and what its engine shows; tests make their own. */
export interface Surroundings extends SettingSource {
  /** Shows one line to the user, beside the resource if one is named. */
  say(line: string, urn?: string): void;
}

/** Those of this process. */
export const processSurroundings: SettingSource = {
  variable: (name) => process.env[name] || undefined,
  folder: () => process.cwd(),
};

/** Under `tether:`. `tokenEnv` names the variable with the token; `rate` is requests a second. */
export const settings = ['address', 'token', 'tokenEnv', 'profile', 'rate'] as const;

type Texts = Partial<Record<(typeof settings)[number], string | undefined>>;

export interface ProviderConfig extends Readonly<Omit<Texts, 'rate'>> {
  readonly rate?: string | number | undefined;
  /** What a program gave to a provider wins over `TETHER_*` variables. */
  readonly explicit: boolean;
}

export class Account {
  /** Without a profile the one that is configured is read, once. */
  constructor(
    readonly config: ProviderConfig,
    private readonly around: SettingSource,
    private loaded?: Profile,
  ) {}

  get profileName(): string {
    return this.preferred(this.config.profile, 'TETHER_PROFILE') ?? 'default';
  }

  /** Throws `ProfileError`. */
  get profile(): Profile {
    this.loaded ??= readProfile(this.profileName, this.around.folder());
    return this.loaded;
  }

  /** The base URL as the client writes it; undefined when nobody says. Throws `BadOption`. */
  get address(): string | undefined {
    const { config, around } = this;
    const own = this.preferred(config.address, 'TETHER_ADDRESS');
    const found = own ?? productAddress(this.profile, around)?.value;
    return found === undefined ? undefined : parseAddress(found);
  }

  /** Throws `ProfileError`, or one `AccountError` that names everything missing. */
  connection() {
    // First: a bad profile is refused even where nothing of it is needed.
    const { config, profile } = this;
    const problems: string[] = [];
    let address: string | undefined;
    let proxy: string | undefined;
    try {
      address = this.address;
      if (address === undefined) {
        problems.push(
          'no address: set TETHER_ADDRESS or `pulumi config set tether:address URL`, with /api/v2',
        );
      } else proxy = proxyOf(address, this.around);
    } catch (error) {
      if (!(error instanceof BadOption)) throw error;
      problems.push(error.message);
    }
    const token = this.token();
    if (token === undefined) problems.push(noToken(config));
    const rate = Number(config.rate ?? usualRate(profile));
    if (!(rate > 0)) problems.push('tether:rate must be a number above 0');
    if (address === undefined || token === undefined || problems.length > 0) {
      throw new AccountError(problems.join('; '));
    }
    return { address, token: token.value, tokenFrom: token.from, rate, ...(proxy && { proxy }) };
  }

  private preferred(own: string | undefined, variable: string) {
    const fromEnvironment = this.around.variable(variable);
    return this.config.explicit ? (own ?? fromEnvironment) : (fromEnvironment ?? own);
  }

  private token() {
    const { around, config } = this;
    const own = ownToken(config, around);
    // A token of the environment must not travel to an address that a program gave to this provider alone.
    if (config.explicit && (own ?? config.tokenEnv ?? config.address) !== undefined) return own;
    const found = environmentToken(around) ?? own;
    return config.tokenEnv === undefined ? (found ?? productToken(this.profile, around)) : found;
  }
}

function ownToken({ token, tokenEnv }: ProviderConfig, around: SettingSource): Setting | undefined {
  if (tokenEnv === undefined) return token === undefined ? undefined : { value: token, from: 'tether:token' };
  const named = settingOf(around, tokenEnv);
  return named && { ...named, from: `${tokenEnv}, which tether:tokenEnv names` };
}

function noToken({ tokenEnv, explicit, address }: ProviderConfig): string {
  if (tokenEnv !== undefined) {
    return `no token: tether:tokenEnv names the variable ${tokenEnv}, which is not set`;
  }
  return explicit && address !== undefined
    ? 'no token: this provider was given an address of its own and needs a tether:tokenEnv or tether:token of its own'
    : 'no token: set TETHER_TOKEN, or `pulumi config set --secret tether:token`';
}
