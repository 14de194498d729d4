/** Makes the plan of one folder, and the result of a command that leaves it at that. */
import type { ReadApi } from '../client/api';
import { type MadePlan, makePlan } from '../reconciler/make-plan';
import { shownAction } from '../reconciler/plan/plan';
import { planReport, planSummary } from '../reconciler/render/plan';
import type { Report } from '../reconciler/render/report';
import { liftLimit } from '../reconciler/shared-limit';
import { groupBy } from '../resources/groups';
import type { Call } from './call';
import { numberVariable } from './flags';
import { type OpenFolder, withLock } from './open-folder';
import { type FolderResult, firstReason, toReasons } from './results';

/** Returns the number of losses that the user allows. It is for all folders of a command together. */
export function readMaxDeletes(call: Call): number | undefined {
  const variable = numberVariable(call, 'TETHER_MAX_DELETES', 'whole');
  return call.flags.maxDeletes ?? variable;
}

/** A plan, and the result of a command that leaves it at that. */
export interface PlannedFolder<Client extends ReadApi> extends MadePlan {
  readonly folder: OpenFolder<Client>;
  readonly result: FolderResult & { readonly report: Report };
}

export async function planFolder<Client extends ReadApi>(
  call: Call,
  folder: OpenFolder<Client>,
  isSeveral: boolean,
): Promise<PlannedFolder<Client>> {
  const { env, signal } = call.io;
  const maxDeletes = readMaxDeletes(call);
  const destroy = call.command === 'destroy';
  const options = { ...folder, env, signal, destroy, ...(isSeveral ? {} : { maxDeletes }) };
  const made = await call.untilInterrupted('Reading', () => makePlan(options));
  const plan = withLock(isSeveral ? liftLimit(made.plan, maxDeletes) : made.plan, folder);
  const { digest } = made;
  const { problems, unknown, blockers } = plan;
  const byAction = [...groupBy(plan.steps, shownAction)];
  const counts = Object.fromEntries(byAction.map(([action, { length }]) => [action, length]));
  const isIncomplete = unknown.length + problems.length > 0;
  const blockedOutcome = isIncomplete ? 'blocked' : 'refusable';
  const openOutcome = isIncomplete ? 'incomplete' : plan.steps.length > 0 ? 'planned' : 'done';
  const result = {
    outcome: blockers.length > 0 ? blockedOutcome : openOutcome,
    summary: planSummary(plan),
    reason: firstReason([...toReasons(blockers), ...problems, ...unknown]),
    lock: folder.lock,
    document: { counts, digest, plan },
    report: planReport(plan, digest, folder.naming),
  } as const;
  return { ...made, plan, folder, result };
}
