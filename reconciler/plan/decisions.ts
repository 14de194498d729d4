/** Types of the decisions about each client, each of its predecessors, and each link. A decision is a value, and `hold` alone puts others in their place. */
import type { DesiredEntry } from '../../manifest/desired';
import type { DesiredValues, FieldValues, Found, Key, ResourceDefinition } from '../../resources/kind';
import type { ClientRecord, LedgerObject, Pending } from '../ledger/ledger';
import {
  type Findings,
  type LeaveDetails,
  type LedgerKey,
  type LeftAlone,
  leftAlone,
  type Note,
  type PlannedChange,
  type Problem,
  type Step,
} from './plan';

type Why = Pick<Step, 'reason' | 'because'>;

/** An address with its entry and its record, as they are after the rebindings. */
export interface Binding {
  readonly address: string;
  readonly entry: DesiredEntry | undefined;
  readonly record: ClientRecord | undefined;
  /** An earlier create that may still be executed. */
  readonly openCreate: Pending | undefined;
  /** The reason why an earlier create is no longer waited for. */
  readonly whyDropped: string | undefined;
}

/** An address gets another record: a client that an earlier apply made, or the record of another address. */
export type Rebinding = {
  readonly address: string;
  readonly because: string;
  readonly record: ClientRecord;
} & (
  | { readonly action: 'adopt'; readonly reason: 'taken-over' | 'found' }
  | { readonly action: 'move'; readonly from: string }
);

/** How a client differs from its entry. */
export interface ClientChanges extends Why {
  readonly changes: readonly PlannedChange[];
  /** The first change that needs a new object. */
  readonly fixed: PlannedChange | undefined;
  readonly risks: readonly string[];
  /** Says what the service does not show and is not the API's default. */
  readonly hidden: string | null;
  /** Names secrets that were not compared. */
  readonly notes: readonly string[];
}

/** The object is neither created, changed nor deleted. Without a report, an earlier stage or another decision reports it. */
export interface Leave {
  readonly action: 'leave';
  readonly report?: LeftAlone;
}

export interface Refuse {
  readonly action: 'refuse';
  readonly problem: Problem;
}

export function leave(address: string, why: string, more: LeaveDetails = {}): Leave {
  return { action: 'leave', report: leftAlone(address, why, more) };
}

export function refuse(
  rule: Problem['rule'],
  address: string,
  message: string,
  more: Omit<Problem, 'rule' | 'address' | 'message'> = {},
): Refuse {
  return { action: 'refuse', problem: { rule, address, message, ...more } };
}

interface Nothing {
  readonly action: 'nothing';
}

/** Who loses a client with its delete. */
export interface Cost {
  readonly risks: readonly string[];
  readonly affected: readonly string[];
}

export interface DeleteClient extends Cost {
  readonly action: 'delete';
  readonly found: Found;
}

export interface ForgetClient extends Why {
  readonly action: 'forget';
}

/** The client exists, and nothing of it differs. */
export interface KeepClient extends ExistingClient {
  readonly action: 'keep';
}

/** The client exists, and the address gets it or changes it. */
export interface ChangeClient extends ExistingClient {
  readonly action: 'update' | 'adopt';
}

interface ExistingClient {
  readonly entry: DesiredEntry;
  readonly found: Found;
  readonly difference: ClientChanges;
}

/** The plan makes a client. `existing` has the ids of equal clients that the manifest allows. */
export interface CreateClient {
  readonly action: 'create';
  readonly entry: DesiredEntry;
  readonly existing: readonly string[];
}

/** The plan makes a client in place of `found`, whose delete is the fate of a predecessor. */
export interface ReplaceClient extends Cost {
  readonly action: 'replace';
  readonly entry: DesiredEntry;
  readonly found: Found;
  readonly difference: ClientChanges;
  readonly sent: FieldValues;
  readonly existing: readonly string[];
}

/** Each fate but `nothing` is an object of its own, because `hold` finds it by its identity. */
export type ClientFate =
  | Nothing
  | Leave
  | Refuse
  | KeepClient
  | ChangeClient
  | CreateClient
  | ReplaceClient
  | DeleteClient
  | ForgetClient;

/** An id that the address had before its recorded one. */
export interface PredecessorDecision {
  readonly id: string;
  readonly fate: DeleteClient | ForgetClient | Leave;
}

export function describePredecessor(id: string, address: string): string {
  return `${id}, the predecessor of ${address},`;
}

export interface ClientDecision {
  readonly binding: Binding;
  readonly fate: ClientFate;
  readonly predecessors: readonly PredecessorDecision[];
  /** An earlier create that is no longer waited for, where no new one takes its place. */
  readonly droppedCreate: Why | undefined;
  /** The ids that the address no longer has, and all predecessors, also those that are left alone. Their undeclared links are not decided about. */
  readonly leaving: readonly string[];
  readonly notes: readonly Note[];
}

/** A link between ids. One end may be the address of a client that this plan makes, and an unclear one may be empty. */
export interface Link {
  readonly definition: ResourceDefinition;
  readonly ends: Key;
  readonly key: LedgerKey;
  /** The key as one string. */
  readonly text: string;
  /** Each end appears by its alias, else by its name or id. */
  readonly address: string;
  readonly object: LedgerObject | undefined;
}

export interface MakeLink extends Why {
  readonly action: 'adopt' | 'create';
  readonly inputs: DesiredValues;
  readonly objectId?: string;
}

/** The client that takes the link over is created with it. `from` is the key with the old client. */
export interface MoveLink extends Why {
  readonly action: 'move';
  readonly inputs: DesiredValues;
  readonly from: string;
}

export interface EndLink extends Why {
  readonly action: 'delete' | 'forget';
  readonly objectId?: string;
}

/** An exact set deletes a link that the ledger does not have. `newSet` is that set if the ledger has no link of it. */
export interface DeleteUnmanaged extends Why {
  readonly action: 'delete';
  readonly unmanaged: true;
  readonly objectId: string;
  readonly newSet?: string;
}

export interface LinkDecision {
  readonly link: Link;
  readonly isDeclared: boolean;
  readonly fate: Nothing | Leave | Refuse | MakeLink | MoveLink | EndLink | DeleteUnmanaged;
  readonly notes: readonly Note[];
}

/** The client that an address has when the plan is done. One that the plan makes has no id yet. */
export type Survivor = { readonly id: string } | { readonly id?: undefined; readonly replaces?: string };

/** The clients as the decisions leave them. */
export interface Outlook {
  /** The keys are addresses. */
  readonly survivors: ReadonlyMap<string, Survivor>;
  /** The ids that leave, with their addresses. */
  readonly leaving: ReadonlyMap<string, string>;
  /** The addresses of which a client is deleted. */
  readonly destroyed: ReadonlySet<string>;
  /** The recorded ids of addresses without a survivor, with these addresses. The links of those that do not leave wait. */
  readonly waiting: ReadonlyMap<string, string>;
  /** The addresses of clients, as they are after the plan, and else before it. The keys are ids. */
  readonly owners: ReadonlyMap<string, string>;
}

/** The keys of `recordedAddresses` are the ids in the ledger. */
export function lookAhead(
  decisions: readonly ClientDecision[],
  recordedAddresses: ReadonlyMap<string, string>,
): Outlook {
  const survivors = new Map<string, Survivor>();
  for (const { binding, fate } of decisions) {
    const survivor = findSurvivor(fate);
    if (survivor !== undefined) survivors.set(binding.address, survivor);
  }
  const waiting = new Map(
    decisions.flatMap(({ binding: { address, record } }) =>
      record === undefined || survivors.has(address) ? [] : [[record.id, address] as const],
    ),
  );
  const ids = [...survivors].flatMap(([address, { id }]) =>
    id === undefined ? [] : [[id, address] as const],
  );
  const owners = new Map([...recordedAddresses, ...waiting, ...ids]);
  const destroyed = decisions.filter(({ fate, predecessors }) =>
    [fate, ...predecessors.map((old) => old.fate)].some(({ action }) => action === 'delete'),
  );
  return {
    survivors,
    waiting,
    owners,
    leaving: collectLeaving(decisions),
    destroyed: new Set(destroyed.map(({ binding }) => binding.address)),
  };
}

export function collectLeaving(decisions: readonly ClientDecision[]): ReadonlyMap<string, string> {
  return new Map(
    decisions.flatMap(({ leaving, binding }) => leaving.map((id) => [id, binding.address] as const)),
  );
}

/** The client that the address has when the plan is done. */
const survivors = {
  keep: 'existing',
  update: 'existing',
  adopt: 'existing',
  create: 'new',
  replace: 'new',
  delete: 'none',
  forget: 'none',
  leave: 'none',
  refuse: 'none',
  nothing: 'none',
} as const satisfies Readonly<Record<ClientFate['action'], string>>;

/** Returns nothing if the address has no client when the plan is done. */
export function findSurvivor(fate: ClientFate): Survivor | undefined {
  if (isStaying(fate)) return { id: fate.found.id };
  if (survivors[fate.action] === 'none') return undefined;
  return fate.action === 'replace' ? { replaces: fate.found.id } : {};
}

export function isStaying(fate: ClientFate): fate is KeepClient | ChangeClient {
  return survivors[fate.action] === 'existing';
}

/** Collects what the decisions tell the user. */
export function collectFindings(
  clients: readonly ClientDecision[],
  links: readonly LinkDecision[],
): Findings {
  const fates = [
    ...clients.flatMap(({ fate, predecessors }) => [fate, ...predecessors.map((old) => old.fate)]),
    ...links.map(({ fate }) => fate),
  ];
  return {
    problems: fates.flatMap((fate) => (fate.action === 'refuse' ? fate.problem : [])),
    unknown: fates.flatMap((fate) => (fate.action === 'leave' ? (fate.report ?? []) : [])),
    notes: [...clients, ...links].flatMap(({ notes }) => notes),
  };
}
