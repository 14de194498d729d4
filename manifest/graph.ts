/** Links as a graph: which lie on cycles, and the run triggers of all manifests in layers. */
import { edgesByNode, groupBy } from '../resources/groups';
import { definitionOf, isReference, type Registry, type ResourceDefinition } from '../resources/kind';
import type { DesiredEntry, Manifests } from './desired';

export type TriggerGraph = ReturnType<typeof triggerGraph>;

interface Trigger {
  /** Ids of workspaces, or `workspace/app` for a name that was not looked up. */
  readonly source: string;
  readonly target: string;
  readonly file: string;
}

const sourceOf = ({ source }: Trigger) => source;
const targetOf = ({ target }: Trigger) => target;

/** Of every link that is an arrow: workspaces by layer and name, triggers in the order of the files. */
export function triggerGraph({ entries }: Pick<Manifests, 'entries'>, kinds: Registry) {
  const names = new Map<string, string>();
  const arrows = entries.flatMap((entry): Trigger[] => {
    const definition = definitionOf(entry.kind, kinds);
    const { edge } = definition;
    const named = (field: string) => {
      const id = endOf(entry, field);
      names.set(id, shownEnd({ definition, entry }, field));
      return id;
    };
    return edge ? [{ source: named(edge.from), target: named(edge.to), file: entry.at.file }] : [];
  });
  const knots = knotsOf(arrows, sourceOf, targetOf);
  const knotOf = (id: string) => knots.get(id) ?? 0;
  const triggers = arrows.map((one) => ({ ...one, onCycle: knotOf(one.source) === knotOf(one.target) }));
  const layers = new Map<number, number>();
  // By their numbers, each knot comes after all that lead to it.
  for (const { source, target, onCycle } of [...triggers].sort(
    (one, other) => knotOf(one.source) - knotOf(other.source),
  )) {
    if (onCycle) continue;
    const least = (layers.get(knotOf(source)) ?? 0) + 1;
    layers.set(knotOf(target), Math.max(least, layers.get(knotOf(target)) ?? 0));
  }
  const into = groupBy(arrows, targetOf);
  const outOf = groupBy(arrows, sourceOf);
  const workspaces = [...names].map(([id, name]) => {
    const files = new Set((into.get(id) ?? outOf.get(id) ?? []).map(({ file }) => file));
    // Where all triggers into it stand, or all out of it where there are none into it.
    const [file = null] = files.size === 1 ? files : [];
    // The most triggers on a way to it; those of a cycle share one layer.
    return { id, name, file, layer: layers.get(knotOf(id)) ?? 0 };
  });
  workspaces.sort((one, other) => one.layer - other.layer || (one.name < other.name ? -1 : 1));
  const cycles = new Set(triggers.flatMap(({ source, onCycle }) => (onCycle ? knotOf(source) : []))).size;
  return { workspaces, triggers, layers: (workspaces.at(-1)?.layer ?? -1) + 1, cycles };
}

/** An id, or the address of an entry or a name. */
export function endOf({ inputs }: DesiredEntry, field: string): string {
  const value = inputs[field];
  return isReference(value) ? value.address : String(value);
}

/** How an address spells one end of its link. */
export function shownEnd(
  { definition, entry }: { readonly definition: ResourceDefinition; readonly entry: DesiredEntry },
  field: string,
): string {
  return entry.address.split('/')[definition.pair.indexOf(field) + 1] ?? entry.address;
}

type EndOf<Link> = (link: Link) => string;

/** A number for each node, which those share that reach each other, and which is higher than that of all others that reach it: Kosaraju's two walks. */
export function knotsOf<Link>(links: readonly Link[], start: EndOf<Link>, end: EndOf<Link>) {
  const numbers = new Map<string, number>();
  const numbered = (endOfLink: EndOf<Link>) =>
    Int32Array.from(links, (link) => {
      const node = endOfLink(link);
      const number = numbers.get(node) ?? numbers.size;
      if (number === numbers.size) numbers.set(node, number);
      return number;
    });
  const [from, to] = [numbered(start), numbered(end)];
  const order: number[] = [];
  walk(numbers.values(), edgesByNode([from], numbers.size), to, (node) => order.push(node));
  const knots = new Int32Array(numbers.size);
  let [knot, latest] = [-1, -1];
  walk(order.reverse(), edgesByNode([to], numbers.size), from, (node, first) => {
    if (first !== latest) knot += 1;
    latest = first;
    knots[node] = knot;
  });
  return new Map([...numbers].map(([node, number]) => [node, knots[number]] as const));
}

/** Tells of each node when the walk from `first` leaves it, all that it reaches being left; a node is met once. `ends`: where each edge leads. Without recursion. */
function walk(
  nodes: Iterable<number>,
  { start, incident }: ReturnType<typeof edgesByNode>,
  ends: Int32Array,
  leave: (node: number, first: number) => void,
) {
  const next = start.slice();
  const isMet = new Uint8Array(start.length);
  for (const first of nodes) {
    const path = isMet[first] === 1 ? [] : [first];
    isMet[first] = 1;
    for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
      const place = next[node] ?? 0;
      if (place === start[node + 1]) {
        leave(node, first);
        path.pop();
        continue;
      }
      next[node] = place + 1;
      const other = ends[incident[place] ?? 0] ?? 0;
      if (isMet[other] === 1) continue;
      isMet[other] = 1;
      path.push(other);
    }
  }
}
