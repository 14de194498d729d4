/** Entry point `tether-iac/pulumi`: the resource classes, and a provider for a further account. */
import * as pulumi from '@pulumi/pulumi';
import { explicitSetting } from './account';

export * from './classes';

/** What is left out comes from `TETHER_*` variables, a token only where no address is given. */
export interface ProviderArgs {
  address?: pulumi.Input<string | undefined>;
  /** Kept in the state as a secret; prefer `tokenEnv`, which a rotated token does not make stale. */
  token?: pulumi.Input<string | undefined>;
  /** Name of the variable that holds the token. */
  tokenEnv?: pulumi.Input<string | undefined>;
  profile?: pulumi.Input<string | undefined>;
  /** Requests a second. */
  rate?: pulumi.Input<number | undefined>;
}

/** Pass it as `{ provider }` to the resources of a second account. Each one is a process of its own. */
export class Provider extends pulumi.ProviderResource {
  constructor(name: string, { token, rate, ...args }: ProviderArgs = {}, opts?: pulumi.ResourceOptions) {
    const given = Object.entries(args).map(([setting, value]) => [`tether:${setting}`, value]);
    const own = {
      'tether:token': token === undefined ? undefined : pulumi.secret(token),
      'tether:rate': rate === undefined ? undefined : pulumi.output(rate).apply(String),
      [explicitSetting]: 'true',
    };
    super('pulumi-nodejs', name, { ...Object.fromEntries(given), ...own }, opts);
  }
}
