/** Thinks of what happens next: the variations whose turn it is with this seed are brought about one by one, and chance adds others. */
import type { Action, Trouble } from './actions';
import { Chance } from './chance';
import { clearTheWay, directiveProposals } from './propose-directives';
import { addClient, entryProposals, replaceClient } from './propose-entries';
import { fileProposals } from './propose-files';
import { needCreate, troubles } from './propose-trouble';
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

/** What a run can be asked for besides a trouble. */
const runTags = ['write-secrets', 'destroy', 'digest-holds', 'digest-stale'] as const;

/** The variations that a course is still to bring about, and those that its conditions brought already. */
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
  ...runTags,
];

/** All pairs, in an order that brings unlike ones together. */
const pairs: readonly Pair[] = new Chance(1).shuffled(pairsOf(variations));
const pairsOfCourse = 6;

/** What holds for the whole course, and what it is to bring together: the pairs whose turn it is with this seed. */
export function conditionsFor(seed: number, chance: Chance): { conditions: Conditions; wish: Wish } {
  const turn = Array.from(
    { length: pairsOfCourse },
    (_, at) => pairs[(seed * pairsOfCourse + at) % pairs.length] ?? [],
  );
  const wanted = new Set(turn.flat());
  const profile = profiles.find((name) => wanted.has(profileTag(name))) ?? chance.pick(profiles);
  const chosen = Object.keys(traits).filter((tag) => wanted.has(tag) || chance.often(0.12));
  const isLate = chosen.some((tag) => tag.startsWith('late-'));
  if (wanted.has('time-passes') && !isLate) chosen.push(chance.pick(['late-create', 'late-delete']));
  const behaviours = Object.assign({}, ...chosen.map((tag) => traits[tag])) as Record<string, string>;
  const isAccepted = behaviours['duplicate-trigger'] === 'accept';
  const met = new Set([profileTag(profile), ...chosen]);
  if (met.has('duplicates-accepted') && met.has('duplicates-conflict')) {
    met.delete(isAccepted ? 'duplicates-conflict' : 'duplicates-accepted');
  }
  for (const tag of [...wanted])
    if (met.has(tag) || tag.startsWith('profile-') || tag in traits) wanted.delete(tag);
  return { conditions: { profile, behaviours, concurrency: chance.pick([1, 8]) }, wish: { wanted, met } };
}

/** Tags of variations for which manifests are refused. */
export const mistakeTags: ReadonlySet<string> = new Set(
  proposals.filter(({ mistake }) => mistake).map(({ tag }) => tag),
);
/** Tags of what holds whatever becomes of the manifests. */
export const worldTags: ReadonlySet<string> = new Set(worldProposals.map(({ tag }) => tag));

/** What a step is for. */
export interface Aims {
  readonly proposals: readonly Proposal[];
  /** Something about its run, by tag. */
  readonly run: string | undefined;
}

/** What of the wanted a step is to bring about, when so many steps are left, this one among them. */
export function aimsOf({ chance }: Scene, { wanted }: Wish, left: number): Aims {
  const runs = [...wanted].filter((tag) => tag in troubles || runTags.some((one) => one === tag));
  const here = chance.shuffled(proposals.filter(({ tag }) => wanted.has(tag)));
  const mistakes = here.filter(({ mistake }) => mistake);
  const sound = here.filter(({ mistake }) => !mistake);
  const room = left - (mistakes.length > 0 ? 1 : 0);
  const run = runs.length >= room || chance.often(0.6) ? chance.maybe(runs) : undefined;
  const share = sound.slice(0, Math.ceil(sound.length / Math.max(1, left - 1)) + 1);
  const isForMistakes = run === undefined && mistakes.length > 0 && (left <= 2 || chance.often(0.5));
  return { proposals: isForMistakes ? [...share, ...mistakes] : share, run };
}

/** A number of tries, because a choice may hit what does not fit. */
const tries = 5;

function propose(scene: Scene, { tag, propose: think }: Proposal): Action[] {
  for (let left = tries; left > 0; left -= 1) {
    const actions = think(scene) ?? [];
    if (actions.length > 0) return actions.map((action) => ({ ...action, tags: action.tags ?? [tag] }));
  }
  return [];
}

/** The actions of the proposal, or of the one that makes the occasion for it; nothing where that has none either. */
export function actionsFor(scene: Scene, proposal: Proposal): Action[] {
  const actions = propose(scene, proposal);
  if (actions.length > 0) return actions;
  const first = proposals.find(({ tag }) => tag === proposal.first);
  return first === undefined ? [] : actionsFor(scene, first);
}

/** How many things happen by chance before the run of a step. */
export function countFor(chance: Chance, step: number): number {
  return step === 0 ? 3 + chance.below(4) : chance.below(3);
}

/** Something that happens by chance; nothing where there is no occasion for it. */
export function chanceActions(scene: Scene): Action[] {
  const { chance } = scene;
  const usual = proposals.filter(({ mistake }) => !mistake || chance.often(0.3));
  const proposal = chance.weighed(usual.map((one) => [one.weight, one] as const));
  return proposal === undefined ? [] : propose(scene, proposal);
}

/** What an apply would do now. */
export interface Forecast {
  readonly writes: number;
  readonly creates: number;
}

/** What is still missing for the trouble that a run is to meet: a free way, and something to write. */
export function preparation(scene: Scene, run: string, { writes, creates }: Forecast): Action[] {
  if (scene.open.blockers.length > 0 || scene.rights !== 'owner') return clearTheWay(scene);
  const isEnough = needCreate.includes(run) ? creates > 0 : writes > 0;
  if (isEnough) return [];
  const added = addClient(scene);
  if (added !== undefined) return added.map((action) => ({ ...action, tags: ['client-added'] }));
  return (replaceClient(scene, true) ?? []).map((action) => ({ ...action, tags: ['client-replaced'] }));
}

/** The same trouble so early that it comes to pass: what is wanted is not left to chance. */
function early(trouble: Trouble, { writes, creates }: Forecast): Trouble {
  const within = (nth: number, most: number): number => 1 + ((nth - 1) % Math.max(1, Math.min(3, most)));
  switch (trouble.trouble) {
    case 'rights':
      return { ...trouble, from: within(trouble.from, 3), until: within(trouble.from, 3) + trouble.until };
    case 'treat':
    case 'interrupt': {
      const which = trouble.which === 'create-client' && creates === 0 ? 'write' : trouble.which;
      const most = { request: 3, write: writes, 'create-client': creates }[which];
      return { ...trouble, which, nth: within(trouble.nth, most) };
    }
    case 'kill':
      return { ...trouble, nth: within(trouble.nth, trouble.at === 'write' ? writes : 2) };
    case 'deed':
    case 'second-run':
    case 'other-clone':
      return { ...trouble, nth: within(trouble.nth, 2) };
    default:
      return trouble;
  }
}

/** What happens between a review and its apply: mostly something that changes the plan. */
const inBetween = proposals.filter(({ tag }) =>
  ['single-trigger', 'client-added', 'client-edited', 'hand-trigger', 'hand-destroy'].includes(tag),
);

/** The run that ends a step; sometimes things go wrong in it. */
export function nextRun(scene: Scene, run: string | undefined, forecast: Forecast): Action {
  const { chance } = scene;
  const any = chance.weighed(Object.entries(troubles).map(([name, [weight]]) => [weight, name] as const));
  const tag = run ?? (chance.often(0.15) ? any : undefined);
  const trouble = tag === undefined ? undefined : troubles[tag]?.[1](scene);
  if (tag !== undefined && trouble !== undefined) {
    return { do: 'run', trouble: run === undefined ? trouble : early(trouble, forecast), tags: [tag] };
  }
  if (run === 'digest-holds' || chance.often(0.03))
    return { do: 'run', review: { holds: true }, tags: ['digest-holds'] };
  if (run === 'digest-stale' || chance.often(0.02)) {
    const [between] = propose(scene, chance.pick(inBetween));
    if (between !== undefined && (!('do' in between) || between.do !== 'run'))
      return { do: 'run', review: { between }, tags: ['digest-stale'] };
  }
  if (run === 'write-secrets' || chance.often(0.03))
    return { do: 'run', options: { writeSecrets: true }, tags: ['write-secrets'] };
  if (run === 'destroy' || chance.often(0.02))
    return { do: 'run', destroy: true, options: { maxDeletes: 100 }, tags: ['destroy'] };
  return { do: 'run' };
}
