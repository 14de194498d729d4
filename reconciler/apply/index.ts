/** Applying a plan. */
export { type ApplyOptions, applyPlan, PlanStopped } from './apply';
export { JournalFailed, type JournalSink } from './book';
export type { ApplyResult } from './result';
export type { Digests } from './run';
export { neededSecrets } from './secret-values';
