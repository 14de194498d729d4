/** Thinks of what happens next: what two variations have not met yet is thought of first. */
import type { Action } from './actions';
import type { Chance } from './chance';
import { entryProposals } from './propose-entries';
import type { Proposal, Scene } from './scene';
import type { Conditions } from './site';

const proposals: readonly Proposal[] = [...entryProposals];

/** The variations that a course is to bring together, and those that its conditions bring already. */
export interface Wish {
  readonly wanted: Set<string>;
  readonly met: ReadonlySet<string>;
}

/** What holds for the whole course, and what it is to bring together. */
export function conditionsFor(_seed: number, chance: Chance): { conditions: Conditions; wish: Wish } {
  const profile = chance.pick(['default', 'hcp-terraform', 'tight'] as const);
  const conditions: Conditions = { profile, behaviours: {}, concurrency: chance.pick([1, 8]) };
  return { conditions, wish: { wanted: new Set(), met: new Set([`profile ${profile}`]) } };
}

function propose(scene: Scene, { tag, propose: think }: Proposal): Action[] {
  return (think(scene) ?? []).map((action) => ({ ...action, tags: [tag] }));
}

/** How many things happen before the run of a step. */
export function countFor(chance: Chance, step: number): number {
  return step === 0 ? 4 + chance.below(4) : 1 + chance.below(3);
}

/** The next thing that happens; nothing where there is no occasion for what was thought of. */
export function nextActions(scene: Scene, wish: Wish): Action[] {
  const proposal = scene.chance.weighed(proposals.map((one) => [one.weight, one] as const));
  void wish;
  return proposal === undefined ? [] : propose(scene, proposal);
}

/** The run that ends a step. */
export function nextRun(scene: Scene, wish: Wish): Action {
  void [scene, wish];
  return { do: 'run' };
}
