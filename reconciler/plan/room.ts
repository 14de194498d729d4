/** Finds the targets of links at which this plan may need the room that its deletes make. */
import { groupBy } from '../../resources/groups';
import type { Edge } from '../../resources/kind';
import { registry } from '../../resources/registry';
import { maxLinks } from '../../resources/violations';
import type { Facts } from './facts';
import type { LedgerKey } from './plan';

interface Change {
  readonly action: string;
  readonly address: string;
  readonly key: LedgerKey;
}

/** A target with a limit that gets new links. `existing` is null if its list was not read. */
export interface LimitedTarget<Item extends Change> {
  readonly edge: Edge;
  readonly id: string;
  readonly limit: number;
  readonly existing: number | null;
  readonly creates: readonly Item[];
  readonly deletes: readonly Item[];
}

export function findLimitedTargets<Item extends Change>(
  facts: Facts,
  changes: readonly Item[],
): readonly LimitedTarget<Item>[] {
  return registry.flatMap((definition) => {
    const { edge, pair, kind } = definition;
    const limit = maxLinks(edge, facts.inputs.manifests.profile);
    if (edge === undefined || limit === null) return [];
    const place = pair.indexOf(edge.to) + 1;
    // What is refused must not depend on the order of files and lists.
    const ownChanges = changes
      .filter(({ key }) => key[0] === kind)
      .sort((left, right) => (left.address < right.address ? -1 : 1));
    const byTarget = [...groupBy(ownChanges, ({ key }) => key[place] ?? '')];
    return byTarget.map(([id, some]) => ({
      ...{ edge, id, limit },
      existing: facts.foundAll(definition, { [edge.to]: id })?.length ?? null,
      creates: some.filter(({ action }) => action === 'create'),
      deletes: some.filter(({ action }) => action === 'delete'),
    }));
  });
}

/** True for a target that may lack the room for its creates until its deletes are done. */
export function isCrowded({ limit, existing, creates, deletes }: LimitedTarget<Change>): boolean {
  const mayLackRoom = existing === null || existing + creates.length > limit;
  return creates.length > 0 && deletes.length > 0 && mayLackRoom;
}
