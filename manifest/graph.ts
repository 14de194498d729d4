/** Links as a graph: their ends, and which of them lie on cycles. */
import { groupBy } from '../resources/groups';
import { isReference, type ResourceDefinition } from '../resources/kind';
import type { DesiredEntry } from './desired';

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

/** Names for each node a node that reaches it and is reached by it, the same one for all of a cycle: Kosaraju's two walks. */
export function knotsOf<Link>(links: readonly Link[], start: EndOf<Link>, end: EndOf<Link>) {
  const order: string[] = [];
  walk(groupBy(links, start).keys(), groupBy(links, start), end, (node) => order.push(node));
  const knots = new Map<string, string>();
  walk(order.reverse(), groupBy(links, end), start, (node, first) => knots.set(node, first));
  return knots;
}

/** Calls `leave` for each node once all that it leads to is left. It works without recursion. */
function walk<Link>(
  nodes: Iterable<string>,
  links: ReadonlyMap<string, readonly Link[]>,
  far: EndOf<Link>,
  leave: (node: string, first: string) => void,
): void {
  const met = new Set<string>();
  for (const first of nodes) {
    const path: { readonly node: string; readonly ahead: string[] }[] = [];
    const enter = (node: string) => {
      if (met.has(node)) return;
      met.add(node);
      path.push({ node, ahead: (links.get(node) ?? []).map(far) });
    };
    enter(first);
    for (let here = path.at(-1); here !== undefined; here = path.at(-1)) {
      const next = here.ahead.pop();
      if (next !== undefined) enter(next);
      else {
        leave(here.node, first);
        path.pop();
      }
    }
  }
}
