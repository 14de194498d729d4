/** Entry point `tether-iac/pulumi`: the resource classes, and a provider for a further account. */
import * as pulumi from '@pulumi/pulumi';
import type { SettingName } from './account';

export * from './classes';

/** An absent setting comes from its `TETHER_*` variable. The token does so only if no address is given. */
export interface ProviderArgs {
  address?: pulumi.Input<string | undefined>;
  /** The state keeps it as a secret. Prefer `tokenEnv`, because a rotated token does not make it stale. */
  token?: pulumi.Input<string | undefined>;
  /** Name of the variable that holds the token. */
  tokenEnv?: pulumi.Input<string | undefined>;
  profile?: pulumi.Input<string | undefined>;
  /** Requests per second. */
  rate?: pulumi.Input<number | undefined>;
}

/** A provider for a second account. Pass it to resources as `{ provider }`. Each one runs in a process of its own. */
export class Provider extends pulumi.ProviderResource {
  constructor(name: string, args: ProviderArgs = {}, opts?: pulumi.ResourceOptions) {
    const { address, token, tokenEnv, profile, rate, ...others } = args;
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw new pulumi.RunError(`${name}: a provider has no setting ${unknown}`);
    // A setting that `account.ts` reads and this list lacks does not compile.
    const settings: Readonly<Record<SettingName, unknown>> = {
      'tether:address': address,
      'tether:token': token === undefined ? undefined : pulumi.secret(token),
      'tether:tokenEnv': tokenEnv,
      'tether:profile': profile,
      'tether:rate': rate === undefined ? undefined : pulumi.output(rate).apply(String),
      'tether:explicit': 'true',
    };
    super('pulumi-nodejs', name, settings, opts);
  }
}
