/** Applying a plan. */
export { type ApplyOptions, applyPlan, PlanStopped } from './apply';
export type { ApplyResult } from './result';
export type { Digests } from './run';
export { JournalFailed } from './running-ledger';
export { neededSecrets } from './secret-values';
