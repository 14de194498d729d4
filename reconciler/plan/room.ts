/**
 * Finds the targets of links that may be full until the deletes of this plan are done. `hold.ts` refuses the creates that have no room, and
 * `order.ts` lets the others wait for the deletes.
 */
import { groupBy } from '../../resources/groups';
import type { Edge } from '../../resources/kind';
import { registry } from '../../resources/registry';
import { maxLinks } from '../../resources/violations';
import type { Facts } from './facts';
import type { LedgerKey, Step } from './plan';

interface Change {
  readonly action: Step['action'] | 'nothing' | 'leave' | 'refuse';
  readonly address: string;
  readonly key: LedgerKey;
}

/** A target with a limit, and what this plan changes at it. `existing` is null if its list was not read. */
export interface LimitedTarget<Item> {
  readonly edge: Edge;
  readonly id: string;
  readonly limit: number;
  readonly existing: number | null;
  readonly creates: readonly Item[];
  readonly deletes: readonly Item[];
}

/** Returns no target under a profile without limits. `readChange` says what an item, a decision or a step, changes. */
export function findLimitedTargets<Item>(
  facts: Facts,
  items: readonly Item[],
  readChange: (item: Item) => Change,
): readonly LimitedTarget<Item>[] {
  return registry.flatMap((definition) => {
    const { edge, pair, kind } = definition;
    const limit = maxLinks(edge, facts.inputs.manifests.profile);
    if (edge === undefined || limit === null) return [];
    const place = pair.indexOf(edge.to) + 1;
    const changes = items
      .map((item) => ({ item, change: readChange(item) }))
      .filter(({ change }) => change.key[0] === kind)
      // `hold.ts` refuses the last creates, and that must not depend on the order of files and lists.
      .sort((left, right) => (left.change.address < right.change.address ? -1 : 1));
    const byTarget = [...groupBy(changes, ({ change }) => change.key[place] ?? '')];
    const itemsWith = (action: Change['action'], group: typeof changes) =>
      group.filter(({ change }) => change.action === action).map(({ item }) => item);
    return byTarget.map(([id, group]) => ({
      edge,
      id,
      limit,
      existing: facts.foundAll(definition, { [edge.to]: id })?.length ?? null,
      creates: itemsWith('create', group),
      deletes: itemsWith('delete', group),
    }));
  });
}

/** True for a target that may lack the room for its creates until its deletes are done. */
export function isCrowded({ limit, existing, creates, deletes }: LimitedTarget<unknown>): boolean {
  const mayLackRoom = existing === null || existing + creates.length > limit;
  return creates.length > 0 && deletes.length > 0 && mayLackRoom;
}
