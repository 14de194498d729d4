/** Where the calls of a provider go, with which token and how fast. */
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
import { type ClientOptions, parseAddress } from '../client/options';
import { proxyOf } from '../client/proxy';
import { type Profile, readProfile } from '../resources/profile';

/** The settings below `tether:` in the configuration of a stack or an explicit provider. */
export const settings = ['address', 'token', 'tokenEnv', 'profile', 'rate'] as const;

/** This setting tells an explicit provider from the default one, for which `TETHER_*` variables win. */
export const explicitSetting = 'tether:explicit';

export interface ProviderConfig extends Partial<Record<(typeof settings)[number], string | undefined>> {
  readonly explicit: boolean;
}

export class Account {
  private loaded: Profile | null = null;

  constructor(
    readonly config: ProviderConfig,
    private readonly source: SettingSource,
  ) {}

  /** Throws `ProfileError`. */
  get profile(): Profile {
    const name = this.preferred('profile', 'TETHER_PROFILE') ?? 'default';
    this.loaded ??= readProfile(name, this.source.folder());
    return this.loaded;
  }

  /** The base URL in the form that the client gives it, undefined when nobody set one. Throws `BadOption`. */
  get address(): string | undefined {
    const own = this.preferred('address', 'TETHER_ADDRESS');
    const found = own ?? productAddress(this.profile, this.source)?.value;
    return found === undefined ? undefined : parseAddress(found);
  }

  /** Throws one `AccountError` that names all that is missing. */
  clientOptions(): ClientOptions {
    const problems: string[] = [];
    const token = this.token();
    if (token === undefined) problems.push(noToken(this.config));
    const rate = Number(this.config.rate ?? usualRate(this.profile));
    if (!(rate > 0)) problems.push('tether:rate must be a number above 0');
    try {
      const { address } = this;
      if (address === undefined) {
        problems.push('no address: set TETHER_ADDRESS, or run `pulumi config set tether:address URL`');
      } else if (token !== undefined && problems.length === 0) {
        const proxy = proxyOf(address, this.source);
        return { address, token: token.value, tokenFrom: token.from, rate, ...(proxy && { proxy }) };
      }
    } catch (error) {
      if (!(error instanceof BadOption)) throw error;
      problems.push(error.message);
    }
    throw new AccountError(problems.join('; '));
  }

  private preferred(setting: 'address' | 'profile', variable: string): string | undefined {
    const { [setting]: own, explicit } = this.config;
    const fromEnvironment = this.source.variable(variable);
    return explicit ? (own ?? fromEnvironment) : (fromEnvironment ?? own);
  }

  private token(): Setting | undefined {
    const { source, config } = this;
    const own = ownToken(config, source);
    // A token of the environment must not travel to an address that a program gave to this provider alone.
    if (config.explicit && (own ?? config.tokenEnv ?? config.address) !== undefined) return own;
    const found = environmentToken(source) ?? own;
    return config.tokenEnv === undefined ? (found ?? productToken(this.profile, source)) : found;
  }
}

function ownToken({ token, tokenEnv }: ProviderConfig, source: SettingSource): Setting | undefined {
  if (tokenEnv === undefined) return token === undefined ? undefined : { value: token, from: 'tether:token' };
  const named = settingOf(source, tokenEnv);
  return named && { ...named, from: `${tokenEnv}, which tether:tokenEnv names` };
}

function noToken({ tokenEnv, explicit, address }: ProviderConfig): string {
  if (tokenEnv !== undefined) {
    return `no token: tether:tokenEnv names the variable ${tokenEnv}, which is not set`;
  }
  return explicit && address !== undefined
    ? 'no token: this provider has an address of its own, and needs a token or tokenEnv of its own'
    : 'no token: set TETHER_TOKEN, or run `pulumi config set --secret tether:token`';
}
