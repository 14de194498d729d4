/** Which resource of one program run manages what: two that manage the same would undo each other's work at every run. */
import { all, Config, type Input, output, type ProviderResource, type Resource } from '@pulumi/pulumi';
import { getStackResource } from '@pulumi/pulumi/runtime';
import { definitionOf } from '../../resources/kind';
import { registry } from '../../resources/registry';
import { configuredProfile, processSurroundings, serviceAddressOf } from '../account';
import { type ResourceType, type SetType, setTypes } from '../resource-types';
import { Provider, refusal } from './provider';

/** What a resource manages: the whole of a thing or one of its parts, and why it cannot share that. */
interface Binding {
  readonly of: 'whole' | 'part';
  readonly thing: string;
  readonly because: string;
}

/** What the resources of one run manage in one service, by known ids. */
export class Bindings {
  private readonly things = new Map<string, Binding & { readonly owner: string }>();

  /** Throws when another resource has the same, unless each of the two has only a part of it. */
  bind(owner: string, binding: Binding): void {
    const first = this.things.get(binding.thing);
    if (first === undefined) this.things.set(binding.thing, { ...binding, owner });
    else if (first.of === 'whole') throw conflict(first.owner, owner, binding.because);
    else if (binding.of === 'whole') throw conflict(first.owner, owner, first.because);
  }
}

function conflict(first: string, second: string, because: string): Error {
  return refusal(`${first} and ${second} would undo each other's work: ${because}. Keep one of them`);
}

export interface Declaration {
  readonly type: ResourceType;
  /** For messages: `OAuthClient "github"`. */
  readonly owner: string;
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
  else bindWhenKnown(declared, [adoptIdOf(inputs)], ([id]) => objectOf(type, id));
}

/** The same once the id is known. Returns the kinds of links that the resource alone decides on. */
export function bindCreated(declared: Declaration, id: Input<string>): readonly string[] {
  const { type, inputs } = declared;
  if (type.definition.pair.length > 0) return [];
  const decides = setFields.filter(
    ({ owner, field }) => owner === type.kind && (inputs[field] ?? null) !== null,
  );
  bindWhenKnown(declared, [id, adoptIdOf(inputs)], ([made, adopted]) => [
    ...(made === adopted ? [] : objectOf(type, made)),
    ...decides.map((one): Binding => ({ of: 'whole', thing: allLinks(one, made), because: one.because })),
  ]);
  return decides.map(({ kind }) => kind);
}

/** The member with what `bindCreated` returns; not enumerable, since a program may export a whole resource. */
export const decidesOn = '__tetherDecidesOn';

function adoptIdOf({ adoptId = '' }: Declaration['inputs']): Input<string> {
  return typeof adoptId === 'string'
    ? adoptId
    : output(adoptId as Input<string | null>).apply((id) => id ?? '');
}

function objectOf({ kind }: ResourceType, id: string | undefined): readonly Binding[] {
  return id ? [{ of: 'whole', thing: `${kind} ${id}`, because: `both are ${kind} ${id}` }] : [];
}

function bindLink(declared: Declaration): void {
  const { inputs, owner, type } = declared;
  const { kind, pair } = type.definition;
  for (const { owner: other, end, because } of setFields.filter((one) => one.kind === kind)) {
    // Also before the id of the other is known.
    if (isDecidedBehind(inputs[end], kind)) throw conflict(owner, `the ${other} it is for`, because);
  }
  const ends = pair.map((end) => inputs[end] as Input<string>);
  bindWhenKnown(declared, ends, (ids) => {
    const [to, from] = ids;
    const thing = `the ${nounOf(kind)} of ${from} to ${to}`;
    const parts = exactSets
      .filter((one) => one.kind === kind)
      .map((one): Binding => {
        return { of: 'part', thing: allLinks(one, ids[pair.indexOf(one.end)]), because: one.because };
      });
    return [...parts, { of: 'whole', thing, because: `both are ${thing}` }];
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

function bindSet(declared: Declaration, { definition, direction, fixed, member, members }: SetType): void {
  const { kind } = definition;
  const end = declared.inputs[fixed] as Input<string>;
  bindWhenKnown(declared, [end], ([id]) => {
    const because = `a set means exactly these ${direction} triggers`;
    return [{ of: 'whole', thing: allLinks({ kind, end: fixed }, id), because }];
  });
  // Each by itself: one that is not known yet hides no other.
  const bindMembers = (listed: readonly Input<string>[]): void => {
    for (const one of listed) {
      bindWhenKnown(declared, [one, end], ([other, id]) => {
        const [source, target] = direction === 'inbound' ? [other, id] : [id, other];
        const because = `both decide whether ${source} triggers ${target}`;
        return [{ of: 'part', thing: allLinks({ kind, end: member }, other), because }];
      });
    }
  };
  const listed = declared.inputs[members] as Input<readonly Input<string>[]>;
  if (Array.isArray(listed)) bindMembers(listed);
  else output(listed).apply(bindMembers);
}

const byRun = new WeakMap<Resource, Map<string, Bindings>>();

/**
 * Checks a resource against those before it: at once where its ids are plain strings, else beside its registration, when
 * they are known. A preview knows nothing of ids that only a run makes.
 */
function bindWhenKnown(
  { owner, provider }: Declaration,
  ids: readonly Input<string>[],
  bindingsOf: (ids: readonly string[]) => readonly Binding[],
): void {
  const stack = getStackResource();
  // Under the SDK's mocks there is no run: tests may declare the same again and again.
  if (stack === undefined) return;
  const run = byRun.get(stack) ?? new Map<string, Bindings>();
  byRun.set(stack, run);
  const bind = ([address = '', profile = '', ...known]: readonly string[]): void => {
    const service = serviceAt(address, profile, provider !== undefined);
    const bindings = run.get(service) ?? new Bindings();
    run.set(service, bindings);
    for (const binding of bindingsOf(known)) bindings.bind(owner, binding);
  };
  const inputs = [...placeOf(provider), ...ids];
  if (inputs.every((value) => typeof value === 'string')) bind(inputs);
  else all(inputs).apply(bind);
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
  const config = { explicit, address: address || undefined, profile: profile || undefined };
  try {
    const given = configuredProfile(config, processSurroundings);
    return serviceAddressOf(config, given, processSurroundings) ?? '';
  } catch {
    // What is wrong with it the provider says, for each resource.
    return address;
  }
}
