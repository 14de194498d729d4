/** The plan: plain JSON that can be shown, saved, compared and applied. */
import type { DesiredValues, FieldValue, FieldValues, Issue, SecretSource } from '../../resources/kind';

export type Action = 'adopt' | 'create' | 'update' | 'replace' | 'delete' | 'forget' | 'move' | 'cleanup';

export type ReasonCode =
  | 'new'
  | 'gone'
  | 'interrupted'
  | 'manifest-changed'
  | 'changed-elsewhere'
  | 'conflict'
  | 'secret-changed'
  | 'secret-unverified'
  | 'found'
  | 'removed-from-manifest'
  | 'not-in-exact-set'
  | 'duplicate'
  | 'replaced'
  | 'moved'
  | 'already-gone'
  | 'forget-line'
  | 'renamed'
  | 'late-arrival'
  | 'protection-changed'
  | 'destroy';

/** Of secrets only `secret` is set, never a value. */
export interface PlannedChange {
  readonly field: string;
  readonly from?: FieldValue;
  /** Desired; absent where the field is only carried over or let go. */
  readonly to?: FieldValue;
  /** Last applied, where somebody changed it since. */
  readonly baseline?: FieldValue;
  /** Both sides changed it; the manifest wins. */
  readonly conflict?: true;
  readonly secret?: Exclude<SecretState, 'needed'>;
  readonly risk?: string;
  /** For `protect`, which the API does not have. */
  readonly local?: true;
}

export interface Step {
  /** Unique in its plan: `create OAuthClient/github`. */
  readonly id: string;
  readonly action: Action;
  readonly kind: string;
  /** By alias where one exists. Of a move: the new one. */
  readonly address: string;
  /** In the ledger; of a link of a client that has no id yet, the address. */
  readonly key: string;
  /** The key before a move. */
  readonly movedFrom?: string;
  readonly objectId?: string;
  readonly reason: ReasonCode;
  readonly because: string;
  readonly changes: readonly PlannedChange[];
  /** What gets unlinked, a narrower scope, a changed key. */
  readonly risks: readonly string[];
  /** Ids of steps that come before. */
  readonly needs: readonly string[];
  /** What a create, replace or update writes; references by address. */
  readonly inputs: DesiredValues;
  /** Write-only fields to write. */
  readonly secrets: Readonly<Record<string, SecretSource>>;
  /** Of an adoption: the write-only fields that it leaves as they are. */
  readonly unverified?: readonly string[];
  /** All managed readable values once the step is done, for the ledger. */
  readonly managed: DesiredValues;
  /** Readable values at planning time; absent where nothing was there. */
  readonly observed?: FieldValues;
  readonly approval?: {
    readonly action: 'destroy' | 'replace';
    readonly id: string;
    readonly given: boolean;
    readonly line: string;
  };
  /** Only an exact set deletes such an object. */
  readonly unmanaged?: true;
  readonly file: string | null;
  readonly protect: boolean;
}

/** Why `apply` will not start: a missing approval or a guard, with what lifts it. */
export interface Blocker {
  readonly code: 'approval' | 'protected' | 'too-many-deletes' | 'too-many-missing';
  readonly address?: string;
  /** All of it, with the line. */
  readonly message: string;
  /** Stands under `approved:` where that lifts it. */
  readonly line?: string;
  /** What only the message says beside that line; absent where the step says it. */
  readonly remark?: string;
}

export interface Plan {
  readonly organization: string;
  readonly profileName: string;
  /** In an order in which they can be done. */
  readonly steps: readonly Step[];
  readonly unchanged: readonly string[];
  /** Not seen, and so neither created nor deleted. */
  readonly unknown: readonly { readonly address: string; readonly why: string }[];
  /** Mistakes that only show against what exists; each stops its address and makes the exit code 1. */
  readonly problems: readonly (Issue & { readonly address: string })[];
  readonly warnings: readonly Issue[];
  /** Secrets not verified, clients that wait for a person, unmanaged duplicates. */
  readonly notes: readonly { readonly address: string; readonly code: string; readonly text: string }[];
  readonly blockers: readonly Blocker[];
  /** Ledger entries to write anew without a call, for other fields or another file. */
  readonly baselineRefresh: readonly {
    readonly key: string;
    readonly managed: FieldValues;
    readonly file: string | null;
  }[];
  /** What names mean, for the ledger, before the first step: a run that is killed must not forget it. Absent where it says so already. */
  readonly names?: Readonly<Record<string, string>>;
}

/** What flags ask for. */
export interface PlanOptions {
  /** Most deletes and detaches; by default the rule of thumb max(5, 30 %). */
  readonly maxDeletes?: number | undefined;
  /** Most wanted objects that may be missing; by default max(3, 10 %). */
  readonly acceptMissing?: number | undefined;
  /** Writes every secret that PATCH carries, changed or not. */
  readonly writeSecrets?: boolean | undefined;
  readonly destroy?: boolean;
  /** The ledger is lost: what is certainly meant by an entry without `id:` is adopted. */
  readonly adoptMatches?: boolean;
}

/** How a write-only field compares with what was last written. `needed`: new, and its value is not at hand. */
export type SecretState = 'same' | 'changed' | 'new' | 'needed' | 'unverified' | 'not-compared';

/** By address, then field. */
export type SecretStates = Readonly<Record<string, Readonly<Record<string, SecretState>>>>;
