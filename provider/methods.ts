/** Binds the methods of a resource type to a session, and answers reads. */
import type { dynamic } from '@pulumi/pulumi';
import type { Expectation } from '../observation/evidence';
import { observeObject } from '../observation/observe';
import type { Found } from '../resources/kind';
import type { InputTable } from '../resources/program-inputs';
import { ProviderError, toReadableError } from './errors';
import { type Context, type Props, readInputs, updateState } from './properties';
import type { Session } from './session';

type Provider = Required<dynamic.ResourceProvider<Props, Props>>;

type Result<Name extends keyof Provider> = ReturnType<Provider[Name]>;

/** The methods of a resource type as the engine calls them, with a context before its arguments. */
export type Methods<Type extends InputTable = InputTable> = {
  readonly [Name in Exclude<keyof Provider, 'configure'>]: (
    context: Context<Type>,
    ...args: Parameters<Provider[Name]>
  ) => Result<Name> | Awaited<Result<Name>>;
};

type Method = (context: unknown, ...args: readonly unknown[]) => unknown;

/** Makes the methods refuse resources of another service, and fail readably. */
export function bindMethods<Type extends InputTable>(session: Session, type: Type, methods: Methods<Type>) {
  const bind = (method: Method) => async (id: unknown, state: unknown, news: unknown) => {
    try {
      // `check` and `create` get inputs first, and all others an id and the state.
      if (typeof id === 'string') session.refuseOtherAddress(id, Object(state).address);
      return await method({ session, type }, id, state, news);
    } catch (error) {
      throw toReadableError(error);
    }
  };
  const entries = Object.entries(methods).map(([name, method]) => [name, bind(method as Method)]);
  return {
    ...(Object.fromEntries(entries) as Omit<Provider, 'configure'>),
    configure: async (request: dynamic.ConfigureRequest) => session.configure(request),
  };
}

/** Reads an object. Returns `{}` for the engine if it is proved missing, and throws without a proof. */
export async function readObject(context: Context, state: Props, expected: Expectation) {
  const { api, lists } = context.session.connect();
  const observation = await observeObject(api, expected, lists);
  if (observation.state === 'present') return describeFound(context, state, observation.found);
  if (observation.state === 'unknown') {
    throw new ProviderError(
      `it is unknown whether ${expected.id} still exists, so the state stays as it is: ${observation.why}`,
      'if the token may not see it: give it the permission',
      'if it no longer exists: `pulumi state delete URN`, with `--force` for a protected client',
    );
  }
  // A program that reads an object with `get` has no state of it.
  if (state.address !== undefined) return {};
  throw new ProviderError(`there is no ${context.type.definition.kind} ${expected.id}: correct its id`);
}

/** Returns the answer of `read` for an object that exists. */
export function describeFound({ session, type }: Context, state: Props, found: Found) {
  const props = updateState(session, state, found);
  return { id: found.id, props, inputs: readInputs(type, props) };
}
