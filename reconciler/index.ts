/** Planning and applying: the flow from manifests and ledger to what they ask for. */
export * from './apply/apply';
export * from './drift';
export * from './ledger/ledger';
export {
  LedgerMismatch,
  type MadePlan,
  type MakePlanOptions,
  makePlan,
  OrganizationUnseen,
} from './make-plan';
export * from './plan/plan';
export { type DigestedPlan, planDigest } from './plan-digest';
