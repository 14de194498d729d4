/** The library: the functions the command line is made of. Importing it does nothing. */

export type { Api, OAuthClientDocument, ReadApi, RunTriggerDocument } from './client/api';
export { createClient, createReadOnlyClient, type StepwiseApi } from './client/client';
export {
  AnswerLost,
  ApiError,
  type ApiErrorContext,
  BadAnswer,
  BadOption,
  Conflict,
  type ErrorDetail,
  Forbidden,
  Invalid,
  NotFound,
  NotSent,
  OperationalError,
  type Outcome,
  RateLimited,
  ReadOnly,
  ServerError,
  Unauthorized,
} from './client/errors';
export type { ClientEvent, ClientOptions } from './client/options';
export type { DesiredEntry, ExactSet, Manifests } from './manifest/desired';
export { renderIssues } from './manifest/issues';
export {
  parseManifest,
  type ReadManifests,
  type ReadOptions,
  readAgain,
  readManifests,
} from './manifest/read';
export { type JsonSchema, manifestSchema } from './manifest/schema';
export { type Observation, type Observed, observationOf } from './observation/evidence';
export { observe } from './observation/observe';
export {
  type ApplyOptions,
  type ApplyResult,
  applyPlan as apply,
  neededSecrets,
  PlanBlocked,
} from './reconciler/apply/apply';
export { type DriftReport, driftOf as drift } from './reconciler/drift';
export { LedgerError } from './reconciler/ledger/disk';
export type { Ledger } from './reconciler/ledger/ledger';
export { inspectLedger, type OpenOptions, openLedger } from './reconciler/ledger/open';
export type { OpenLedger } from './reconciler/ledger/state';
export {
  LedgerMismatch,
  type MadePlan,
  type MakePlanOptions,
  makePlan as plan,
  OrganizationNotVisible,
} from './reconciler/make-plan';
export { lookUpNames, nameLists } from './reconciler/names';
export type { PlanInputs } from './reconciler/plan/context';
export type { Plan, PlanOptions, Step } from './reconciler/plan/plan';
export { type DigestedPlan, planDigest } from './reconciler/plan-digest';
export { renderApplySummary } from './reconciler/render/apply-summary';
export { renderDrift } from './reconciler/render/drift';
export { renderPlan } from './reconciler/render/plan';
export type { Issue, Position } from './resources/kind';
export { type Profile, ProfileError, readProfile } from './resources/profile';
export { type ResolvedSecrets, resolveSecrets } from './resources/secrets';
