/** What the tool answered, in one form for the library and the command line. */

export interface PlannedChange {
  readonly field: string;
  readonly from?: unknown;
  readonly to?: unknown;
  readonly baseline?: unknown;
  readonly conflict?: true;
  readonly secret?: string;
}

export interface PlannedStep {
  readonly id: string;
  readonly action: string;
  readonly kind: string;
  readonly address: string;
  readonly key: string;
  readonly movedFrom?: string;
  readonly objectId?: string;
  readonly reason: string;
  readonly changes: readonly PlannedChange[];
  readonly needs: readonly string[];
  readonly approval?: { readonly id: string; readonly given: boolean; readonly line: string };
}

interface Said {
  readonly address?: string;
  readonly code?: string;
  readonly rule?: string;
  readonly message?: string;
}

/** How a command ended. `mistakes`: the manifests are wrong; `refused`: it stopped before planning; `planned`: there is a plan. */
export interface Planned {
  readonly state: 'mistakes' | 'refused' | 'planned';
  readonly exit: number;
  /** Names of the rules that the manifests break. */
  readonly mistakes: readonly string[];
  readonly steps: readonly PlannedStep[];
  readonly unknown: readonly string[];
  readonly problems: readonly Said[];
  readonly blockers: readonly Said[];
  /** Absent where nothing was planned. */
  readonly digest?: string;
  /** Everything that a person could read of it. */
  readonly text: string;
}

export interface StepOutcome {
  readonly step: string;
  readonly address: string;
  readonly status: 'done' | 'failed' | 'blocked' | 'not-tried';
  readonly message?: string;
}

export interface Applied extends Planned {
  /** Absent where nothing was begun. */
  readonly results?: readonly StepOutcome[];
  /** Where the run was cut off by a kill: nothing is known of its end. */
  readonly killed?: true;
}

export interface DriftItem {
  readonly address: string;
  readonly kind: string;
  readonly objectId: string | null;
  readonly state: string;
  readonly fields: readonly { readonly field: string; readonly was: unknown; readonly is: unknown }[];
}

export interface Drifted {
  readonly state: Planned['state'];
  readonly exit: number;
  readonly items: readonly DriftItem[];
  readonly unknown: readonly string[];
  readonly problems: readonly Said[];
  readonly pending: readonly { readonly address: string; readonly action: string }[];
  readonly text: string;
}

/** What the ledger holds, its journal folded in. */
export interface LedgerState {
  readonly organization: string | null;
  readonly lineage: string | null;
  readonly serial: number;
  readonly objects: Readonly<Record<string, LedgerObject>>;
  /** Creates that were begun and not finished, by key. */
  readonly pending: Readonly<Record<string, { readonly nonce: string }>>;
  /** Temporary names under which something may still appear. */
  readonly unconfirmed: readonly { readonly address: string; readonly nonce: string }[];
  /** `workspace/app` → its id: what aliases meant at the last apply, where the API has names. */
  readonly names: Readonly<Record<string, string>>;
}

export interface LedgerObject {
  readonly kind: string;
  readonly id: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly digests: Readonly<Record<string, string>>;
  readonly unverified?: readonly string[];
  readonly protect: boolean;
  readonly replaces?: string;
  readonly replaced?: string;
}

/** Settings of a run that are no lines of a manifest. */
export interface RunOptions {
  readonly writeSecrets?: boolean;
  readonly maxDeletes?: number;
  readonly acceptMissing?: number;
  readonly destroy?: boolean;
  /** Of `apply`: only the plan with this digest. */
  readonly expect?: string;
}

/** The tool on one folder, as a library or as processes. */
export interface Tool {
  /** Whether a run can be watched at each line of its journal. */
  readonly showsJournal: boolean;
  /** 0 or 1. */
  validate(): Promise<number>;
  plan(options?: RunOptions): Promise<Planned>;
  drift(): Promise<Drifted>;
  apply(options?: RunOptions): Promise<Applied>;
  /** Ends the apply under way as a kill would: what it was doing is never finished. */
  kill(): void;
  /** Asks the apply under way to stop, as Ctrl-C does. */
  interrupt(): void;
  ledger(): Promise<LedgerState>;
  close(): Promise<void>;
}

type Json = Record<string, unknown>;

function listOf<Item>(value: unknown): Item[] {
  return Array.isArray(value) ? (value as Item[]) : [];
}

const addresses = (value: unknown): string[] =>
  listOf<{ address: string }>(value).map(({ address }) => address);

/** Steps, problems and blockers of a plan. */
export function readPlan(value: unknown): Pick<Planned, 'steps' | 'unknown' | 'problems' | 'blockers'> {
  const plan = JSON.parse(JSON.stringify(value)) as Json;
  return {
    steps: listOf(plan.steps),
    unknown: addresses(plan.unknown),
    problems: listOf(plan.problems),
    blockers: listOf(plan.blockers),
  };
}

/** Items of a drift report. */
export function readDrift(value: unknown): Pick<Drifted, 'items' | 'unknown' | 'problems' | 'pending'> {
  const report = JSON.parse(JSON.stringify(value)) as Json;
  return {
    items: listOf(report.items),
    unknown: addresses(report.unknown),
    problems: listOf(report.problems),
    pending: listOf(report.pending),
  };
}

/** The content of a ledger. */
export function readLedger(value: unknown): LedgerState {
  const state = JSON.parse(JSON.stringify(value ?? {})) as Json;
  return {
    organization: (state.organization as string | undefined) ?? null,
    lineage: (state.lineage as string | undefined) ?? null,
    serial: (state.serial as number | undefined) ?? 0,
    objects: (state.objects ?? {}) as LedgerState['objects'],
    pending: (state.pending ?? {}) as LedgerState['pending'],
    unconfirmed: listOf(state.unconfirmed ?? state.tombstones),
    names: (state.names ?? {}) as LedgerState['names'],
  };
}
