/** Helpers of scenarios: worlds that close themselves, and short forms of plans and requests. */
import { parse, stringify } from 'yaml';
import type { Plan } from '../../reconciler/plan/plan';
import { bareHead } from './acme';
import { World, type WorldOptions } from './world';

/** Opens worlds that are closed after the test. Call it once in a `describe`. */
export function worlds(): (options?: WorldOptions) => Promise<World> {
  const open: World[] = [];
  afterEach(async () => {
    for (const world of open.splice(0)) await world.close();
  });
  return async (options) => {
    const world = await World.open(options);
    open.push(world);
    return world;
  };
}

export function stepIds({ steps }: Pick<Plan, 'steps'>): string[] {
  return steps.map(({ id }) => id);
}

/** Approves like a user, who copies each remedy: it is YAML of a manifest. The lines stand in a file of their own. */
export function approve(world: World, { blockers }: Plan): void {
  const remedies = blockers.flatMap(({ rule, remedy }) => (rule === 'approval' ? [remedy] : []));
  const approved = remedies.flatMap((remedy) => (parse(remedy) as { approved: unknown[] }).approved);
  if (approved.length > 0) world.write(bareHead + stringify({ approved }), 'approved.tether.yaml');
}
