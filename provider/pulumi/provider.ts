/** A provider for one account: what it is given wins over the environment. */
import {
  type Input,
  mergeOptions,
  output,
  ProviderResource,
  type ResourceOptions,
  secret,
} from '@pulumi/pulumi';

/** The plugin of the same version: another one says so. */
export const { version } = require('../../../package.json') as { readonly version: string };

/** Of a resource of that type, of any copy of this package. */
export function hasType(value: unknown, type: string): boolean {
  const { __pulumiType: found } = (value ?? {}) as { readonly __pulumiType?: unknown };
  return found === type;
}

/** What is left out comes from `TETHER_*` variables, a token only where no address is given. */
export interface ProviderArgs {
  /** Base URL of the service, with /api/v2. */
  readonly address?: Input<string | undefined>;
  /** Kept in the state as a secret; prefer `tokenEnv`, which a rotated token does not make stale. */
  readonly token?: Input<string | undefined>;
  /** Name of the variable that holds the token. */
  readonly tokenEnv?: Input<string | undefined>;
  /** Name or file of a profile; `default` when left out. */
  readonly profile?: Input<string | undefined>;
  /** Requests a second. */
  readonly rate?: Input<number | undefined>;
}

/** Pass it as `{ provider }` to the resources of a second account. Each one is a process of its own. */
export class Provider extends ProviderResource {
  static override isInstance(value: unknown): value is Provider {
    return hasType(value, 'pulumi:providers:tether');
  }

  constructor(name: string, args: ProviderArgs = {}, opts: ResourceOptions = {}) {
    if (name.startsWith('default')) {
      throw new Error(
        `the engine takes a provider named ${name} for its own, which has no account but that of the environment: choose a name that does not begin with default`,
      );
    }
    const { token, rate } = args;
    const given = {
      ...args,
      token: token === undefined ? undefined : secret(token),
      rate: rate === undefined ? undefined : output(rate).apply((known) => known && String(known)),
    };
    super('tether', name, given, mergeOptions({ version }, opts));
  }
}
