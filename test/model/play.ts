/** Plays courses from a seed, or again from the record of one. */
import type { Action, Run } from './actions';
import { Broken } from './broken';
import { Chance } from './chance';
import { Course, isRun, type Scene } from './course';
import { addressNames } from './manifests';
import { profiles } from './organization';
import { approve, editProposals } from './propose-edits';
import type { Proposal } from './propose-links';
import { troubles, worldProposals } from './propose-world';
import { allNames } from './reality';
import { playRound } from './round';
import type { Conditions } from './site';

/** A course that can be played again. */
export interface Recorded {
  readonly conditions: Conditions;
  readonly actions: readonly Action[];
}

export interface Played extends Recorded {
  readonly seed: number;
  /** The kinds of events in it. */
  readonly tags: ReadonlySet<string>;
  readonly broken?: Broken;
}

/** Behaviours of the service that hold for a whole course. */
const traits: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'late-create': { 'create-hidden-ms': '3600000' },
  'late-delete': { 'delete-visible-ms': '3600000' },
  shuffled: { 'list-order': 'random' },
  'duplicates-accepted': { 'duplicate-trigger': 'accept' },
  'duplicates-conflict': { 'duplicate-trigger': '409' },
  'attach-again-refused': { 'attach-again': '422' },
  'pool-cleared': { 'patch-without-agent-pool': 'clear' },
  'trigger-lock': { 'trigger-lock': '409' },
  'rate-limit': { 'rate-limit': 'token-bucket', rate: '30' },
};

/** Every error breaks a course, even one of the driver. */
function brokenBy(error: unknown): Broken {
  if (error instanceof Broken) return error;
  return new Broken('the driver itself', error instanceof Error ? `${error.stack}` : String(error));
}

async function perform(course: Course, action: Action): Promise<boolean> {
  // The action is copied, because later edits change values that earlier ones put into the folder.
  if (!isRun(action)) return course.perform(structuredClone(action));
  await playRound(course, action);
  return true;
}

const proposals: readonly Proposal[] = [...editProposals, ...worldProposals];

/** Makes up a course as it goes, and keeps what happened. */
class Maker {
  readonly actions: Action[] = [];
  readonly tags = new Set<string>();

  constructor(
    private readonly course: Course,
    private readonly chance: Chance,
  ) {}

  /** Plays one step: some things that happen, and a run. */
  async step(at: number): Promise<void> {
    const { chance, course } = this;
    if (course.hasMistakes(course.folder, allNames))
      await this.#play({ tag: 'undone', actions: [{ do: 'undo' }] });
    // Mostly what was made is not young any more.
    if (chance.often(0.75))
      await this.#play({ tag: 'time', actions: [{ do: 'time', milliseconds: 180_000 }] });
    const count = at === 0 ? 4 + chance.below(4) : chance.below(4);
    for (let left = count; left > 0; left -= 1) await this.#happen();
    if (chance.often(0.65)) await this.#play({ tag: 'approved', actions: approve(this.#scene()) });
    if (course.isElsewhere(course.folder) && chance.often(0.6))
      await this.#play({ tag: 'address-back', actions: [this.#ownAddress()] });
    const { rights } = course.site.gateway;
    if (rights !== 'owner' && chance.often(0.3))
      await this.#play({ tag: 'rights', actions: [{ do: 'rights', rights: 'owner' }] });
    await this.#play(this.#nextRun());
  }

  #scene(): Scene {
    return this.course.scene(this.chance);
  }

  /** A proposal without an occasion is replaced by another one, because otherwise little happens. */
  async #happen(): Promise<void> {
    for (let tries = 0; tries < 4; tries += 1) {
      const proposal = this.chance.weighed(proposals.map((proposal) => [proposal.weight, proposal] as const));
      const actions = proposal?.propose(this.#scene()) ?? [];
      if (proposal === undefined || actions.length === 0) continue;
      await this.#play({ tag: proposal.tag, actions });
      return;
    }
  }

  /** Turns to the service of the ledger. */
  #ownAddress(): Action {
    const { site } = this.course;
    const { address } = this.course.ledger();
    return { do: 'address', name: addressNames.find((name) => site.urlOf(name) === address) ?? 'first' };
  }

  /** Edits that contradict the others by accident are mostly taken back, as if nobody had made them. */
  async #play({ tag, actions }: { tag: string; actions: readonly Action[] }): Promise<void> {
    const { course } = this;
    const before = structuredClone(course.folder);
    for (const action of actions) {
      this.actions.push(action);
      const happened = await perform(course, action);
      if (happened) this.tags.add(tag);
    }
    const spoils =
      !course.hasMistakes(before, allNames) &&
      course.hasMistakes(course.folder, allNames) &&
      tag !== 'other-organization';
    if (!spoils || this.chance.often(0.04)) return;
    course.folder = before;
    for (const action of actions) if ('edit' in action) this.actions.splice(this.actions.indexOf(action), 1);
  }

  /** The run that ends a step; sometimes things go wrong in it. */
  #nextRun(): { tag: string; actions: Run[] } {
    const { chance, course } = this;
    const { open } = course;
    const limit = open.losses && chance.often(0.7) ? { maxDeletes: 100 } : {};
    const [, tag = '', think] =
      chance.weighed(troubles.map((trouble) => [trouble[0], trouble] as const)) ?? [];
    if (chance.often(0.35) && course.site.gateway.rights === 'owner') {
      const trouble = think?.(this.#scene());
      if (trouble !== undefined) return { tag, actions: [{ do: 'run', trouble, ...limit }] };
    }
    if (open.approvals.length > 0 && chance.often(0.3)) {
      // The plan is reviewed without the approvals, and they are given later.
      const between = approve(this.#scene()).flatMap((action) => (isRun(action) ? [] : [action]));
      return { tag: 'approved-later', actions: [{ do: 'run', between, ...limit }] };
    }
    if (chance.often(0.06)) {
      const between = chance.pick(proposals).propose(this.#scene()) ?? [];
      const happenings = between.flatMap((action) => (isRun(action) ? [] : [action]));
      return { tag: 'reviewed', actions: [{ do: 'run', between: happenings, ...limit }] };
    }
    if (chance.often(0.03))
      return { tag: 'destroy', actions: [{ do: 'run', destroy: true, maxDeletes: 100 }] };
    return { tag: 'run', actions: [{ do: 'run', ...limit }] };
  }
}

function conditionsFor(chance: Chance): { conditions: Conditions; tags: readonly string[] } {
  const profile = chance.pick(profiles);
  const chosen = Object.keys(traits).filter((tag) => chance.often(tag.startsWith('late') ? 0.07 : 0.1));
  const behaviours = Object.assign({}, ...chosen.map((tag) => traits[tag])) as Record<string, string>;
  return {
    conditions: { profile, behaviours, concurrency: chance.pick([1, 1, 4]) },
    tags: [`profile-${profile}`, ...chosen],
  };
}

/** Makes up and plays the course of a seed. */
export async function playSeed(seed: number, steps: number): Promise<Played> {
  const chance = new Chance(seed);
  const { conditions, tags } = conditionsFor(chance);
  const course = await Course.begin(conditions);
  const maker = new Maker(course, chance);
  const played = { seed, conditions, actions: maker.actions, tags: maker.tags };
  for (const tag of tags) maker.tags.add(tag);
  try {
    for (let step = 0; step < steps; step += 1) await maker.step(step);
    return played;
  } catch (error) {
    return { ...played, broken: brokenBy(error) };
  } finally {
    await course.end();
  }
}

/** Plays a record. It skips actions that no longer apply. */
export async function playAgain({ conditions, actions }: Recorded): Promise<Broken | undefined> {
  const course = await Course.begin(conditions);
  try {
    for (const action of actions) await perform(course, action);
    return undefined;
  } catch (error) {
    return brokenBy(error);
  } finally {
    await course.end();
  }
}
