/** Applying a plan. */
export { type ApplyOptions, applyPlan, PlanStopped } from './apply';
export { JournalFailed, type JournalSink } from './book';
export type { ApplyEvent, ApplyResult, StepResult, StepStatus } from './result';
export type { Digests } from './run';
export { neededSecrets, type SecretValues } from './secret-values';
