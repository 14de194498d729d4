/** The account of a provider: the address, token and rate of its calls. */
import * as accounts from '../client/account';
import { parseAddress } from '../client/address';
import type { ClientOptions } from '../client/options';
import { findProxy } from '../client/proxy';
import { type Profile, readProfile } from '../resources/profile';

const names = ['address', 'token', 'tokenEnv', 'profile', 'rate', 'explicit'] as const;

/** A setting in the configuration of a stack or a provider. `tether:explicit` tells another provider from the default one. */
export type SettingName = `tether:${(typeof names)[number]}`;
export const settingNames: readonly SettingName[] = names.map((name) => `tether:${name}` as const);

export class Account {
  /** Settings are read like variables, by their names in the configuration. */
  private readonly source: accounts.SettingSource;
  private loadedProfile: Profile | null = null;

  constructor(
    readonly settings: Readonly<Partial<Record<SettingName, string | undefined>>>,
    environment: accounts.SettingSource,
  ) {
    const variable = (name: string) => settings[name as SettingName] ?? environment.variable(name);
    this.source = { variable, folder: () => environment.folder() };
  }

  /** Throws `ProfileError`. */
  get profile(): Profile {
    const name = accounts.readSetting(this.source, ...this.inOrder('tether:profile', 'TETHER_PROFILE'));
    this.loadedProfile ??= readProfile(name?.value ?? 'default', this.source.folder());
    return this.loadedProfile;
  }

  /** Returns the normalized base URL, or undefined when nobody set one. Throws `BadOption`. */
  get address(): string | undefined {
    const names = this.inOrder('tether:address', 'TETHER_ADDRESS');
    const address = accounts.findAddress(this.profile, this.source, ...names);
    return address && parseAddress(address.value);
  }

  /** Throws `AccountError` for missing settings, and `BadOption` for one that cannot work. */
  clientOptions(): ClientOptions {
    const { address, settings, source } = this;
    const token = this.findToken();
    if (address === undefined || token === undefined) {
      const [ownAddress, ownToken] = this.isExplicit
        ? ['address of this provider', 'token or tokenEnv of this provider']
        : ['tether:address', 'TETHER_TOKEN or tether:token'];
      const { 'tether:tokenEnv': variable } = settings;
      const unset = variable && `tether:tokenEnv names the variable ${variable}, which is not set`;
      const noAddress = address === undefined ? [`no address: set TETHER_ADDRESS or ${ownAddress}`] : [];
      const noToken = token === undefined ? [`no token: ${unset || `set ${ownToken}`}`] : [];
      throw new accounts.AccountError([...noAddress, ...noToken].join('; '));
    }
    const proxy = findProxy(address, source);
    const rate = Number(settings['tether:rate'] || accounts.usualRate(this.profile));
    return { address, token: token.value, tokenFrom: token.from, rate, ...(proxy && { proxy }) };
  }

  private findToken() {
    const { settings, source } = this;
    // An empty `tether:tokenEnv` is read itself, and so refused.
    const names = [settings['tether:tokenEnv'] || 'tether:tokenEnv', 'tether:token'];
    const ownNames = ['tether:address', 'tether:token', 'tether:tokenEnv'] as const;
    // A token of the environment must not travel to an address that a program gave to this provider alone.
    const isOwnOnly = this.isExplicit && ownNames.some((name) => settings[name] !== undefined);
    if (isOwnOnly) return accounts.readSetting(source, ...names);
    return accounts.findToken(this.profile, source, undefined, ...names);
  }

  /** For an explicit provider its own settings win, and for the default one the variables. */
  private inOrder(setting: string, variable: string): readonly string[] {
    return this.isExplicit ? [setting, variable] : [variable, setting];
  }

  private get isExplicit(): boolean {
    return this.settings['tether:explicit'] !== undefined;
  }
}
