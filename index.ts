/** The library contains the functions that the command line uses. Importing it has no side effect. */

export type { Api, OAuthClientDocument, ReadApi, RunTriggerDocument } from './client/api';
export { createClient, createReadOnlyClient } from './client/client';
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
export { manifestSchema } from './manifest/schema';
export { findObservation, type Observation, type Observed } from './observation/evidence';
export { lookUpNames } from './observation/names';
export { observe } from './observation/observe';
export { applyPlan as apply, neededSecrets } from './reconciler/apply/apply';
export type { ApplyEvent, ApplyOptions, ApplyResult, StepResult } from './reconciler/apply/run';
export { type DriftReport, detectDrift as drift } from './reconciler/drift';
export { readExisting } from './reconciler/export/existing';
export { emptyLedger, type Ledger } from './reconciler/ledger/ledger';
export { openStore } from './reconciler/ledger/open-store';
export { refuseOtherService } from './reconciler/ledger/same-service';
export { LedgerError, LedgerLocked, type LedgerStore } from './reconciler/ledger/store';
export {
  type MadePlan,
  type MakePlanOptions,
  makePlan as plan,
} from './reconciler/make-plan';
export type { Plan, Step } from './reconciler/plan/plan';
export { OrganizationNotVisible } from './reconciler/read-facts';
export { driftReport } from './reconciler/render/drift';
export { renderMarkdown } from './reconciler/render/markdown';
export { planReport } from './reconciler/render/plan';
export type { Report } from './reconciler/render/report';
export { applyReport } from './reconciler/render/result';
export { renderText } from './reconciler/render/text';
export type { JsonSchema } from './resources/json-schema';
export type { Issue, Position } from './resources/kind';
export { type Profile, ProfileError, readProfile } from './resources/profile';
export { type ResolvedSecrets, resolveSecrets } from './resources/secrets';
