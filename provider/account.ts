/** The account of a provider: its settings, and the connection that they describe. */
import type { dynamic } from '@pulumi/pulumi';
import * as accounts from '../client/account';
import { parseAddress } from '../client/address';
import { createClient, type StepwiseApi } from '../client/client';
import type { ClientOptions } from '../client/options';
import { findProxy } from '../client/proxy';
import { ListCache } from '../observation/list-cache';
import { unlessItFails } from '../resources/plain-file';
import { type Profile, readProfile } from '../resources/profile';

const shortNames = ['address', 'token', 'tokenEnv', 'profile', 'rate', 'explicit'] as const;

/** A setting in the configuration of a stack or a provider. `tether:explicit` tells another provider from the default one. */
export type SettingName = `tether:${(typeof shortNames)[number]}`;

/** Resources share a read of a list for this long, because the engine spreads a refresh over its whole run. `addLink` looks there too. */
const listsLastMs = 30_000;

export class Account {
  private settings: Readonly<Partial<Record<SettingName, string>>> = {};
  private loadedProfile: Profile | null = null;
  private connection: { readonly api: StepwiseApi; readonly lists: ListCache } | null = null;
  private isExplicit = false;
  /** Settings are read like variables, by their names in the configuration. */
  private readonly source: accounts.SettingSource = {
    variable: (name) => this.settings[name as SettingName] ?? this.environment.variable(name),
    folder: () => this.environment.folder(),
  };

  constructor(private readonly environment: accounts.SettingSource) {}

  /** Stores the settings at once and checks none, because the SDK lets calls through while a slower one runs. */
  configure({ config }: dynamic.ConfigureRequest): void {
    const read = (name: string) => unlessItFails(() => config.get(name)) ?? undefined;
    const settings = Object.fromEntries(shortNames.map((name) => [`tether:${name}`, read(`tether:${name}`)]));
    // The SDK configures once for each resource type, always with the same settings.
    if (JSON.stringify(settings) === JSON.stringify(this.settings)) return;
    this.settings = settings;
    this.isExplicit = settings['tether:explicit'] !== undefined;
    this.loadedProfile = null;
    this.connection = null;
  }

  /** Opens the account once, without a call to the service. Throws for settings that are missing or do not work. */
  connect() {
    if (this.connection === null) {
      const api = createClient(this.clientOptions());
      this.connection = { api, lists: new ListCache(api, listsLastMs) };
    }
    return this.connection;
  }

  get api(): StepwiseApi {
    return this.connect().api;
  }

  /** Throws `ProfileError`. */
  get profile(): Profile {
    const name = accounts.readSetting(this.source, ...this.listNames('profile'));
    this.loadedProfile ??= readProfile(name?.value ?? 'default', this.source.folder());
    return this.loadedProfile;
  }

  /** Returns the normalized base URL, or undefined when nobody set one. Throws `BadOption`. */
  get address(): string | undefined {
    // A program that gives a profile means its product, and not the service that a variable names.
    const isOwnProduct = this.isExplicit && this.settings['tether:profile'] && this.profile.environment;
    const names = isOwnProduct ? ['tether:address'] : this.listNames('address');
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
    const ownNames = ['tether:address', 'tether:profile', 'tether:token', 'tether:tokenEnv'] as const;
    // A token of the environment must not travel where only a program sends it. A profile can imply the host of its product.
    const isOwnOnly = this.isExplicit && ownNames.some((name) => settings[name] !== undefined);
    if (isOwnOnly) return accounts.readSetting(source, ...names);
    return accounts.findToken(this.profile, source, undefined, ...names);
  }

  /** For an explicit provider its own settings win, and for the default one the variables. */
  private listNames(name: 'address' | 'profile'): readonly string[] {
    const names = [`tether:${name}`, `TETHER_${name.toUpperCase()}`];
    return this.isExplicit ? names : names.reverse();
  }
}
