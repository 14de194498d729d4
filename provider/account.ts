/** The account of a provider: the address, token and rate of its calls. */
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
import { parseAddress } from '../client/address';
import type { ClientOptions } from '../client/options';
import { proxyOf } from '../client/proxy';
import { inert } from '../client/text';
import { type Profile, readProfile } from '../resources/profile';

/** The environment and the folder of a process, and where it prints; tests make their own. */
export interface Surroundings extends SettingSource {
  /** Prints one line, which the engine shows to the user. */
  say(line: string): void;
}

export const processSurroundings: Surroundings = {
  variable: (name) => process.env[name],
  folder: () => process.cwd(),
  say: (line) => void process.stdout.write(`${inert(line)}\n`),
};

/** The settings below `tether:` in the configuration of a stack or an explicit provider. */
export const settings = ['address', 'token', 'tokenEnv', 'profile', 'rate'] as const;

/** Tells an explicit provider from the default one, for which `TETHER_*` variables win. */
export const explicitSetting = 'tether:explicit';

type Settings = Partial<Record<(typeof settings)[number], string | undefined>>;
type ProviderConfig = Settings & { readonly explicit: boolean };

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

  /** Returns the normalized base URL, or undefined when nobody set one. Throws `BadOption`. */
  get address(): string | undefined {
    const own = this.preferred('address', 'TETHER_ADDRESS');
    const found = own ?? productAddress(this.profile, this.source)?.value;
    return found === undefined ? undefined : parseAddress(found);
  }

  /** Throws `AccountError` when a setting is missing, and `BadOption` when one cannot work. */
  clientOptions(): ClientOptions {
    const { address, config, source } = this;
    const own = config.explicit ? 'address of this provider' : 'tether:address';
    if (address === undefined) throw new AccountError(`no address: set TETHER_ADDRESS or ${own}`);
    const { value: token, from: tokenFrom } = this.token();
    const rate = Number(config.rate || usualRate(this.profile));
    const proxy = proxyOf(address, source);
    return { address, token, tokenFrom, rate, ...(proxy && { proxy }) };
  }

  private preferred(setting: 'address' | 'profile', variable: string): string | undefined {
    const own = () => this.configured(setting);
    const fromEnvironment = () => settingOf(this.source, variable);
    const found = this.config.explicit ? (own() ?? fromEnvironment()) : (fromEnvironment() ?? own());
    return found?.value;
  }

  private configured(setting: keyof Settings): Setting | undefined {
    return settingOf({ variable: () => this.config[setting] }, `tether:${setting}`);
  }

  private token(): Setting {
    const { source, config } = this;
    const { token, tokenEnv, explicit, address } = config;
    const own = () => {
      const variable = this.configured('tokenEnv')?.value;
      return (variable && settingOf(source, variable)) || this.configured('token');
    };
    // A token of the environment must not travel to an address that a program gave to this provider alone.
    const isOwnOnly = explicit && (token ?? tokenEnv ?? address) !== undefined;
    const found = isOwnOnly
      ? own()
      : (environmentToken(source) ?? own() ?? productToken(this.profile, source));
    if (found !== undefined) return found;
    throw new AccountError(
      tokenEnv === undefined
        ? `no token: set ${explicit ? 'token or tokenEnv of this provider' : 'TETHER_TOKEN or tether:token'}`
        : `no token: tether:tokenEnv names the variable ${tokenEnv}, which is not set`,
    );
  }
}
