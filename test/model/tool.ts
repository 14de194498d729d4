/** The tool as the model sees it: its commands, their results in one form, and its ledger. */

export interface PlannedStep {
  readonly id: string;
  readonly action: string;
  readonly kind: string;
  readonly address: string;
  /** The entry in the ledger, in its parts. */
  readonly key: readonly string[];
  readonly objectId?: string;
  /** The earlier entry of a link that moves. */
  readonly from?: string;
  readonly reason: string;
  /** The steps that must succeed before this one. */
  readonly needs: readonly string[];
  /** The steps that must end before this one. */
  readonly after?: readonly string[];
  /** It is absent for a step that sends nothing. */
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly unmanaged?: true;
  readonly approval?: { readonly id: string; readonly given: boolean };
}

interface Message {
  readonly address?: string;
  readonly rule?: string;
  readonly message: string;
}

/** The end of a command. `mistakes`: the manifest is wrong. `refused`: it stopped before planning. `planned`: there is a plan. */
export interface Planned {
  readonly state: 'mistakes' | 'refused' | 'planned';
  readonly steps: readonly PlannedStep[];
  readonly unknown: readonly Message[];
  readonly problems: readonly Message[];
  readonly blockers: readonly Message[];
  /** It is absent if nothing was planned. */
  readonly digest?: string;
  /** All text that a user could read. */
  readonly text: string;
}

export interface StepOutcome {
  readonly step: string;
  readonly address: string;
  readonly status: 'done' | 'failed' | 'blocked' | 'not-tried';
  readonly message?: string;
}

/** The state `planned` means that the apply got as far as its plan. `results` says what it did. */
export interface Applied extends Planned {
  /** It is absent if no step was started. */
  readonly results?: readonly StepOutcome[];
  /** It is true if the run was killed, so that its end is unknown. */
  readonly killed?: true;
}

export interface DriftRow {
  readonly address: string;
  readonly kind: string;
  readonly objectId?: string;
  readonly state: string;
  readonly changes: readonly { readonly field: string; readonly was?: unknown; readonly is?: unknown }[];
}

export interface Drifted {
  readonly state: Planned['state'];
  readonly rows: readonly DriftRow[];
  readonly unknown: readonly Message[];
  readonly text: string;
}

export interface LedgerObject {
  readonly id?: string;
  readonly createdAt?: string;
  readonly values?: Readonly<Record<string, unknown>>;
  readonly digests?: Readonly<Record<string, string>>;
  readonly retiring?: readonly string[];
}

export interface PendingCreate {
  readonly attemptedAt: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly digests: Readonly<Record<string, string>>;
  readonly existing: readonly string[];
}

export interface LedgerState {
  readonly organization: string | null;
  /** The service's address. It is empty before the first save. */
  readonly address: string;
  readonly lineage: string | null;
  readonly salt: string;
  readonly serial: number;
  readonly objects: Readonly<Record<string, LedgerObject>>;
  readonly pending: Readonly<Record<string, PendingCreate>>;
}

/** Returns the content of the file, or an empty ledger if there is no file. */
export function readLedger(text: string | undefined): LedgerState {
  const state = JSON.parse(text ?? '{}') as Partial<LedgerState>;
  return {
    organization: state.organization ?? null,
    address: state.address ?? '',
    lineage: state.lineage ?? null,
    salt: state.salt ?? '',
    serial: state.serial ?? 0,
    objects: state.objects ?? {},
    pending: state.pending ?? {},
  };
}

/** Settings of a run that are not in a manifest. */
export interface RunOptions {
  readonly maxDeletes?: number;
  readonly destroy?: boolean;
  /** `apply` executes only the plan with this digest. */
  readonly expect?: string;
}

/** The tool on one folder. Commands are called one after the other, as people do. */
export interface Tool {
  /** Resolves to true if the manifest is valid. */
  validate(): Promise<boolean>;
  plan(options?: RunOptions): Promise<Planned>;
  drift(): Promise<Drifted>;
  apply(options?: RunOptions): Promise<Applied>;
  /** Kills the current apply, so that its calls never finish. */
  kill(): void;
  /** Asks the apply under way to stop, as Ctrl-C does. */
  interrupt(): void;
}
