/** Which resource of one program run manages what: two that manage the same would undo each other's work at every run. */
import { all, Config, type Input, output, type ProviderResource, type Resource } from '@pulumi/pulumi';
import { getStackResource } from '@pulumi/pulumi/runtime';
import { definitionOf } from '../../resources/kind';
import { registry } from '../../resources/registry';
import { configuredProfile, processSurroundings, serviceAddressOf } from '../account';
import { type ResourceType, type SetType, setTypes } from '../resource-types';
import { Provider, refusal } from './provider';

/** A resource, and why it cannot share what it is bound to. */
interface Binding {
  readonly owner: string;
  readonly because: string;
}

/** What the resources of one run manage in one service, by known ids. */
export class Bindings {
  private readonly wholes = new Map<string, Binding>();
  private readonly parts = new Map<string, Binding>();

  /** Binds a thing to the one resource that manages it; throws when another manages it, or a part of it. */
  whole(thing: string, owner: string, because: string): void {
    const first = this.wholes.get(thing);
    if (first !== undefined) throw conflict(first.owner, owner, because);
    const part = this.parts.get(thing);
    if (part !== undefined) throw conflict(part.owner, owner, part.because);
    this.wholes.set(thing, { owner, because });
  }

  /** Binds one of several parts of a thing; throws when another resource manages the whole. */
  part(thing: string, owner: string, because: string): void {
    const first = this.wholes.get(thing);
    if (first !== undefined) throw conflict(first.owner, owner, because);
    if (!this.parts.has(thing)) this.parts.set(thing, { owner, because });
  }
}

function conflict(first: string, second: string, because: string): Error {
  return refusal(`${first} and ${second} would undo each other's work: ${because}. Keep one of them`);
}

export interface Declaration {
  readonly type: ResourceType;
  readonly name: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Undefined for the default one. */
  readonly provider: ProviderResource | undefined;
}

/** All links of a kind with the same end, where something else decides on them. */
interface ExactSet {
  readonly kind: string;
  readonly end: string;
  readonly because: string;
}

/** Those that a field decides on: `projectIds` of a client, on all its attachments. */
const setFields: readonly (ExactSet & { readonly owner: string; readonly field: string })[] =
  registry.flatMap((owner) =>
    Object.entries(owner.fields).flatMap(([field, { exactSetOf: kind }]) => {
      if (kind === undefined) return [];
      const { pair, fields } = definitionOf(kind, registry);
      const end = pair.find((one) => fields[one]?.refersTo === owner.kind) ?? '';
      const because = `${field} of the ${nounOf(owner.kind)} means exactly these`;
      return [{ owner: owner.kind, field, kind, end, because }];
    }),
  );

const exactSets: readonly ExactSet[] = [
  ...setTypes.map(({ definition, fixed, direction }) => {
    return { kind: definition.kind, end: fixed, because: `an ${direction} set means exactly these` };
  }),
  ...setFields,
];

/** The last word of a kind: `OAuthClient` → `client`. */
function nounOf(kind: string): string {
  return (/[A-Z][a-z]+$/u.exec(kind)?.[0] ?? kind).toLowerCase();
}

function allLinks({ kind, end }: Pick<ExactSet, 'kind' | 'end'>, id: string | undefined): string {
  return `${kind} ${end} ${id}`;
}

/** Refuses a resource, before it is registered, where another of this program decides on the same. */
export function bindInputs(declared: Declaration): void {
  const { type, inputs } = declared;
  const set = setTypes.find((one) => one.kind === type.kind);
  if (set !== undefined) bindSet(declared, set);
  else if (type.definition.pair.length > 0) bindLink(declared);
  else bind(declared.provider, [adoptIdOf(inputs)], (bindings, [id]) => bindObject(bindings, declared, id));
}

/** The same once the id is known. Returns the kinds of links that the resource alone decides on. */
export function bindCreated(declared: Declaration, id: Input<string>): readonly string[] {
  const { type, inputs, provider } = declared;
  if (type.definition.pair.length > 0) return [];
  const decides = setFields.filter(
    ({ owner, field }) => owner === type.kind && (inputs[field] ?? null) !== null,
  );
  bind(provider, [id, adoptIdOf(inputs)], (bindings, [made, adopted]) => {
    if (made !== adopted) bindObject(bindings, declared, made);
    for (const one of decides) bindings.whole(allLinks(one, made), ownerOf(declared), one.because);
  });
  return decides.map(({ kind }) => kind);
}

/** The member with what `bindCreated` returns; not enumerable, since a program may export a whole resource. */
export const decidesOn = '__tetherDecidesOn';

function ownerOf({ type, name }: Declaration): string {
  return `${type.kind} "${name}"`;
}

function adoptIdOf({ adoptId = '' }: Declaration['inputs']): Input<string> {
  return typeof adoptId === 'string'
    ? adoptId
    : output(adoptId as Input<string | null>).apply((id) => id ?? '');
}

function bindObject(bindings: Bindings, declared: Declaration, id: string | undefined): void {
  const object = `${declared.type.kind} ${id}`;
  if (id) bindings.whole(object, ownerOf(declared), `both are ${object}`);
}

function bindLink(declared: Declaration): void {
  const { kind, pair } = declared.type.definition;
  const owner = ownerOf(declared);
  const ends = pair.map((end) => declared.inputs[end] as Input<string>);
  for (const { owner: other, end, because } of setFields.filter((one) => one.kind === kind)) {
    // Also before the id of the other is known.
    if (isDecidedBehind(declared.inputs[end], kind)) throw conflict(owner, `the ${other} it is for`, because);
  }
  bind(declared.provider, ends, (bindings, ids) => {
    for (const one of exactSets.filter((each) => each.kind === kind)) {
      bindings.part(allLinks(one, ids[pair.indexOf(one.end)]), owner, one.because);
    }
    const [to, from] = ids;
    const link = `the ${nounOf(kind)} of ${from} to ${to}`;
    bindings.whole(link, owner, `both are ${link}`);
  });
}

function isDecidedBehind(input: unknown, kind: string): boolean {
  if (typeof input !== 'object' || input === null || !('resources' in input)) return false;
  const { resources } = input;
  const found: unknown = typeof resources === 'function' ? resources.call(input) : undefined;
  if (!(found instanceof Set)) return false;
  return [...found].some((one: Readonly<Record<string, unknown>>) => {
    const kinds = one[decidesOn];
    return Array.isArray(kinds) && kinds.includes(kind);
  });
}

function bindSet(declared: Declaration, set: SetType): void {
  const { inputs, provider } = declared;
  const owner = ownerOf(declared);
  const fixed = inputs[set.fixed] as Input<string>;
  const members = inputs[set.members] as Input<readonly Input<string>[]>;
  const { kind } = set.definition;
  bind(provider, [fixed], (bindings, [id]) => {
    bindings.whole(allLinks({ kind, end: set.fixed }, id), owner, `a set means exactly these ${set.noun}`);
  });
  // Each by itself: one that is not known yet hides no other.
  const bindMembers = (each: readonly Input<string>[]): void => {
    for (const one of each) {
      bind(provider, [one, fixed], (bindings, [member, id]) => {
        const [source, target] = set.direction === 'inbound' ? [member, id] : [id, member];
        const because = `both decide whether ${source} triggers ${target}`;
        bindings.part(allLinks({ kind, end: set.member }, member), owner, because);
      });
    }
  };
  if (Array.isArray(members)) bindMembers(members);
  else output(members).apply(bindMembers);
}

const byRun = new WeakMap<Resource, Map<string, Bindings>>();

/**
 * Checks a resource against those before it: at once where its ids are plain strings, else beside its registration, when
 * they are known. A preview knows nothing of ids that only a run makes.
 */
function bind(
  provider: ProviderResource | undefined,
  ids: readonly Input<string>[],
  work: (bindings: Bindings, ids: readonly string[]) => void,
): void {
  const stack = getStackResource();
  // Under the SDK's mocks there is no run: tests may declare the same again and again.
  if (stack === undefined) return;
  const run = byRun.get(stack) ?? new Map<string, Bindings>();
  byRun.set(stack, run);
  whenKnown([...placeOf(provider), ...ids], ([address = '', profile = '', ...known]) => {
    const service = serviceAt(address, profile, provider !== undefined);
    const bindings = run.get(service) ?? new Bindings();
    run.set(service, bindings);
    work(bindings, known);
  });
}

function whenKnown(inputs: readonly Input<string>[], work: (values: readonly string[]) => void): void {
  const isPlain = (values: readonly Input<string>[]): values is readonly string[] =>
    values.every((value) => typeof value === 'string');
  if (isPlain(inputs)) work(inputs);
  else all([...inputs]).apply(work);
}

/** Address and profile of a provider; empty where it has none. One of the SDK's own making is a place of its own. */
function placeOf(provider: ProviderResource | undefined): readonly [Input<string>, Input<string>] {
  if (provider === undefined) {
    const config = new Config('tether');
    return [config.get('address') ?? '', config.get('profile') ?? ''];
  }
  return Provider.isInstance(provider)
    ? [provider.args.address ?? '', provider.args.profile ?? '']
    : [provider.urn, ''];
}

/** One text for one service: equal ids of two services are two things. */
function serviceAt(address: string, profile: string, explicit: boolean): string {
  const config = {
    explicit,
    ...(address === '' ? {} : { address }),
    ...(profile === '' ? {} : { profile }),
  };
  try {
    return (
      serviceAddressOf(config, configuredProfile(config, processSurroundings), processSurroundings) ?? ''
    );
  } catch {
    // What is wrong with it the provider says, for each resource.
    return address;
  }
}
