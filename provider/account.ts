/** The account of a provider: the address, token and rate of its calls. */
import {
  AccountError,
  findAddress,
  findToken,
  readSetting,
  type SettingSource,
  usualRate,
} from '../client/account';
import { parseAddress } from '../client/address';
import type { ClientOptions } from '../client/options';
import { findProxy } from '../client/proxy';
import { type Profile, readProfile } from '../resources/profile';

/** The settings below `tether:` in the configuration of a stack. `explicit` tells another provider from the default one. */
export const settingNames = ['address', 'token', 'tokenEnv', 'profile', 'rate', 'explicit'] as const;

export type SettingName = (typeof settingNames)[number];

export class Account {
  /** Settings are read like variables, by their names in the configuration. */
  private readonly source: SettingSource;
  private readonly isExplicit: boolean;
  private loaded: Profile | null = null;

  constructor(
    readonly settings: Readonly<Partial<Record<SettingName, string | undefined>>>,
    environment: SettingSource,
  ) {
    const all = new Map<string, string | undefined>();
    for (const name of settingNames) all.set(`tether:${name}`, settings[name]);
    const variable = (name: string) => (all.has(name) ? all.get(name) : environment.variable(name));
    this.source = { variable, folder: () => environment.folder() };
    this.isExplicit = settings.explicit !== undefined;
  }

  /** Throws `ProfileError`. */
  get profile(): Profile {
    const name = readSetting(this.source, ...this.inOrder('tether:profile', 'TETHER_PROFILE'));
    this.loaded ??= readProfile(name?.value ?? 'default', this.source.folder());
    return this.loaded;
  }

  /** Returns the normalized base URL, or undefined when nobody set one. Throws `BadOption`. */
  get address(): string | undefined {
    const address = findAddress(
      this.profile,
      this.source,
      ...this.inOrder('tether:address', 'TETHER_ADDRESS'),
    );
    return address && parseAddress(address.value);
  }

  /** Throws `AccountError` for missing settings, and `BadOption` for one that cannot work. */
  clientOptions(): ClientOptions {
    const { address, settings, isExplicit, source } = this;
    const token = this.findToken();
    if (address === undefined || token === undefined) {
      const own = isExplicit ? 'token or tokenEnv of this provider' : 'TETHER_TOKEN or tether:token';
      const noToken = settings.tokenEnv
        ? `no token: tether:tokenEnv names the variable ${settings.tokenEnv}, which is not set`
        : `no token: set ${own}`;
      const ownAddress = isExplicit ? 'address of this provider' : 'tether:address';
      const noAddress = `no address: set TETHER_ADDRESS or ${ownAddress}`;
      throw new AccountError([address ? [] : noAddress, token ? [] : noToken].flat().join('; '));
    }
    const rate = Number(settings.rate || usualRate(this.profile));
    const proxy = findProxy(address, source);
    return { address, token: token.value, tokenFrom: token.from, rate, ...(proxy && { proxy }) };
  }

  private findToken() {
    const { token, tokenEnv, address } = this.settings;
    return findToken(this.profile, this.source, {
      // An empty `tokenEnv` is read itself, and so refused.
      names: [tokenEnv || 'tether:tokenEnv', 'tether:token'],
      isOwnOnly: this.isExplicit && (token ?? tokenEnv ?? address) !== undefined,
    });
  }

  /** For an explicit provider its own settings win, and for the default one the variables. */
  private inOrder(setting: string, variable: string): readonly string[] {
    return this.isExplicit ? [setting, variable] : [variable, setting];
  }
}
