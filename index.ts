/** The library: the functions the command line is made of. Importing it does nothing; axios loads with the first request. */

export type { Api, OAuthClientDocument, ReadApi, RunTriggerDocument } from './client/api';
export { createClient, createReadOnlyClient, type StepwiseApi } from './client/client';
export * from './client/errors';
export type { ClientEvent, ClientOptions } from './client/options';
export type { DesiredEntry, ExactSet, Manifests } from './manifest/desired';
export { renderIssues } from './manifest/issues';
export { parseManifest, type ReadManifests, type ReadOptions, readManifests } from './manifest/read';
export { type JsonSchema, manifestSchema } from './manifest/schema';
export type { Observation, Observed } from './observation/evidence';
export { observationOf } from './observation/evidence';
export { observe } from './observation/observe';
export {
  type ApplyOptions,
  type ApplyResult,
  applyPlan as apply,
  type DigestedPlan,
  type DriftReport,
  defaultPlanOptions,
  driftOf as drift,
  type Ledger,
  LedgerMismatch,
  type MadePlan,
  type MakePlanOptions,
  makePlan as plan,
  neededSecrets,
  OrganizationUnseen,
  type Plan,
  type PlanInputs,
  type PlanOptions,
  PlanStopped,
  planDigest,
  type Step,
} from './reconciler';
export { LedgerError } from './reconciler/ledger/disk';
export { inspectLedger, type OpenLedger, type OpenOptions, openLedger } from './reconciler/ledger/open';
export { renderApplySummary, renderDrift, renderPlan } from './reconciler/render';
export type { Issue, Position } from './resources/kind';
export { type Profile, ProfileError, readProfile } from './resources/profile';
export { type ResolvedSecrets, resolveSecrets } from './resources/secrets';
