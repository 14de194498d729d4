/** Limits the losses of several plans together. A changed template is a mistake that hits all folders at once. Pure. */
import type { Plan } from './plan/plan';

/**
 * Returns a plan that was made without `maxDeletes`, as one of several. That number lifts the limit of a folder, but not a limit of 0, and
 * not if the folder alone loses more than that: it is blocked then, and does not stop the others.
 */
export function liftLimit(plan: Plan, maxDeletes = 0): Plan {
  const { count, limit } = plan.losses;
  const blockers = plan.blockers.flatMap((blocker) => {
    if (blocker.rule !== 'losses') return [blocker];
    if (limit > 0 && maxDeletes >= count) return [];
    return [{ ...blocker, remedy: `${blocker.remedy}, in a command for this folder alone` }];
  });
  return { ...plan, blockers };
}

/** Compares the losses of all plans that would be applied with the largest limit of one of them. `maxDeletes` takes its place. */
export function limitTogether(
  plans: readonly Plan[],
  maxDeletes: number | undefined,
): Pick<Plan, 'blockers' | 'notes'> {
  // A folder that has nothing to do lends the others no limit.
  const applied = plans.filter(({ blockers, steps }) => blockers.length === 0 && steps.length > 0);
  const all = applied.map(({ losses }) => losses);
  const sum = all.reduce((total, { count }) => total + count, 0);
  const maxLimit = Math.max(0, ...all.map(({ limit }) => limit));
  const limit = maxDeletes ?? maxLimit;
  if (sum > limit) {
    const why =
      maxDeletes === undefined ? `the largest limit of one folder is ${limit}` : `the limit is ${limit}`;
    const message = `These plans together have ${sum} losses (deletions, and managed objects missing), and ${why}. Make sure that the manifests and the service are the right ones.`;
    return { blockers: [{ rule: 'losses', message, remedy: `--max-deletes ${sum}` }], notes: [] };
  }
  const isNeeded = sum > maxLimit || plans.some(({ losses }) => losses.count > losses.limit);
  return { blockers: [], notes: isNeeded ? [] : unneededFlag(limit, maxLimit) };
}

/** Notes a `--max-deletes` that is not needed, because it would allow a later loss. */
function unneededFlag(maxDeletes: number, limit: number): Plan['notes'] {
  if (maxDeletes <= limit) return [];
  const address = `--max-deletes ${maxDeletes}`;
  const message = `${address} is above the limit of ${limit}, and nothing here needs it. Remove it (in CI, the variable TETHER_MAX_DELETES), or a later plan may delete as much unasked.`;
  return [{ address, message }];
}
