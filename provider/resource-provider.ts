/** The shared parts of all providers: guarded methods, failures on one line, and the search for an object. */
import type { dynamic } from '@pulumi/pulumi';
import { OperationalError } from '../client/errors';
import { inert, plain } from '../client/text';
import { type Expectation, type Observation, observationOf } from '../observation/evidence';
import { observe } from '../observation/observe';
import type { Found } from '../resources/kind';
import { inputsBehind, type Props, ProviderError, type ResourceType, stateOf } from './properties';
import type { Session } from './session';

export type Provider = Required<dynamic.ResourceProvider<Props, Props>>;

/** Wraps the methods of a kind, so that they refuse resources of another service and fail with one line. */
export function resourceProvider(session: Session, methods: Omit<Provider, 'configure'>): Provider {
  const guarded =
    <Given extends readonly unknown[], Answer>(method: (...given: Given) => Promise<Answer>) =>
    async (...given: Given): Promise<Answer> => {
      const [id, state] = given;
      try {
        if (typeof id === 'string') session.refuseOtherAddress(id, Object(state).address);
        return await method(...given);
      } catch (error) {
        throw onOneLine(error);
      }
    };
  return {
    configure: async (request) => session.configure(request),
    check: guarded(methods.check),
    diff: guarded(methods.diff),
    create: guarded(methods.create),
    read: guarded(methods.read),
    update: guarded(methods.update),
    delete: guarded(methods.delete),
  };
}

/** The SDK prints `${error}: ${error.stack}`, and then the engine prints the message. */
function onOneLine(error: unknown): Error {
  const message = error instanceof Error ? error.message : String(error);
  const text = inert(plain(message.replace(/\s*[\r\n]+\s*/gu, ' ').trim()));
  const isExpected = error instanceof OperationalError;
  const line = isExpected ? text : `unexpected: ${text}. This is a bug in tether; please report it`;
  const short = Object.assign(new ProviderError(line), error instanceof ProviderError && error);
  short.stack = line;
  short.toString = () => 'tether';
  return short;
}

/** Returns the answer of `read`: the present object, or `{}` if it is proved missing. A `get` of a missing object throws. */
export function readResult(session: Session, type: ResourceType, state: Props, found: Found | undefined) {
  if (found !== undefined) {
    const props = stateOf(state, found, session.api.address);
    return { id: found.id, props, inputs: inputsBehind(type, props) };
  }
  if (state.address !== undefined) return {};
  throw new ProviderError(`there is no such ${type.definition.kind}: correct its id`);
}

/** Finds an object in the first list that can be read. Returns undefined if it is proved missing, and throws without a proof. */
export async function look({ connection: { api, lists } }: Session, expected: Expectation) {
  let seen: Observation = { state: 'unknown', why: 'no list shows it' };
  for (const ref of expected.definition.listedIn(expected.key)) {
    const one = { ...expected, definition: { ...expected.definition, listedIn: () => [ref] } };
    seen = observationOf(await observe(api, { expected: [one], forced: [] }, lists), one);
    if (seen.state !== 'unknown') break;
  }
  if (seen.state === 'unknown') {
    throw new ProviderError(
      `it is unknown whether ${expected.id} still exists, so the state stays as it is: ${seen.why}. If the token may not see it, give it the permission; if it no longer exists, \`pulumi state delete URN\` drops it (with \`--force\` if it is protected)`,
    );
  }
  return seen.found;
}
