// What the service holds: tables of records in memory, found by key or by an indexed member. It knows no HTTP.

import { type Records, type TableName, type Tables, tableNames, tables } from './records';

type Undo = () => void;

class Table<Record extends object> {
  readonly records = new Map<string, Record>();
  readonly #indexes: ReadonlyMap<string, Map<string, Map<string, Record>>>;

  constructor(
    private readonly key: string,
    indexes: readonly string[],
  ) {
    this.#indexes = new Map(indexes.map((member) => [member, new Map()]));
  }

  put(record: Record): Undo {
    const key = textOf(record, this.key);
    const before = this.#take(key);
    this.records.set(key, record);
    for (const [member, index] of this.#indexes) {
      const value = textOf(record, member);
      const entries = index.get(value) ?? new Map<string, Record>();
      index.set(value, entries.set(key, record));
    }
    return () => void (before ? this.put(before) : this.#take(key));
  }

  /** Undefined when there is no such record. */
  remove(key: string): Undo | undefined {
    const before = this.#take(key);
    return before && (() => void this.put(before));
  }

  list(member: string, value: string): Record[] {
    return [...(this.#indexes.get(member)?.get(value)?.values() ?? [])];
  }

  #take(key: string): Record | undefined {
    const record = this.records.get(key);
    if (!record) return undefined;
    this.records.delete(key);
    for (const [member, index] of this.#indexes) {
      const value = textOf(record, member);
      const entries = index.get(value);
      entries?.delete(key);
      if (entries?.size === 0) index.delete(value);
    }
    return record;
  }
}

// Absent members are indexed as the empty text.
function textOf(record: object, member: string): string {
  const value: unknown = Reflect.get(record, member);
  return typeof value === 'string' ? value : '';
}

/** All records. Every call is synchronous, so what runs between two awaits is never interleaved with another request. */
export class Store {
  readonly #tables = new Map<TableName, Table<object>>(
    tableNames.map((name) => [name, new Table(tables[name].key, tables[name].indexes)]),
  );
  #undo: Undo[] | undefined;
  #keep: (() => void) | undefined;

  /** The record with that key, or undefined. */
  read<Name extends TableName>(table: Name, key: string): Tables[Name] | undefined {
    return this.#table(table).records.get(key);
  }

  /** All records whose indexed member has that value, in no particular order. */
  list<Name extends TableName>(table: Name, index: string, value: string): Tables[Name][] {
    return this.#table(table).list(index, value);
  }

  /** All records of a table, in no particular order. */
  all<Name extends TableName>(table: Name): Tables[Name][] {
    return [...this.#table(table).records.values()];
  }

  /** Whether there is no record at all. */
  isEmpty(): boolean {
    return tableNames.every((name) => this.#table(name).records.size === 0);
  }

  /** All records by table. */
  records(): Records {
    return Object.fromEntries<unknown>(tableNames.map((name) => [name, this.all(name)])) as Records;
  }

  /** Inserts the record, or replaces the one with the same key. Only inside `atomically`. */
  put<Name extends TableName>(table: Name, record: Tables[Name]): void {
    const undo = this.#writes();
    undo.push(this.#table(table).put(record));
  }

  /** Removes the record with that key; false when there was none. Only inside `atomically`. */
  remove(table: TableName, key: string): boolean {
    const undo = this.#writes();
    const back = this.#table(table).remove(key);
    if (back) undo.push(back);
    return back !== undefined;
  }

  /** Removes every record. Only inside `atomically`. */
  clear(): void {
    for (const name of tableNames) {
      for (const key of [...this.#table(name).records.keys()]) this.remove(name, key);
    }
  }

  /** Has every transaction that wrote something end with `keep`; when that throws, the transaction is undone. */
  keepWith(keep: () => void): void {
    this.#keep = keep;
  }

  /** Runs the work so that either all of its writes are kept or, when it throws, none. Not to be nested. */
  atomically<Result>(work: () => Result): Result {
    const undo: Undo[] = [];
    this.#undo = undo;
    try {
      const result = work();
      if (undo.length > 0) this.#keep?.();
      return result;
    } catch (error) {
      for (const one of undo.reverse()) one();
      throw error;
    } finally {
      this.#undo = undefined;
    }
  }

  #table<Name extends TableName>(name: Name): Table<Tables[Name]> {
    return this.#tables.get(name) as Table<Tables[Name]>;
  }

  #writes(): Undo[] {
    if (!this.#undo) throw new Error('a write outside of a transaction, which nothing would keep');
    return this.#undo;
  }
}
