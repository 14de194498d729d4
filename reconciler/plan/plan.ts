/** The plan: plain JSON, a value that can be shown, saved, compared and applied. Pure. */
import { createHash } from 'node:crypto';
import type { Manifests } from '../../manifest/desired';
import type { Observed } from '../../observation/evidence';
import type { DesiredValues, FieldValue, FieldValues, Issue, SecretSource } from '../../resources/kind';
import type { Ledger } from '../ledger/ledger';

export type Action = 'adopt' | 'create' | 'update' | 'replace' | 'delete' | 'forget' | 'move' | 'cleanup';

/** Why a step is there, as a stable code; the text for people is in the step. */
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
  | 'already-gone'
  | 'told-to-forget'
  | 'renamed'
  | 'late-arrival'
  | 'protection-changed'
  | 'destroy';

/** One field of a step. For secrets only `secret` is set, never a value. */
export interface PlannedChange {
  readonly field: string;
  /** Observed value; absent on create. */
  readonly from?: FieldValue;
  /** Desired value; absent where the field is only carried over or let go. */
  readonly to?: FieldValue;
  /** Last applied value, where somebody changed it since. */
  readonly baseline?: FieldValue;
  /** Both sides changed it; the manifest wins. */
  readonly conflict?: true;
  readonly secret?: 'new' | 'changed' | 'unverified' | 'not-compared';
  readonly risk?: string;
  /** For `protect`, which is ours and not the API's. */
  readonly local?: true;
}

export interface Step {
  /** Unique in its plan: `create OAuthClient/github`. */
  readonly id: string;
  readonly action: Action;
  readonly kind: string;
  /** Display address (alias where one exists). For a move: the new one. */
  readonly address: string;
  /** Key in the ledger; for a link of a client that has no id yet, the display address. */
  readonly key: string;
  /** Display address or key before a move. */
  readonly movedFrom?: string;
  /** The existing object this step acts on. */
  readonly objectId?: string;
  readonly reason: ReasonCode;
  /** One sentence for people. */
  readonly because: string;
  readonly changes: readonly PlannedChange[];
  /** What a person should know first: what gets unlinked, a narrower scope, a changed key. */
  readonly risks: readonly string[];
  /** Ids of steps that must be done before. */
  readonly needs: readonly string[];
  /** What a create, replace or update writes; references by address. */
  readonly inputs: DesiredValues;
  /** Write-only fields to write, as references. */
  readonly secrets: Readonly<Record<string, SecretSource>>;
  /** Write-only fields of an adopted object that the step leaves as they are; absent for other steps. */
  readonly unverified?: readonly string[];
  /** All managed readable values once the step is done, for the ledger. */
  readonly managed: DesiredValues;
  /** Observed readable values at planning time; absent where nothing was there. */
  readonly observed?: FieldValues;
  readonly approval?: {
    readonly action: 'destroy' | 'replace';
    readonly id: string;
    readonly given: boolean;
    readonly line: string;
  };
  /** Not made by us: only an exact set deletes such a thing. */
  readonly foreign?: true;
  readonly file: string | null;
  readonly protect: boolean;
}

/** Why `apply` will not start: a missing approval or a guard, with what lifts it. */
export interface Stop {
  readonly code: 'approval' | 'protected' | 'too-many-deletes' | 'too-many-missing';
  readonly address?: string;
  readonly message: string;
}

/** What is to be done for the organization of one folder. */
export interface Plan {
  readonly organization: string;
  readonly profileName: string;
  /** In an order in which they can be done. */
  readonly steps: readonly Step[];
  /** Addresses that need nothing. */
  readonly unchanged: readonly string[];
  /** What could not be seen, and so is neither created nor deleted. */
  readonly undetermined: readonly { readonly address: string; readonly why: string }[];
  /** Mistakes that only show against what exists; each stops its address and makes the exit code 1. */
  readonly problems: readonly (Issue & { readonly address: string })[];
  readonly warnings: readonly Issue[];
  /** Remarks: secrets not verified, clients that wait for a person, foreign twins. */
  readonly notes: readonly { readonly address: string; readonly code: string; readonly text: string }[];
  readonly stops: readonly Stop[];
  /** Ledger entries to write anew without any call: what is managed of the object, or its file, is another. */
  readonly baselineRefresh: readonly {
    readonly key: string;
    readonly managed: FieldValues;
    readonly file: string | null;
  }[];
}

/** What is said about a plan besides the manifests: limits and orders given as flags. */
export interface PlanOptions {
  /** Most deletes and detaches; null for the rule of thumb max(5, 30 %). */
  readonly maxDeletes: number | null;
  /** Most wanted objects that may be missing; null for max(3, 10 %). */
  readonly acceptMissing: number | null;
  /** Writes every secret that PATCH carries, whether it changed or not. */
  readonly writeSecrets: boolean;
  /** `destroy`: everything of ours is to go. */
  readonly destroy: boolean;
}

export const defaultPlanOptions: PlanOptions = {
  maxDeletes: null,
  acceptMissing: null,
  writeSecrets: false,
  destroy: false,
};

/** How a write-only field compares with what was last written: by address, then field. */
export type SecretStates = Readonly<
  Record<string, Readonly<Record<string, 'same' | 'changed' | 'new' | 'unverified' | 'not-compared'>>>
>;

/** What planning needs, gathered: the same value goes to plan and drift. */
export interface PlanInputs {
  readonly manifests: Manifests;
  readonly ledger: Ledger;
  readonly observed: Observed;
  readonly secrets: SecretStates;
}

/** A plan with where it would be applied. */
export interface DigestedPlan {
  readonly plan: Plan;
  /** What it was made from: the profile counts, by name and content. */
  readonly manifests: Manifests;
  /** Base URL of the service. */
  readonly address: string;
}

/**
 * 16 hexadecimal digits of a SHA-256. Equal exactly where the same would be written to the same service: in which file a line
 * stands, sentences for people and the ledger's serial don't count; of a secret its reference counts, never its value.
 */
export function planDigest({ plan, manifests, address }: DigestedPlan): string {
  const { profileName, profile } = manifests;
  return createHash('sha256')
    .update(canonical({ address, profileName, profile, ...writtenBy(plan) }))
    .digest('hex')
    .slice(0, 16);
}

/** What stops an apply counts too: a plan that was reviewed as one that writes nothing stays one. */
function writtenBy({ organization, steps, stops }: Plan): object {
  return {
    organization,
    steps: [...steps].sort((one, two) => (one.id < two.id ? -1 : 1)).map(writtenByStep),
    stops: stops.map(({ code, address = '' }) => `${code} ${address}`),
  };
}

/** Whether a secret changed is known only where its value is at hand; that it is written stands in `secrets`. */
function writtenByStep({ because, reason, file, changes, ...step }: Step): object {
  return {
    ...step,
    changes: changes
      .filter((change) => change.secret === undefined)
      .map(({ baseline, conflict, ...change }) => change),
  };
}

/** JSON with sorted keys. Lists of texts are sets in this API, and no order of theirs means anything. */
function canonical(value: object): string {
  return JSON.stringify(value, (_name, inner: unknown) => {
    if (Array.isArray(inner))
      return inner.every((one) => typeof one === 'string') ? [...inner].sort() : inner;
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([one], [two]) => (one < two ? -1 : 1)));
  });
}
