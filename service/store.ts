/** The records of the service in memory, found by key or by an indexed member. */
import type { heldSchemas } from './oauth-client-attributes';
import type { Members } from './schema';

/** `admin` implies `readRuns`. */
export const workspaceLevels = ['admin', 'readRuns'] as const;

/** An `owner` may do everything, and null nothing. */
export type Grant =
  | 'owner'
  | {
      readonly manageVcsSettings?: boolean;
      readonly workspaces?: { readonly [workspaceId: string]: (typeof workspaceLevels)[number] | null };
    }
  | null;

export interface PlaceRecord {
  readonly id: string;
  readonly organization: string;
  readonly name: string;
}

export interface WorkspaceRecord extends PlaceRecord {
  readonly projectId: string | null;
  /** The client through which the workspace is linked to a repository. */
  readonly oauthClientId: string | null;
}

export interface TokenRecord {
  readonly digest: string;
  readonly grants: { readonly [organization: string]: Grant };
}

export interface OAuthClientRecord extends Members<typeof heldSchemas> {
  readonly id: string;
  readonly organization: string;
  readonly createdAt: string;
  readonly callbackId: string;
  readonly projectIds: readonly string[];
  readonly agentPoolId: string | null;
  /** Tokens of the VCS provider. A null digest means that the text of the token is unknown. */
  readonly oauthTokens: readonly {
    readonly id: string;
    readonly createdAt: string;
    readonly digest: string | null;
  }[];
  /** Null when no secret was ever given. */
  readonly secretDigest: string | null;
  /** Null when no private key was ever given. */
  readonly privateKeyDigest: string | null;
}

/** Runs of the source (`sourceableId`) create runs in the target (`workspaceId`). */
export interface RunTriggerRecord {
  readonly id: string;
  readonly createdAt: string;
  readonly workspaceId: string;
  readonly sourceableId: string;
}

export interface Tables {
  readonly organizations: { readonly name: string };
  readonly projects: PlaceRecord;
  readonly agentPools: PlaceRecord;
  readonly workspaces: WorkspaceRecord;
  readonly tokens: TokenRecord;
  readonly oauthClients: OAuthClientRecord;
  readonly runTriggers: RunTriggerRecord;
}

export type TableName = keyof Tables;

export type Records = { readonly [Name in TableName]: readonly Tables[Name][] };

/** The members by which the records of each table can be listed. */
const indexes: { readonly [Name in TableName]: readonly (keyof Tables[Name])[] } = {
  organizations: [],
  projects: ['organization'],
  agentPools: ['organization'],
  workspaces: ['organization', 'oauthClientId'],
  tokens: [],
  oauthClients: ['organization'],
  runTriggers: ['workspaceId', 'sourceableId'],
};

export const tableNames = Object.keys(indexes) as TableName[];

interface Lag {
  now: () => number;
  /** For this many milliseconds, reads still show deleted records and lists lack new ones. */
  deletedMs: number;
  createdMs: number;
}

type Lagging = 'oauthClients' | 'runTriggers';

/** A record is never changed in place: `put` replaces it. Every call is synchronous, so code between two awaits is never interleaved. */
export class Store {
  #deleted: { table: TableName; record: Tables[Lagging]; until: number }[] = [];
  readonly #tables = new Map(tableNames.map((name) => [name, new Map<string, object>()]));
  /** Records by key, sorted when a list is first read. A list's name is its table, member and value. */
  readonly #lists = new Map<string, { byKey: Map<string, object>; sorted?: readonly object[] | undefined }>();

  constructor(private readonly lag: Lag = { now: Date.now, deletedMs: 0, createdMs: 0 }) {}

  read<Name extends TableName>(table: Name, key: string): Tables[Name] | undefined {
    return this.#rows(table).get(key);
  }

  /** The oldest record is first. Throws for a member without an index. */
  list<Name extends TableName>(
    table: Name,
    member: keyof Tables[Name],
    value: string,
  ): readonly Tables[Name][] {
    if (!indexes[table].includes(member)) throw new Error(`${table} have no index of ${String(member)}`);
    const list = this.#lists.get(`${table} ${String(member)} ${value}`);
    if (list === undefined) return [];
    list.sorted ??= sortByAge([...list.byKey.values()]);
    return list.sorted as readonly Tables[Name][];
  }

  /** Reads may be stale, and writers use `read`. */
  readStale<Name extends Lagging>(table: Name, id: string): Tables[Name] | undefined {
    return this.read(table, id) ?? this.#fading(table, 'id', id)[0];
  }

  listStale<Name extends Lagging>(
    table: Name,
    member: keyof Tables[Name],
    value: string,
  ): readonly Tables[Name][] {
    const { createdMs, now } = this.lag;
    const all = this.list(table, member, value);
    const isOldEnough = ({ createdAt }: Tables[Lagging]) => Date.parse(createdAt) + createdMs <= now();
    const visibleRecords = createdMs > 0 ? all.filter(isOldEnough) : all;
    const fading = this.#fading(table, member, value);
    return fading.length > 0 ? sortByAge([...visibleRecords, ...fading]) : visibleRecords;
  }

  records(): Records {
    const all = tableNames.map((name) => [name, [...this.#rows(name).values()]]);
    return Object.fromEntries(all) as Records;
  }

  clear(): void {
    this.#deleted = [];
    this.#lists.clear();
    for (const rows of this.#tables.values()) rows.clear();
  }

  put<Name extends TableName>(table: Name, record: Tables[Name]): void {
    const key = toKey(record);
    this.#relist(table, key, record);
    this.#rows(table).set(key, record);
  }

  remove(table: Lagging, key: string): undefined {
    const record = this.read(table, key);
    const { now, deletedMs } = this.lag;
    if (record && deletedMs > 0) this.#deleted.push({ table, record, until: now() + deletedMs });
    this.#relist(table, key, undefined);
    this.#rows(table).delete(key);
  }

  /**
   * Moves a record from the lists that hold it to those of its new values. The table must still hold the record as it was. Each list is
   * stored without `sorted`, because its order may have changed.
   */
  #relist(table: TableName, key: string, after: object | undefined) {
    for (const record of [this.read(table, key), after]) {
      for (const member of record ? indexes[table] : []) {
        const name = `${table} ${member} ${Reflect.get(Object(record), member)}`;
        const byKey = this.#lists.get(name)?.byKey ?? new Map<string, object>();
        if (record === after && after) byKey.set(key, after);
        else byKey.delete(key);
        this.#lists.set(name, { byKey });
      }
    }
  }

  /** Returns the deleted records that reads still show. */
  #fading<Name extends Lagging>(table: Name, member: keyof Tables[Name], value: string) {
    const isFading = ({ until, record }: { until: number; record: Tables[Lagging] }) =>
      until > this.lag.now() && !this.read(table, record.id) && Reflect.get(record, member) === value;
    const fading = this.#deleted.filter((deleted) => deleted.table === table && isFading(deleted));
    return fading.map(({ record }) => record as Tables[Name]);
  }

  #rows<Name extends TableName>(name: Name) {
    return this.#tables.get(name) as Map<string, Tables[Name]>;
  }
}

// An organization's name is its identity, and a token is found by its digest.
function toKey(record: Tables[TableName]): string {
  if ('id' in record) return record.id;
  return 'digest' in record ? record.digest : record.name;
}

/** Sorts the oldest first, and then by id. Projects and workspaces have no age. */
function sortByAge<Item extends object>(items: readonly Item[]): readonly Item[] {
  const rank = ({ createdAt = '', id = '' }: { createdAt?: string; id?: string }) => `${createdAt} ${id}`;
  const ranked = items.map((item) => ({ item, rank: rank(item) }));
  return ranked.sort((left, right) => (left.rank < right.rank ? -1 : 1)).map(({ item }) => item);
}
