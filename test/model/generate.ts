/** Thinks of what happens next: what two variations have not met yet is thought of first. */
import type { Action } from './actions';
import { Chance } from './chance';
import { directiveProposals } from './propose-directives';
import { entryProposals } from './propose-entries';
import { fileProposals } from './propose-files';
import { troubles } from './propose-trouble';
import { worldProposals } from './propose-world';
import type { Proposal, Scene } from './scene';
import type { Conditions } from './site';
import { type Pair, pairsOf, profiles, profileTag, traits } from './variations';

const proposals: readonly Proposal[] = [
  ...entryProposals,
  ...fileProposals,
  ...directiveProposals,
  ...worldProposals,
];

/** The variations that a course is still to bring together, and those that its conditions brought already. */
export interface Wish {
  readonly wanted: Set<string>;
  readonly met: ReadonlySet<string>;
}

/** Every variation there is. */
export const variations: readonly string[] = [
  ...profiles.map(profileTag),
  ...Object.keys(traits),
  ...proposals.map(({ tag }) => tag),
  ...Object.keys(troubles),
  'write-secrets',
  'destroy',
];

/** All pairs, in an order that brings unlike ones together. */
const pairs: readonly Pair[] = new Chance(1).shuffled(pairsOf(variations));
const pairsOfCourse = 3;

/** What holds for the whole course, and what it is to bring together: the pairs whose turn it is with this seed. */
export function conditionsFor(seed: number, chance: Chance): { conditions: Conditions; wish: Wish } {
  const turn = Array.from(
    { length: pairsOfCourse },
    (_, at) => pairs[(seed * pairsOfCourse + at) % pairs.length] ?? [],
  );
  const wanted = new Set(turn.flat());
  const profile = profiles.find((name) => wanted.has(profileTag(name))) ?? chance.pick(profiles);
  const chosen = Object.keys(traits).filter((tag) => wanted.has(tag) || chance.often(0.12));
  const behaviours = Object.assign({}, ...chosen.map((tag) => traits[tag])) as Record<string, string>;
  const isAccepted = behaviours['duplicate-trigger'] === 'accept';
  const met = new Set([profileTag(profile), ...chosen]);
  if (met.has('duplicates-accepted') && met.has('duplicates-conflict')) {
    met.delete(isAccepted ? 'duplicates-conflict' : 'duplicates-accepted');
  }
  for (const tag of met) wanted.delete(tag);
  return { conditions: { profile, behaviours, concurrency: chance.pick([1, 8]) }, wish: { wanted, met } };
}

function propose(scene: Scene, { tag, propose: think }: Proposal): Action[] {
  return (think(scene) ?? []).map((action) => ({ ...action, tags: action.tags ?? [tag] }));
}

/** How many things happen before the run of a step. */
export function countFor(chance: Chance, step: number): number {
  return step === 0 ? 4 + chance.below(4) : 1 + chance.below(3);
}

/** The next thing that happens; nothing where there is no occasion for what was thought of. */
export function nextActions(scene: Scene, { wanted }: Wish, isFirst: boolean): Action[] {
  const { chance } = scene;
  if (scene.hasMistakes && isFirst) return [{ do: 'undo' }];
  if (chance.often(0.5)) {
    const wish = chance.maybe(proposals.filter(({ tag }) => wanted.has(tag)));
    const actions = wish === undefined ? [] : propose(scene, wish);
    if (actions.length > 0) return actions;
  }
  const proposal = chance.weighed(proposals.map((one) => [one.weight, one] as const));
  return proposal === undefined ? [] : propose(scene, proposal);
}

/** The run that ends a step; sometimes things go wrong in it. */
export function nextRun(scene: Scene, { wanted }: Wish): Action {
  const { chance } = scene;
  const wish = chance.maybe(Object.keys(troubles).filter((tag) => wanted.has(tag)));
  const any = chance.weighed(Object.entries(troubles).map(([name, [weight]]) => [weight, name] as const));
  const tag = wish !== undefined && chance.often(0.6) ? wish : chance.often(0.3) ? any : undefined;
  const trouble = tag === undefined ? undefined : troubles[tag]?.[1](scene);
  if (tag !== undefined && trouble !== undefined) return { do: 'run', trouble, tags: [tag] };
  const often = (name: string, otherwise: number): boolean =>
    chance.often(wanted.has(name) ? 0.4 : otherwise);
  if (often('write-secrets', 0.05))
    return { do: 'run', options: { writeSecrets: true }, tags: ['write-secrets'] };
  if (often('destroy', 0.04))
    return { do: 'run', destroy: true, options: { maxDeletes: 100 }, tags: ['destroy'] };
  return { do: 'run' };
}
