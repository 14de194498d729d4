/** The providers of all resource types have this in common. The engine calls their methods. */
import type { dynamic } from '@pulumi/pulumi';
import { observeObject } from '../observation/observe';
import { findDifferences } from '../resources/diff';
import type { Field, FieldValue, FieldValues, Found, Key, ResourceDefinition } from '../resources/kind';
import { sameValue, toSet } from '../resources/kind';
import { checkInputs } from '../resources/program-inputs';
import { ProviderError, toReadableError } from './errors';
import { linkName, type Session } from './session';

/** The inputs or the state of one resource. Only `check` gets values of other types, and refuses them. */
export type Props = FieldValues;

/** The SDK's mark for a value that a preview does not know. */
const unknownValue = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';

export abstract class ResourceProvider {
  /** `fields` are the inputs of the resource type. */
  constructor(
    readonly session: Session,
    readonly definition: ResourceDefinition,
    readonly fields: Readonly<Record<string, Field>> = definition.fields,
  ) {
    for (const name of ['check', 'diff', 'create', 'read', 'update', 'delete'] as const) {
      Object.assign(this, { [name]: this.guard(this[name]) });
    }
  }

  /** Makes a method refuse resources of another service, and fail readably. No method calls another one, which would do both twice. */
  private guard(method: (...args: never[]) => Promise<unknown>) {
    return async (...args: readonly unknown[]) => {
      try {
        // `check` and `create` get inputs first, and all others an id and the state.
        const [id, state] = args;
        if (typeof id === 'string') this.session.refuseOtherAddress(id, Object(state).address);
        return await method.apply(this, args as never[]);
      } catch (error) {
        throw toReadableError(error);
      }
    };
  }

  readonly configure = async (request: dynamic.ConfigureRequest) => this.session.configure(request);

  /** Normalizes inputs and reports every mistake. A failure names no property, because the engine would print its value. */
  async check(olds: Props, { __provider: _, ...news }: Props) {
    const { definition, fields, session } = this;
    session.isProgram = true;
    // Null clears a nullable field, and means "absent" for any other.
    const entries = Object.entries(news).filter(([name, value]) => value !== null || fields[name]?.nullable);
    const inputs = sortSets(Object.fromEntries(entries));
    const isNew = Object.keys(olds).length === 0;
    const isCreated = isNew && inputs.adoptId === undefined;
    const { links, mistakes, secrets } = checkInputs(this, hideUnknown(inputs), isCreated, session.profile);
    for (const link of links) session.wantedNames.add(linkName(definition, link));
    // A preview already fails without an address or a token, unless nothing is new or changed.
    if (isNew && mistakes.length === 0) session.connect();
    const failures = mistakes.map((reason) => ({ property: '', reason }));
    return { inputs: { ...inputs, ...secrets }, failures };
  }

  /** If `changes` is absent, the engine compares the inputs itself and shows each difference. */
  async diff(_id: string, olds: Props, news: Props) {
    const { session } = this;
    const { update, replace } = findDifferences(this, olds, news, session.profile);
    const isSame = update.length + replace.length === 0 && this.listOptional(news) === olds.managed;
    if (isSame) return { replaces: replace, changes: false };
    session.connect();
    // The engine treats null as absent, so it must be told of a change that it cannot see.
    const before = this.readInputs(olds);
    const names = Object.keys(this.fields);
    const isUnseen = names.every((name) => sameValue(before[name] ?? null, news[name] ?? null));
    return { replaces: replace, ...(isUnseen && { changes: true }) };
  }

  abstract create(inputs: Props): Promise<dynamic.CreateResult<Props>>;
  abstract read(id: string, state?: Props): Promise<dynamic.ReadResult<Props>>;
  abstract update(id: string, olds: Props, news: Props): Promise<dynamic.UpdateResult<Props>>;
  abstract delete(id: string, state: Props): Promise<void>;

  /** Reads an object. Returns `{}` for the engine if it is proved missing, and throws without a proof. */
  protected async readObject(id: string, key: Key, state: Props): Promise<dynamic.ReadResult<Props>> {
    const { definition, session } = this;
    const { api, lists } = session.connect();
    const createdAt = readString(state, 'createdAt');
    const observation = await observeObject(api, { definition, key, id, createdAt }, lists);
    if (observation.state === 'missing') return {};
    if (observation.state === 'present') return this.describe(state, observation.found);
    throw new ProviderError(
      `it is unknown whether ${id} still exists, so the state stays as it is: ${observation.why}`,
      'if the token may not see it: give it the permission',
      'if it no longer exists: `pulumi state delete URN`, with `--force` for a protected client',
    );
  }

  /** Returns the answer of `read`. Its inputs are those that the state was made from, with their present values. */
  protected describe(state: Props, { id, values, outputs }: Found) {
    const props = this.toState(state, values, outputs);
    return { id, props, inputs: this.readInputs(props) };
  }

  /** Adds the present values to inputs or a state. `managed` names the optional inputs, in the order of `fields`, because `read` gets no inputs. */
  toState(before: Props, values: FieldValues, outputs: FieldValues = {}): Props {
    const managed = before.address === undefined && this.listOptional(before);
    const { address } = this.session.api;
    return sortSets({ ...before, ...(managed && { managed }), ...values, ...outputs, address });
  }

  private readInputs(state: Props): Props {
    const optional = readString(state, 'managed').split(',');
    return pick(state, (name) => this.fields[name]?.required || optional.includes(name));
  }

  private listOptional(inputs: Props): string | undefined {
    const names = Object.keys(this.fields).filter((name) => !this.fields[name]?.required && name in inputs);
    return names.join() || undefined;
  }
}

/** Makes unknown values null. Their names stay, because they are not missing. */
function hideUnknown(inputs: Props): Props {
  return JSON.parse(JSON.stringify(inputs, (_, value) => (value === unknownValue ? null : value)));
}

/** The engine compares lists place by place, so inputs and states have the same order. */
function sortSets(props: Props): Props {
  const sort = (value: FieldValue) => (Array.isArray(value) ? toSet(value) : value);
  return Object.fromEntries(Object.entries(props).map(([name, value]) => [name, sort(value)]));
}

/** Returns a string, or an empty one for any other value. */
export function readString(props: Props, name: string): string {
  return typeof props[name] === 'string' ? props[name] : '';
}

export function pick(props: Props, isPicked: (name: string) => boolean | undefined): Props {
  return Object.fromEntries(Object.entries(props).filter(([name]) => isPicked(name)));
}
