/** Which resource of one run manages what: two that manage the same would undo each other's work. */
import { setFields } from '../resources/kind';
import { registry } from '../resources/registry';
import { ProviderError } from './failures';
import { isSetType, type ResourceType } from './resource-types';
import { membersOf, type Props, textOf } from './state';

/** What a resource has of a thing, and why it cannot share that. The reason of a part, if any, is the better one. */
interface Binding {
  readonly thing: string;
  readonly of: 'whole' | 'part';
  readonly because?: string;
}

/** Fields that decide on all links of their object: `projectIds` of a client on its attachments. */
const deciding = setFields(registry).map((set) => {
  return { ...set, because: `${set.field} of the ${nounOf(set.owner)} means exactly these` };
});

/** The last word of a kind: `OAuthClient` → `client`. */
function nounOf(kind: string): string {
  return (/[A-Z][a-z]+$/u.exec(kind)?.[0] ?? kind).toLowerCase();
}

class Bindings {
  /** By URN. */
  private readonly owners = new Map<string, readonly Binding[]>();
  /** By thing, of URNs. */
  private readonly things = new Map<string, Map<string, Binding>>();

  /** In place of what the resource had. Throws where another one has the same, unless each of the two has only a part of it. */
  bind(urn: string, type: ResourceType, inputs: Props, id = textOf(inputs, 'adoptId')): void {
    for (const { thing } of this.owners.get(urn) ?? []) this.things.get(thing)?.delete(urn);
    const bindings = bindingsOf(type, inputs, id);
    this.owners.set(urn, bindings);
    for (const binding of bindings) {
      const owners = this.things.get(binding.thing) ?? new Map<string, Binding>();
      this.things.set(binding.thing, owners);
      for (const [other, first] of owners) refuseBoth(other, first, urn, binding);
      owners.set(urn, binding);
    }
  }
}

/** A session has one account, so that equal ids are one thing. */
const bySession = new WeakMap<object, Bindings>();

/** What the resources of this session are bound to. */
export function bindingsIn(session: object): Bindings {
  const bindings = bySession.get(session) ?? new Bindings();
  bySession.set(session, bindings);
  return bindings;
}

function refuseBoth(one: string, first: Binding, other: string, second: Binding): void {
  if (first.of === 'part' && second.of === 'part') return;
  const [part, whole] = first.of === 'part' ? [first, second] : [second, first];
  const because = part.because ?? whole.because ?? '';
  const both = [one, other].map(ownerOf).sort().join(' and ');
  throw new ProviderError(`${both} would undo each other's work: ${because}. Keep one of them`);
}

/** `OAuthClient "github"`. */
function ownerOf(urn: string): string {
  return `${kindOf(urn)} "${urn.split('::').slice(3).join('::')}"`;
}

/** The last part of the type: `OAuthClient`. */
export function kindOf(urn: string): string {
  return urn.split('::')[2]?.split(':').at(-1) ?? '';
}

/** As far as the ids are known. */
function bindingsOf(type: ResourceType, inputs: Props, id: string | undefined): readonly Binding[] {
  const { definition } = type;
  const { kind, pair } = definition;
  const all = (of: Binding['of'], end: string, known: string | undefined, because?: string) =>
    known === undefined ? [] : [{ of, thing: `${kind} ${end} ${known}`, ...(because && { because }) }];
  if (isSetType(type)) {
    const { direction, fixed, member, members } = type;
    const end = textOf(inputs, fixed);
    if (end === undefined) return [];
    const parts = membersOf(inputs, members).map((other) => {
      const [source, target] = direction === 'inbound' ? [other, end] : [end, other];
      return all('part', member, other, `both decide whether ${source} triggers ${target}`);
    });
    return [...all('whole', fixed, end, `an ${direction} set means exactly these triggers`), ...parts.flat()];
  }
  if (pair.length > 0) {
    const ends = pair.map((end) => textOf(inputs, end));
    const parts = pair.flatMap((end, index) => all('part', end, ends[index]));
    if (ends.includes(undefined)) return parts;
    const [to, from] = ends;
    const link = `the ${nounOf(kind)} of ${from} to ${to}`;
    return [...parts, { of: 'whole', thing: link, because: `both are ${link}` }];
  }
  if (id === undefined) return [];
  const sets = deciding.filter((set) => set.owner === kind && (inputs[set.field] ?? null) !== null);
  return [
    { of: 'whole', thing: `${kind} ${id}`, because: `both are ${kind} ${id}` },
    ...sets.map(({ kind: link, end, because }) => ({
      of: 'whole' as const,
      thing: `${link} ${end} ${id}`,
      because,
    })),
  ];
}
