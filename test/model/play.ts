/** Plays courses: made up from a seed as they go, or again from the list of what happened in one. */
import type { Action } from './actions';
import { Broken } from './broken';
import { Chance } from './chance';
import { Course, libraryTool, type MakeTool } from './course';
import {
  actionsFor,
  aimsOf,
  chanceActions,
  conditionsFor,
  countFor,
  type Forecast,
  mistakeTags,
  nextRun,
  preparation,
  type Wish,
  worldTags,
} from './generate';
import { foresee, playRound } from './round';
import type { Proposal, Scene } from './scene';
import type { Conditions } from './site';

/** A course that can be played again. */
export interface Recorded {
  readonly conditions: Conditions;
  readonly actions: readonly Action[];
}

export interface Played extends Recorded {
  readonly seed: number;
  /** Variations that occurred, each once. */
  readonly tags: ReadonlySet<string>;
  /** Variations that were wanted and never came to pass. */
  readonly missed: ReadonlySet<string>;
  readonly broken?: Broken;
}

/** What every thing that goes wrong becomes: a fault of the driver breaks a course as well. */
function brokenBy(error: unknown): Broken {
  if (error instanceof Broken) return error;
  return new Broken('the driver itself', error instanceof Error ? `${error.stack}` : String(error));
}

/** Makes up a course as it goes, and keeps what happened and which variations came to pass. */
class Maker {
  readonly actions: Action[] = [];
  readonly tags: Set<string>;
  /** Of this step, until its run has shown what became of them. */
  #waiting: string[] = [];

  constructor(
    private readonly course: Course,
    private readonly chance: Chance,
    private readonly wish: Wish,
  ) {
    this.tags = new Set(wish.met);
  }

  /** Plays one step: what it is for, what chance adds, and a run. */
  async step(at: number, steps: number): Promise<void> {
    const { chance, wish } = this;
    this.#waiting = [];
    const scene = await this.#scene();
    if (scene.hasMistakes) await this.#play([{ do: 'undo' }]);
    const aims = aimsOf(scene, wish, steps - at);
    for (let left = countFor(chance, at); left > 0; left -= 1) {
      await this.#play(chanceActions(await this.#scene()));
    }
    for (const aim of aims.proposals) await this.#bringAbout(aim);
    const forecast = await this.#prepare(aims.run);
    const run = nextRun(await this.#scene(), aims.run, forecast);
    this.actions.push(run);
    const { refused, asAsked } = await playRound(this.course, run as Run);
    const isKept = (tag: string): boolean => !refused || mistakeTags.has(tag) || worldTags.has(tag);
    const met = [...this.#waiting.filter(isKept), ...(asAsked ? (run.tags ?? []) : [])];
    for (const tag of met) {
      this.tags.add(tag);
      wish.wanted.delete(tag);
    }
  }

  #scene(): Promise<Scene> {
    return this.course.scene(this.chance);
  }

  /** A few tries: what makes the occasion first, and then the thing itself. */
  async #bringAbout(aim: Proposal): Promise<void> {
    for (let left = 4; left > 0 && !this.#waiting.includes(aim.tag); left -= 1) {
      await this.#play(actionsFor(await this.#scene(), aim));
    }
  }

  /** Sees to it that the run can meet its trouble. */
  async #prepare(run: string | undefined): Promise<Forecast> {
    let forecast = { writes: 0, creates: 0 };
    if (run === undefined || this.course.hasMistakes()) return forecast;
    for (let left = 4; left > 0; left -= 1) {
      forecast = await foresee(this.course);
      const actions = preparation(await this.#scene(), run, forecast);
      if (actions.length === 0) break;
      await this.#play(actions);
    }
    return forecast;
  }

  /** Edits that contradict the others by accident are mostly taken back, as if nobody had made them. */
  async #play(actions: readonly Action[]): Promise<void> {
    const { course } = this;
    const before = structuredClone(course.folder);
    // Also what changed nothing to be seen may be needed to play the course again.
    const tags: string[] = [];
    for (const action of actions) if (await perform(course, action)) tags.push(...(action.tags ?? []));
    const isMistake = actions.some(({ tags = [] }) => tags.some((tag) => mistakeTags.has(tag)));
    const spoils = !isMistake && !course.hasMistakes(before) && course.hasMistakes();
    if (spoils && this.chance.often(0.95)) {
      course.folder = before;
      this.actions.push(...actions.filter((action) => !('edit' in action)));
      return;
    }
    this.actions.push(...actions);
    this.#waiting.push(...tags);
  }
}

type Run = Extract<Action, { do: 'run' }>;

async function perform(course: Course, action: Action): Promise<boolean> {
  // A copy: later edits change what earlier ones put into the folder, and the record has to stay as it was.
  if (!('do' in action) || action.do !== 'run') return course.perform(structuredClone(action));
  await playRound(course, action);
  return true;
}

/** Makes up and plays the course of a seed. */
export async function playSeed(
  seed: number,
  steps: number,
  makeTool: MakeTool = libraryTool,
): Promise<Played> {
  const chance = new Chance(seed);
  const { conditions, wish } = conditionsFor(seed, chance);
  const course = await Course.begin(conditions, makeTool);
  const maker = new Maker(course, chance, wish);
  const { actions, tags } = maker;
  try {
    for (let step = 0; step < steps; step += 1) await maker.step(step, steps);
    return { seed, conditions, actions, tags, missed: wish.wanted };
  } catch (error) {
    return { seed, conditions, actions, tags, missed: wish.wanted, broken: brokenBy(error) };
  } finally {
    await course.end();
  }
}

/** Plays what was recorded; actions that no longer apply are passed over. */
export async function playAgain(
  { conditions, actions }: Recorded,
  makeTool: MakeTool = libraryTool,
): Promise<Broken | undefined> {
  const course = await Course.begin(conditions, makeTool);
  try {
    for (const action of actions) await perform(course, action);
    return undefined;
  } catch (error) {
    return brokenBy(error);
  } finally {
    await course.end();
  }
}
