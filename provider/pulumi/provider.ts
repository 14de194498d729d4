/** A provider for one account: what it is given wins over the environment. */
import { type Input, output, ProviderResource, type ResourceOptions, RunError, secret } from '@pulumi/pulumi';
import { explicitMark, settings } from '../account';

/** Marks a Provider, so that every copy of this package knows it. */
const kindMark = '__tetherProvider';

/** What is left out comes from `TETHER_*` variables, a token only where no address is given. */
export interface ProviderArgs {
  /** Base URL of the service, with /api/v2. */
  readonly address?: Input<string> | undefined;
  /** Kept in the state as a secret; prefer `tokenEnv`, which a rotated token does not make stale. */
  readonly token?: Input<string> | undefined;
  /** Name of the variable that holds the token. */
  readonly tokenEnv?: Input<string> | undefined;
  /** Name or file of a profile; `default` when left out. */
  readonly profile?: Input<string> | undefined;
  /** Requests a second. */
  readonly rate?: Input<number> | undefined;
}

/** Pass it as `{ provider }` to the resources of a second account. Each one is a process of its own (half a second, 130 MB). */
export class Provider extends ProviderResource {
  readonly args: ProviderArgs;

  static override isInstance(value: unknown): value is Provider {
    return ProviderResource.isInstance(value) && kindMark in value;
  }

  constructor(name: string, args: ProviderArgs = {}, opts?: ResourceOptions) {
    const { token, rate } = args;
    const texts = {
      ...args,
      token: token === undefined ? undefined : secret(token),
      rate: rate === undefined ? undefined : output(rate).apply(String),
    };
    const given = settings.map((setting) => [`tether:${setting}`, texts[setting]]);
    super('pulumi-nodejs', name, { ...Object.fromEntries(given), [explicitMark]: 'true' }, opts);
    this.args = args;
    Object.defineProperty(this, kindMark, { value: true });
  }
}

/** Ends the program with one line, without a stack: its source maps lead into `@pulumi`, on which Node hangs (nodejs/node#64011). */
export function refusal(message: string): RunError {
  const error = new RunError(message);
  error.stack = message;
  return error;
}
