// Tables of records in memory, found by key or by an indexed member.

import { type Records, type TableName, type Tables, tableNames, tables } from './records';

class Table<Record extends object> {
  readonly records = new Map<string, Record>();
  readonly #listed = new Map<string, Map<string, Record>>();

  constructor(private readonly indexes: readonly string[]) {}

  set(key: string, record: Record | undefined): Record | undefined {
    const before = this.records.get(key);
    if (before) for (const list of this.#listsOf(before)) list.delete(key);
    if (record) for (const list of this.#listsOf(record)) list.set(key, record);
    if (record) this.records.set(key, record);
    else this.records.delete(key);
    return before;
  }

  list(member: string, value: string): Record[] {
    return [...(this.#listed.get(`${member} ${value}`)?.values() ?? [])];
  }

  /** For each indexed member, the records that have the same value in it. */
  #listsOf(record: Record): Map<string, Record>[] {
    return this.indexes.map((member) => {
      const name = `${member} ${Reflect.get(record, member)}`;
      const list = this.#listed.get(name) ?? new Map<string, Record>();
      this.#listed.set(name, list);
      return list;
    });
  }
}

/** All records. Every call is synchronous, so what runs between two awaits is never interleaved. */
export class Store {
  readonly #tables = new Map<TableName, Table<object>>(
    tableNames.map((name) => [name, new Table(tables[name].indexes)]),
  );
  #undo: (() => void)[] | undefined;
  #keep: (() => void) | undefined;

  read<Name extends TableName>(table: Name, key: string): Tables[Name] | undefined {
    return this.#table(table).records.get(key);
  }

  /** Those whose indexed member has that value, in no particular order. */
  list<Name extends TableName>(table: Name, index: string, value: string): Tables[Name][] {
    return this.#table(table).list(index, value);
  }

  records(): Records {
    const all = tableNames.map((name) => [name, [...this.#table(name).records.values()]]);
    return Object.fromEntries(all) as Records;
  }

  isEmpty(): boolean {
    return tableNames.every((name) => this.#table(name).records.size === 0);
  }

  /** Inserts the record, or replaces the one with the same key. Only inside `atomically`. */
  put<Name extends TableName>(table: Name, record: Tables[Name]): void {
    this.#set(table, String(Reflect.get(record, tables[table].key)), record);
  }

  /** Removes the record with that key; false when there was none. Only inside `atomically`. */
  remove(table: TableName, key: string): boolean {
    return this.#set(table, key, undefined) !== undefined;
  }

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
    const undo: (() => void)[] = [];
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

  #set<Name extends TableName>(name: Name, key: string, record: Tables[Name] | undefined) {
    if (!this.#undo) throw new Error('a write outside of a transaction, which nothing would keep');
    const table = this.#table(name);
    const before = table.set(key, record);
    if (before || record) this.#undo.push(() => table.set(key, before));
    return before;
  }
}
