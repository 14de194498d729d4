/** Thinks of what happens next: what two variations have not met yet is thought of first. */
import type { Action } from './actions';
import type { Chance } from './chance';
import { directiveProposals } from './propose-directives';
import { entryProposals } from './propose-entries';
import { fileProposals } from './propose-files';
import { troubles } from './propose-trouble';
import { worldProposals } from './propose-world';
import type { Proposal, Scene } from './scene';
import type { Conditions } from './site';

const proposals: readonly Proposal[] = [
  ...entryProposals,
  ...fileProposals,
  ...directiveProposals,
  ...worldProposals,
];

/** The variations that a course is to bring together, and those that its conditions bring already. */
export interface Wish {
  readonly wanted: Set<string>;
  readonly met: ReadonlySet<string>;
}

/** Variations that hold for a whole course, by tag. */
const traits: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'late-create': { 'create-hidden-ms': '3600000' },
  'late-delete': { 'delete-visible-ms': '3600000' },
  shuffled: { 'list-order': 'random' },
  hiding: { 'lists-hide-unreadable': 'yes' },
  'duplicates-accepted': { 'duplicate-trigger': 'accept' },
  'duplicates-conflict': { 'duplicate-trigger': '409' },
  'attach-again-refused': { 'attach-again': '422' },
  'pool-cleared': { 'patch-without-agent-pool': 'clear' },
  'trigger-lock': { 'trigger-lock': '409' },
  'rate-limit': { 'rate-limit': 'token-bucket', rate: '30' },
};

/** What holds for the whole course, and what it is to bring together. */
export function conditionsFor(_seed: number, chance: Chance): { conditions: Conditions; wish: Wish } {
  const profile = chance.pick(['default', 'hcp-terraform', 'tight'] as const);
  const chosen = Object.keys(traits).filter(() => chance.often(0.15));
  const behaviours = Object.assign({}, ...chosen.map((tag) => traits[tag])) as Record<string, string>;
  const conditions: Conditions = { profile, behaviours, concurrency: chance.pick([1, 8]) };
  return { conditions, wish: { wanted: new Set(), met: new Set([`profile ${profile}`, ...chosen]) } };
}

function propose(scene: Scene, { tag, propose: think }: Proposal): Action[] {
  return (think(scene) ?? []).map((action) => ({ ...action, tags: [tag] }));
}

/** How many things happen before the run of a step. */
export function countFor(chance: Chance, step: number): number {
  return step === 0 ? 4 + chance.below(4) : 1 + chance.below(3);
}

/** The next thing that happens; nothing where there is no occasion for what was thought of. */
export function nextActions(scene: Scene, wish: Wish, isFirst: boolean): Action[] {
  if (scene.hasMistakes && isFirst) return [{ do: 'undo' }];
  const proposal = scene.chance.weighed(proposals.map((one) => [one.weight, one] as const));
  void wish;
  return proposal === undefined ? [] : propose(scene, proposal);
}

/** The run that ends a step; sometimes things go wrong in it. */
export function nextRun(scene: Scene, wish: Wish): Action {
  const { chance } = scene;
  void wish;
  if (chance.often(0.35)) {
    const tag =
      chance.weighed(Object.entries(troubles).map(([name, [weight]]) => [weight, name] as const)) ?? '';
    const trouble = troubles[tag]?.[1](scene);
    if (trouble !== undefined) return { do: 'run', trouble, tags: [tag] };
  }
  if (chance.often(0.04)) return { do: 'run', options: { writeSecrets: true }, tags: ['write-secrets'] };
  if (chance.often(0.03))
    return { do: 'run', destroy: true, options: { maxDeletes: 100 }, tags: ['destroy'] };
  return { do: 'run' };
}
