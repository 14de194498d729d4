/** The JSON documents of `--json` and reports. `schemas/output.schema.json` and its reference are made from these types. */
import type { TriggerGraph } from '../manifest/graph';
import type { ApplyResult } from '../reconciler/apply/apply';
import type { DriftReport } from '../reconciler/drift';
import type { Ledger } from '../reconciler/ledger/ledger';
import type { Plan } from '../reconciler/plan/plan';
import type { summarize } from '../reconciler/render/summary';
import type { existingOf } from '../reconciler/survey';
import type { FieldValues, Found, Issue } from '../resources/kind';
import type { SecretFailure } from '../resources/secrets';
import type { ExitCode } from './call';

/** What stands in every document besides. */
export interface Head {
  /** Of the form of all documents. It changes when a member goes or gets another meaning. */
  readonly version: 1;
  /** All its words: `ledger show`. */
  readonly command: string;
  readonly exitCode: ExitCode;
}

interface PlanSummary extends ReturnType<typeof summarize> {}

export interface PlanDocument {
  readonly summary: PlanSummary;
  /** For `apply --expect`. */
  readonly digest: string;
  readonly plan: Plan;
}

interface ApplyDocument extends PlanDocument {
  /** Absent where nothing was begun. */
  readonly result?: ApplyResult;
}

/** An object that the manifests or the ledger name. */
export type Shown = { readonly address: string; readonly kind: string } & (
  | ({ readonly state: 'present' } & Found)
  | { readonly state: 'missing' | 'unknown'; readonly why: string }
);

interface Left {
  /** Or the owner of a list that cannot be read. */
  readonly address: string;
  readonly why: string;
}

export interface ExportResult {
  readonly organization: string;
  /** Written by this run. */
  readonly files: readonly string[];
  /** Managed from now on. */
  readonly adopted: readonly {
    readonly kind: string;
    readonly address: string;
    readonly objectId: string;
    readonly name?: FieldValues[string] | undefined;
  }[];
  readonly leftOut: readonly Left[];
  /** By folder of the same repository, how many objects its ledger holds. */
  readonly elsewhere: readonly { readonly folder: string; readonly objects: number }[];
  /** Around which triggers were looked for. */
  readonly workspaces: number;
  /** They are all that the token can list, and those that something names. */
  readonly allListed: boolean;
  /** Steps that a plan still has, since manifests and service differ. */
  readonly remaining: number;
  readonly problems: number;
}

/** What a command tells when it has done its work, whatever its exit code. */
export interface Documents {
  readonly validate: {
    readonly issues: readonly Issue[];
    readonly files: readonly string[];
    /** Declared. */
    readonly objects: number;
  };
  readonly plan: PlanDocument;
  readonly apply: ApplyDocument;
  readonly destroy: ApplyDocument;
  readonly drift: { readonly drift: DriftReport & { readonly existing: ReturnType<typeof existingOf> } };
  readonly show: { readonly objects: readonly Shown[] };
  readonly export: { readonly export: ExportResult };
  readonly graph: { readonly graph: TriggerGraph; readonly notes: readonly string[] };
  readonly 'ledger show': { readonly file: string; readonly ledger: Ledger };
  readonly 'ledger unlock': { readonly done: readonly string[] };
}

/** What a command tells that could not do its work; with `stale-plan` the plan of now. */
export interface ErrorDocument extends Partial<PlanDocument> {
  readonly error: { readonly code: string; readonly message: string };
  /** With `invalid-manifests` and `ledger-mismatch`. */
  readonly issues?: readonly Issue[];
  readonly missingSecrets?: readonly SecretFailure[];
}
