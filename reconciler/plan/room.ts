/** Room for new links, where the service limits how many a target may have. */
import { groupBy } from '../../resources/groups';
import type { ListRef } from '../../resources/kind';
import type { Draft } from './draft';
import type { World } from './inputs';
import { endsOf, type Step } from './plan';

/** The targets with a limit that get links. */
function crowdedTargets<Some extends Step>(world: World, steps: readonly Some[]) {
  const { registry, manifests } = world.inputs;
  return registry.flatMap((definition) => {
    const { edge, pair, kind } = definition;
    const most = edge?.limit === undefined ? null : manifests.profile.limits[edge.limit];
    if (edge === undefined || most === null) return [];
    const place = pair.indexOf(edge.to) + 1;
    // The choice must not hang on the order of files and lists.
    const own = steps.filter((step) => step.kind === kind).sort((one, two) => (one.id < two.id ? -1 : 1));
    return [...groupBy(own, ({ key }) => key[place] ?? '')].flatMap(([target, some]) => {
      const creates = some.filter(({ action }) => action === 'create');
      const deletes = some.filter(({ action }) => action === 'delete');
      if (creates.length === 0) return [];
      const ends = { [edge.to]: target };
      const existing = world.foundAll(definition, ends);
      return [{ definition, edge, target, ends, most, existing, creates, deletes }];
    });
  });
}

/**
 * The lists that a plan needs where it both creates and deletes links of a target with a limit: of the target, to see how much room is
 * left, and of the other ends, if a delete has to make room for what may not be there. A target that only gets links is not looked at:
 * without room its create is refused.
 */
export function listsForRoom(world: World, steps: readonly Step[]): readonly ListRef[] {
  const { organization } = world;
  return crowdedTargets(world, steps).flatMap((one) => {
    const { definition, edge, ends, most, existing, creates, deletes } = one;
    if (deletes.length === 0) return [];
    if (existing === null) return definition.listedIn({ organization, ...ends });
    if (existing.length + creates.length <= most) return [];
    const others = creates.map(({ key }) => endsOf(definition, key)[edge.from] ?? '');
    return others.flatMap((id) => definition.listedIn({ organization, [edge.from]: id }));
  });
}

/**
 * Where a create has no room, a delete makes it and is done before. Without one the create is removed from the plan, because the service
 * would reject it. Returns the ids of both.
 */
export function makeRoom(world: World, draft: Draft) {
  const makers = new Set<string>();
  const refused = new Set<string>();
  for (const { target, most, existing, creates, deletes } of crowdedTargets(world, draft.steps)) {
    if (existing === null) continue;
    const free = Math.max(most - existing.length, 0);
    // Those above the limit make no room: they go before anything is made.
    const excess = Math.max(existing.length - most, 0);
    for (const [index, create] of creates.slice(free).entries()) {
      const maker = deletes[excess + index];
      if (maker === undefined) {
        refused.add(create.id);
        const message = `${create.address} is not created, because ${world.shown(target)} already has ${existing.length} sources and the service allows ${most}. Remove another one first.`;
        draft.addProblem('too-many-sources', create.address, message);
      } else {
        for (const { id } of [...deletes.slice(0, excess), maker]) {
          create.needs.push(id);
          makers.add(id);
        }
      }
    }
  }
  draft.steps = draft.steps.filter(({ id }) => !refused.has(id));
  return { makers, refused };
}
