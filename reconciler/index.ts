/** Planning and applying: the flow from manifests and ledger to what they ask for. */
export * from './apply';
export * from './drift/drift';
export { driftOf } from './drift/drift-of';
export type { PlanInputs } from './inputs';
export * from './ledger/ledger';
export { LedgerMismatch, type MadePlan, type MakePlanOptions, makePlan } from './make-plan';
export * from './plan/plan';
export { type DigestedPlan, planDigest } from './plan-digest';
export { OrganizationUnseen } from './unseen';
