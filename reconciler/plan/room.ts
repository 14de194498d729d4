/** Makes room for new links if the service limits the number of sources of a target. */
import { groupBy } from '../../resources/groups';
import type { ListRef } from '../../resources/kind';
import { registry } from '../../resources/registry';
import { maxLinks } from '../../resources/violations';
import type { Draft, DraftStep } from './draft';
import type { Facts } from './facts';
import { endsOf, type Step } from './plan';

/** Finds the targets that have a limit and get new links. */
function crowdedTargets<Some extends Step>(facts: Facts, steps: readonly Some[]) {
  const { manifests } = facts.inputs;
  return registry.flatMap((definition) => {
    const { edge, pair, kind } = definition;
    const most = maxLinks(edge, manifests.profile);
    if (edge === undefined || most === null) return [];
    const place = pair.indexOf(edge.to) + 1;
    // The choice must not depend on the order of files and lists.
    const own = steps.filter((step) => step.kind === kind).sort((one, two) => (one.id < two.id ? -1 : 1));
    return [...groupBy(own, ({ key }) => key[place] ?? '')].flatMap(([target, some]) => {
      const creates = some.filter(({ action }) => action === 'create');
      const deletes = some.filter(({ action }) => action === 'delete');
      if (creates.length === 0) return [];
      const ends = { [edge.to]: target };
      const existing = facts.foundAll(definition, ends);
      return [{ definition, edge, target, ends, most, existing, creates, deletes }];
    });
  });
}

/**
 * Returns the lists that `makeRoom` needs for targets that both gain and lose links. The list of the target shows how much room is left.
 * If there is too little, the lists of the other ends show whether the new links exist already. Other targets need no list, because the
 * service refuses a create without room.
 */
export function listsForRoom(facts: Facts, steps: readonly Step[]): readonly ListRef[] {
  const { organization } = facts;
  return crowdedTargets(facts, steps).flatMap((one) => {
    const { definition, edge, ends, most, existing, creates, deletes } = one;
    if (deletes.length === 0) return [];
    if (existing === null) return definition.listedIn({ organization, ...ends });
    if (existing.length + creates.length <= most) return [];
    const others = creates.map(({ key }) => endsOf(definition, key)[edge.from] ?? '');
    return others.flatMap((id) => definition.listedIn({ organization, [edge.from]: id }));
  });
}

/**
 * Orders a delete before each create that has no room. If no delete is left, it removes the create, because the service would reject it.
 * Returns the ids of these deletes and the removed creates.
 */
export function makeRoom(facts: Facts, draft: Draft) {
  const makers = new Set<string>();
  const refused = new Set<DraftStep>();
  for (const { target, most, existing, creates, deletes } of crowdedTargets(facts, draft.steps)) {
    if (existing === null) continue;
    const free = Math.max(most - existing.length, 0);
    // Deletes of links above the limit make no room. All of them come before the first create.
    const excess = Math.max(existing.length - most, 0);
    // If a create fails, no further room is made.
    let last = creates[free - 1];
    for (const [index, create] of creates.slice(free).entries()) {
      const maker = deletes[excess + index];
      if (maker === undefined) {
        refused.add(create);
        const message = `${create.address} is not created, because ${facts.shown(target)} already has ${existing.length} sources and the service allows ${most}. It can be created when another source has gone.`;
        draft.problems.push({ rule: 'too-many-sources', address: create.address, message });
      } else {
        for (const { id } of [...deletes.slice(0, excess), maker]) {
          create.needs.push(id);
          makers.add(id);
        }
        if (last !== undefined) maker.needs.push(last.id);
        last = create;
      }
    }
  }
  draft.steps = draft.steps.filter((step) => !refused.has(step));
  return { makers, refused };
}
