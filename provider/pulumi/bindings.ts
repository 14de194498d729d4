/** Which resource of one run manages what: two that manage the same would undo each other's work. */
import * as pulumi from '@pulumi/pulumi';
import { getStackResource } from '@pulumi/pulumi/runtime';
import { setFields } from '../../resources/kind';
import { unlessItFails } from '../../resources/plain-file';
import { registry } from '../../resources/registry';
import { Account, processSurroundings } from '../account';
import { isSetType, type ResourceType, type SetType } from '../resource-types';
import type { Props } from '../state';
import { Provider, refusal } from './provider';

/** What a resource has of a thing, and why it cannot share that. The reason of a part, if any, is the better one. */
interface Binding {
  readonly owner: string;
  readonly of: 'whole' | 'part';
  readonly because?: string | undefined;
}

/** By known ids. */
type Bindings = Map<string, Binding>;

/** Throws when another resource has the same, unless each of the two has only a part of it. */
export function bindThing(bindings: Bindings, thing: string, binding: Binding): void {
  const first = bindings.get(thing);
  if (first === undefined) bindings.set(thing, binding);
  if (first === undefined || (first.of === 'part' && binding.of === 'part')) return;
  const [part, whole] = first.of === 'part' ? [first, binding] : [binding, first];
  throw conflict(first.owner, binding.owner, part.because ?? whole.because);
}

function conflict(first: string, second: string, because = ''): Error {
  return refusal(`${first} and ${second} would undo each other's work: ${because}. Keep one of them`);
}

export interface Declaration {
  readonly type: ResourceType;
  /** For messages: `OAuthClient "github"`. */
  readonly owner: string;
  readonly inputs: Props;
  /** Undefined for the default one. */
  readonly provider: pulumi.ProviderResource | undefined;
}

/** Fields that decide on all links of their object: `projectIds` of a client on its attachments. */
const deciding = setFields(registry).map((set) => {
  return { ...set, because: `${set.field} of the ${nounOf(set.owner)} means exactly these` };
});

/** The last word of a kind: `OAuthClient` → `client`. */
function nounOf(kind: string): string {
  return (/[A-Z][a-z]+$/u.exec(kind)?.[0] ?? kind).toLowerCase();
}

function allLinks(kind: string, end: string, id: string | undefined): string {
  return `${kind} ${end} ${id}`;
}

/** Refuses a resource, before it is registered, where another one decides on the same. */
export function bindInputs(declared: Declaration): void {
  const { type, inputs } = declared;
  if (isSetType(type)) bindSet(declared, type);
  else if (type.definition.pair.length > 0) bindLink(declared);
  else whenKnown(declared, [inputs.adoptId], (bind, [id]) => bindObject(bind, type, id));
}

/** The same once its id is known. */
export function bindCreated(declared: Declaration, resource: pulumi.CustomResource): void {
  const { type, inputs } = declared;
  if (type.definition.pair.length > 0) return;
  const decides = deciding.filter(
    ({ owner, field }) => owner === type.kind && (inputs[field] ?? null) !== null,
  );
  decidesOn.set(resource, decides);
  whenKnown(declared, [resource.id, inputs.adoptId], (bind, [id, adoptId]) => {
    if (id !== adoptId) bindObject(bind, type, id);
    for (const { kind, end, because } of decides) bind('whole', allLinks(kind, end, id), because);
  });
}

const decidesOn = new WeakMap<object, typeof deciding>();

function bindObject(bind: Bind, { kind }: ResourceType, id: string | undefined): void {
  if (id) bind('whole', `${kind} ${id}`, `both are ${kind} ${id}`);
}

function bindLink(declared: Declaration): void {
  const { inputs, owner, type } = declared;
  const { kind, pair } = type.definition;
  // Also before the id of the other is known.
  const decided = deciding.find((one) => one.kind === kind && isDecidedBehind(inputs[one.end], one));
  if (decided !== undefined) throw conflict(owner, `the ${decided.owner} it is for`, decided.because);
  const ends = pair.map((end) => inputs[end]);
  whenKnown(declared, ends, (bind, ids) => {
    for (const [index, end] of pair.entries()) bind('part', allLinks(kind, end, ids[index]));
    const [to, from] = ids;
    const link = `the ${nounOf(kind)} of ${from} to ${to}`;
    bind('whole', link, `both are ${link}`);
  });
}

function isDecidedBehind(input: unknown, set: (typeof deciding)[number]): boolean {
  const { resources } = (input ?? {}) as { readonly resources?: unknown };
  const found: unknown = typeof resources === 'function' ? resources.call(input) : undefined;
  return found instanceof Set && [...found].some((one: object) => decidesOn.get(one)?.includes(set));
}

function bindSet(declared: Declaration, { definition, direction, fixed, member, members }: SetType): void {
  const { kind } = definition;
  const end = declared.inputs[fixed];
  whenKnown(declared, [end], (bind, [id]) => {
    bind('whole', allLinks(kind, fixed, id), `an ${direction} set means exactly these triggers`);
  });
  // Each by itself: one that is not known yet hides no other.
  const bindMembers = (listed: readonly unknown[]): void => {
    for (const one of listed) {
      whenKnown(declared, [one, end], (bind, [other, id]) => {
        const [source, target] = direction === 'inbound' ? [other, id] : [id, other];
        const because = `both decide whether ${source} triggers ${target}`;
        bind('part', allLinks(kind, member, other), because);
      });
    }
  };
  const listed = declared.inputs[members] as pulumi.Input<readonly unknown[]>;
  if (Array.isArray(listed)) bindMembers(listed);
  else pulumi.output(listed).apply(bindMembers);
}

type Bind = (of: Binding['of'], thing: string, because?: string) => void;

const byRun = new WeakMap<pulumi.Resource, Bindings>();

/** At once where the ids are plain strings, else when they are known: a preview knows none that a run makes. */
function whenKnown(
  { owner, provider }: Declaration,
  ids: readonly unknown[],
  work: (bind: Bind, ids: readonly (string | undefined)[]) => void,
): void {
  const stack = getStackResource();
  // Under the SDK's mocks there is no run: tests may declare the same again and again.
  if (stack === undefined) return;
  const bindings: Bindings = byRun.get(stack) ?? new Map();
  byRun.set(stack, bindings);
  const start = ([address, profile, ...known]: readonly (string | undefined)[]): void => {
    const service = serviceAt(address || undefined, profile || undefined, provider !== undefined);
    work((of, thing, because) => bindThing(bindings, `${service} ${thing}`, { owner, of, because }), known);
  };
  const inputs = [...placeOf(provider), ...ids] as pulumi.Input<string | undefined>[];
  if (inputs.every((value) => value === undefined || typeof value === 'string')) start(inputs);
  else pulumi.all(inputs).apply(start);
}

/** Address and profile of a provider. What is no Provider of ours is a service of its own. */
function placeOf(provider: pulumi.ProviderResource | undefined): readonly unknown[] {
  if (provider === undefined) {
    const config = new pulumi.Config('tether');
    return [config.get('address'), config.get('profile')];
  }
  return Provider.isInstance(provider)
    ? [provider.args.address, provider.args.profile]
    : [provider.urn, undefined];
}

/** One text for one service: equal ids of two services are two things. What is wrong with it the provider says. */
function serviceAt(address: string | undefined, profile: string | undefined, explicit: boolean): string {
  const account = new Account({ address, profile, explicit }, processSurroundings);
  return unlessItFails(() => account.address) ?? address ?? '';
}
