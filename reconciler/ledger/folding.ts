/** Takes journal records into a ledger, one by one; knows neither files nor time. */
import type {
  JournalBase,
  JournalRecord,
  Ledger,
  LedgerObject,
  LedgerOrganization,
  Tombstone,
} from './ledger';
import { orderOrganization } from './order';

/** Why a record cannot follow what is there: another history, or a record that contradicts the ones before. */
export interface Misfit {
  readonly code: 'forked' | 'corrupt';
  readonly why: string;
}

/** An organization while records are taken in. */
class Draft {
  readonly objects: Map<string, LedgerObject>;
  readonly pending;
  tombstones: readonly Tombstone[];
  private readonly keys: Map<string, string>;

  constructor(readonly before: LedgerOrganization) {
    this.objects = new Map(Object.entries(before.objects));
    this.pending = new Map(Object.entries(before.pending));
    this.tombstones = before.tombstones;
    this.keys = new Map(Object.entries(before.objects).map(([key, object]) => [identity(object), key]));
  }

  /** One object stands under one key: the latest to claim it has it. */
  put(key: string, object: LedgerObject): void {
    const holder = this.keys.get(identity(object));
    if (holder !== undefined && holder !== key) this.remove(holder);
    this.remove(key);
    this.objects.set(key, object);
    this.keys.set(identity(object), key);
  }

  remove(key: string): void {
    const object = this.objects.get(key);
    if (object === undefined) return;
    this.objects.delete(key);
    this.keys.delete(identity(object));
  }

  result(): LedgerOrganization {
    const after = {
      ...this.before,
      objects: Object.fromEntries(this.objects),
      pending: Object.fromEntries(this.pending),
      tombstones: this.tombstones,
    };
    return text(after) === text(this.before) ? this.before : { ...after, serial: this.before.serial + 1 };
  }
}

function identity(object: LedgerObject): string {
  return `${object.kind} ${object.id}`;
}

function text(organization: LedgerOrganization): string {
  return JSON.stringify(orderOrganization(organization));
}

/** A ledger into which records are taken. */
export class Folding {
  private readonly drafts = new Map<string, Draft>();

  constructor(private readonly ledger: Ledger) {}

  /** Whether records of that organization can be taken already, or need a base first. */
  knows(organization: string): boolean {
    return this.drafts.has(organization);
  }

  /** Takes one record; a misfit changes nothing. */
  take(record: JournalRecord | JournalBase): Misfit | null {
    if (record.event === 'organization') return this.begin(record);
    const draft = this.drafts.get(record.organization);
    if (draft === undefined) {
      return { code: 'corrupt', why: `a record of ${record.organization} stands before its base` };
    }
    const why = change(draft, record);
    return why === null ? null : { code: 'corrupt', why };
  }

  /** The ledger with all that was taken. Serials grow by one where something changed; the very same ledger when nothing did. */
  result(journal: string): Ledger {
    const changed = [...this.drafts]
      .map(([name, draft]): [string, LedgerOrganization] => [name, draft.result()])
      .filter(([name, organization]) => this.drafts.get(name)?.before !== organization);
    if (changed.length === 0) return this.ledger;
    return {
      ...this.ledger,
      journal,
      organizations: Object.fromEntries([...Object.entries(this.ledger.organizations), ...changed]),
    };
  }

  private begin({ organization, lineage, serial }: JournalBase): Misfit | null {
    const known = Object.hasOwn(this.ledger.organizations, organization)
      ? this.ledger.organizations[organization]
      : undefined;
    const start = known ?? { lineage, serial: 0, objects: {}, pending: {}, tombstones: [] };
    if (start.lineage !== lineage || start.serial !== serial) {
      const there =
        known === undefined ? 'it is not in the ledger' : `the ledger is at serial ${start.serial}`;
      const history = start.lineage === lineage ? '' : ' of another history';
      return {
        code: 'forked',
        why: `it goes on from serial ${serial} of ${organization}, but ${there}${history}`,
      };
    }
    this.drafts.set(organization, new Draft(start));
    return null;
  }
}

function change(draft: Draft, record: JournalRecord): string | null {
  switch (record.event) {
    case 'intent':
      draft.pending.set(record.key, record.intent);
      return null;
    case 'late': {
      const { kind, address, nonce } = record.tombstone;
      const others = draft.tombstones.filter(
        (one) => one.kind !== kind || one.address !== address || one.nonce !== nonce,
      );
      draft.tombstones = [...others, record.tombstone];
      return null;
    }
    case 'object':
      draft.put(record.key, record.object);
      draft.pending.delete(record.key);
      return null;
    case 'removed':
      draft.remove(record.key);
      draft.pending.delete(record.key);
      return null;
    case 'moved':
      return move(draft, record.from, record.to);
  }
}

function move(draft: Draft, from: string, to: string): string | null {
  const object = draft.objects.get(from);
  const intent = draft.pending.get(from);
  if (object === undefined && intent === undefined) return `${from} was moved but is not there`;
  if (draft.objects.has(to) || draft.pending.has(to)) return `${from} was moved to ${to}, which is taken`;
  if (object !== undefined) draft.put(to, object);
  if (intent !== undefined) {
    draft.pending.delete(from);
    draft.pending.set(to, intent);
  }
  return null;
}
