/** Plays courses: made up from a seed as they go, or again from the list of what happened in one. */
import type { Action } from './actions';
import { Broken } from './broken';
import { Chance } from './chance';
import { Course, libraryTool, type MakeTool } from './course';
import { conditionsFor, countFor, nextActions, nextRun } from './generate';
import { playRound } from './round';
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
  readonly broken?: Broken;
}

/** What every thing that goes wrong becomes: a fault of the driver breaks a course as well. */
function brokenBy(error: unknown): Broken {
  if (error instanceof Broken) return error;
  return new Broken('the driver itself', error instanceof Error ? `${error.stack}` : String(error));
}

async function perform(course: Course, action: Action): Promise<boolean> {
  if ('do' in action && action.do === 'run') {
    await playRound(course, action);
    return true;
  }
  return course.perform(action);
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
  const actions: Action[] = [];
  const tags = new Set<string>(wish.met);
  const play = async (action: Action): Promise<void> => {
    actions.push(action);
    if (!(await perform(course, action))) return;
    for (const tag of action.tags ?? []) {
      tags.add(tag);
      wish.wanted.delete(tag);
    }
  };
  try {
    for (let step = 0; step < steps; step += 1) {
      const count = countFor(chance, step);
      for (let left = count; left > 0; left -= 1) {
        for (const action of nextActions(await course.scene(chance), wish, left === count))
          await play(action);
      }
      await play(nextRun(await course.scene(chance), wish));
    }
    return { seed, conditions, actions, tags };
  } catch (error) {
    return { seed, conditions, actions, tags, broken: brokenBy(error) };
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
