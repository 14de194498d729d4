/** What every provider does alike: guards its methods, ends each failure in one line, and looks for its object. */
import type { dynamic } from '@pulumi/pulumi';
import { OperationalError } from '../client/errors';
import { plain } from '../client/text';
import { type Found, type Key, partOf, type ResourceDefinition } from '../resources/kind';
import { unlessNotFound } from '../resources/safe-calls';
import { inputsBehind, type Props, ProviderError, type ResourceType, stateOf } from './properties';
import type { Session } from './session';

export type Provider = Required<dynamic.ResourceProvider<Props, Props>>;

/** The object was made, but not finished: the engine records it, and the next `up` repairs it. */
export class Unfinished extends OperationalError {
  /** The SDK reads these members. */
  readonly reasons = [this.message];
  constructor(
    message: string,
    readonly id: string,
    readonly properties: Props,
  ) {
    super(message);
  }
}

/** The methods of a kind, which refuse resources of another service, and whose every failure is one line. */
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
  const line = messageOf(error);
  const short =
    error instanceof Unfinished ? new Unfinished(line, error.id, error.properties) : new ProviderError(line);
  short.stack = line;
  short.toString = () => 'tether';
  return short;
}

export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const line = plain(message.replace(/\s*[\r\n]+\s*/gu, ' ').trim());
  const isExpected = error instanceof OperationalError;
  return isExpected ? line : `unexpected: ${line}. This is a bug in tether; please report it`;
}

/** The answer of `read`: the object as it is now, or `{}` where it is proved missing. A `get` of a missing object throws. */
export function readResult(type: ResourceType, state: Props, found: Found | undefined, session: Session) {
  if (found !== undefined) {
    const props = stateOf(state, found, session.api.address);
    return { id: found.id, props, inputs: inputsBehind(type, props) };
  }
  if (state.address !== undefined) return {};
  throw new ProviderError(`there is no such ${type.definition.kind}: correct its id`);
}

/** Looks in the lists that would show the object, then at its own page. Undefined means that both lack it. */
export async function look(session: Session, definition: ResourceDefinition, key: Key, id: string) {
  const refs = definition.listedIn(key);
  const item = definition.shownBy === undefined ? id : partOf(key, definition.shownBy);
  const pick = (all: readonly Found[]) =>
    all.find((one) => one.id === id) ?? (definition.pair.length > 0 ? all[0] : undefined);
  let wasRead = false;
  for (const ref of refs) {
    const items = await unlessNotFound(session.lists.read(ref));
    if (items === undefined) continue;
    const found = pick(definition.find(items, key));
    if (found !== undefined || (item !== id && items.some((one) => one.id === item))) return found;
    wasRead = true;
    break;
  }
  const shown = await unlessNotFound(refs[0]?.readItem(session.api, item) ?? Promise.resolve(undefined));
  if (shown !== undefined) return pick(definition.find([shown], key));
  if (wasRead) return undefined;
  throw cannotTell(id, 'its lists and its own page answer "not found, or not for this token" (404)');
}

export function cannotTell(what: string, why: string): ProviderError {
  return new ProviderError(
    `nobody can tell whether ${what} still exists, so the state stays as it is: ${why}. Give the token the permission to see it; if it is gone for good, \`pulumi state delete URN\` drops it`,
  );
}
