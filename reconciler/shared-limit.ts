/** Limits the losses of several plans together. A changed template is a mistake that hits all folders at once. Pure. */
import { counted } from '../resources/names';
import { noteUnneededFlag } from './plan/guards';
import type { Blocker, Plan } from './plan/plan';

/** A folder of the command and its plan, which was made without `maxDeletes`. */
export interface FolderPlan {
  readonly path: string;
  readonly plan: Plan;
}

/** The blockers and notes of all folders together. None is about one folder alone. */
export interface SharedFindings {
  readonly blockers: readonly SharedBlocker[];
  readonly notes: Plan['notes'];
}

interface SharedBlocker extends Blocker {
  /** The folders with losses, those with most first. */
  readonly folders: readonly { readonly folder: string; readonly losses: number }[];
}

/** A message names at most so many folders. */
const maxNamedFolders = 6;

/**
 * Returns a plan that was made without `maxDeletes`, as one of several. If the folder's own losses are at most that number, they no longer
 * block it. A limit of 0 always blocks, because nobody meant a number for the sum as a permission to delete everything of one folder. A
 * blocked folder does not stop the others.
 */
export function liftLimit(plan: Plan, maxDeletes = 0): Plan {
  const { count, limit } = plan.losses;
  const blockers = plan.blockers.flatMap((blocker) => {
    if (blocker.rule !== 'losses') return [blocker];
    if (limit > 0 && maxDeletes >= count) return [];
    const more = limit === 0 ? '' : ', or here a number for the losses of all folders';
    return [{ ...blocker, remedy: `${blocker.remedy} in a command for this folder alone${more}` }];
  });
  return { ...plan, blockers };
}

/** Compares the losses of all plans that would be applied with the largest limit of one of them. `maxDeletes` takes its place. */
export function limitSharedLosses(
  folders: readonly FolderPlan[],
  maxDeletes: number | undefined,
): SharedFindings {
  // The limit of a folder that changes nothing does not count, because its losses do not either.
  const applicable = folders.filter(
    ({ plan: { blockers, steps } }) => blockers.length === 0 && steps.length > 0,
  );
  const sum = applicable.reduce((total, { plan }) => total + plan.losses.count, 0);
  const maxLimit = Math.max(0, ...applicable.map(({ plan }) => plan.losses.limit));
  const limit = maxDeletes ?? maxLimit;
  if (sum <= limit) {
    const isNeeded = sum > maxLimit || folders.some(({ plan: { losses } }) => losses.count > losses.limit);
    return { blockers: [], notes: isNeeded ? [] : noteUnneededFlag(limit, maxLimit) };
  }
  const losing = applicable
    .map(({ path, plan }) => ({ folder: path, losses: plan.losses.count }))
    .filter(({ losses }) => losses > 0)
    .sort((left, right) => right.losses - left.losses);
  const why =
    maxDeletes === undefined ? `the largest limit of one folder is ${limit}` : `the limit is ${limit}`;
  const blocked = folders.filter(({ plan }) => plan.blockers.length > 0).map(({ path }) => path);
  const message = [
    ...(blocked.length === 0
      ? []
      : [`First resolve what blocks ${listFolders(blocked)}, whose losses are not counted here.`]),
    `These plans together have ${sum} losses (deletions, and managed objects missing), and ${why}: ${listFolders(losing.map(({ folder, losses }) => `${folder} (${losses})`))}.`,
    'Check first what these folders share, such as a template. If all of this is meant, add the flag, or apply one folder after the other.',
  ].join(' ');
  return {
    blockers: [{ rule: 'losses', message, remedy: `--max-deletes ${sum}`, folders: losing }],
    notes: [],
  };
}

function listFolders(folders: readonly string[]): string {
  const moreCount = folders.length - maxNamedFolders;
  const first = folders.slice(0, maxNamedFolders).join(', ');
  return moreCount > 0 ? `${first} and ${counted(moreCount, 'more folder')}` : first;
}
