/** The providers of all resource types have this in common. The engine calls their methods. */
import type { dynamic } from '@pulumi/pulumi';
import { observeObject } from '../observation/observe';
import { findDifferences } from '../resources/diff';
import type { Field, FieldValues, Found, Key, ResourceDefinition } from '../resources/kind';
import { pick, sameValue, sortSets } from '../resources/kind';
import { checkInputs } from '../resources/program-inputs';
import { ProviderError, toReadableError } from './errors';
import { linkName, type Session } from './session';

/** The inputs or the state of one resource. Only `check` gets values of other types, and refuses them. */
export type Props = FieldValues;

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

  /**
   * Wraps a method that the engine calls. A resource of another service is refused first, and errors become readable.
   * A method may call its `super`, but no other wrapped method: both would then happen twice.
   */
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
    const { definition, session } = this;
    session.isProgram = true;
    const isNew = Object.keys(olds).length === 0;
    const isCreated = isNew && news.adoptId == null;
    const { inputs, links, mistakes } = checkInputs(this, news, isCreated, session.profile);
    for (const link of links) session.wantedNames.add(linkName(definition, link));
    // A preview already fails without an address or a token, unless nothing is new or changed.
    if (isNew && mistakes.length === 0) session.connect();
    return { inputs, failures: mistakes.map((reason) => ({ property: '', reason })) };
  }

  /**
   * Compares with the state. Only a refresh finds what somebody changed in the service.
   * If `changes` is absent, the engine compares the inputs that it recorded, and shows each difference.
   */
  async diff(_id: string, olds: Props, news: Props) {
    const { session } = this;
    const { update, replace } = findDifferences(this, olds, news, session.profile);
    const inputsInState = this.readInputs(olds);
    const names = Object.keys(this.fields);
    const hasSameNames = names.every((name) => name in inputsInState === name in news);
    if (hasSameNames && update.length + replace.length === 0) return { replaces: replace, changes: false };
    session.connect();
    // The engine treats null as absent, so it must be told of a change that it cannot see.
    const isUnseen = names.every((name) => sameValue(inputsInState[name] ?? null, news[name] ?? null));
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

  /** Returns the answer of `read`: the state and its inputs, with the values that the service shows now. */
  protected describe(state: Props, { id, values, outputs }: Found) {
    const props = sortSets({ ...state, ...values, ...outputs, address: this.session.api.address });
    return { id, props, inputs: this.readInputs(props) };
  }

  /** Makes the state that the engine records after a create or an update. `managed` is for `readInputs`. */
  toState(inputs: Props, values: FieldValues, outputs: FieldValues = {}): Props {
    const isOptional = (name: string) => !this.fields[name]?.required && name in inputs;
    const managed = Object.keys(this.fields).filter(isOptional).join();
    const { address } = this.session.api;
    return sortSets({ ...inputs, ...(managed && { managed }), ...values, ...outputs, address });
  }

  /** Picks the inputs of the program from a state, because the SDK gives `read` and `diff` the state alone. */
  protected readInputs(state: Props): Props {
    const managed = readString(state, 'managed').split(',');
    return pick(state, (name) => this.fields[name]?.required || managed.includes(name));
  }
}

/** Returns a string, or an empty one for any other value. */
export function readString(props: Props, name: string): string {
  return typeof props[name] === 'string' ? props[name] : '';
}
