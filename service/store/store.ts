// Tables of records in memory, found by key or by an indexed member.

import { type Records, type TableName, type Tables, tableNames, tables } from './records';

type AnyRecord = Tables[TableName];

/** All records. Every call is synchronous, so what runs between two awaits is never interleaved. */
export class Store {
  readonly #tables = new Map(tableNames.map((name) => [name, new Map<string, unknown>()]));
  readonly #lists = new Map<string, Map<string, unknown>>();
  #undo: (() => void)[] | undefined;
  #keep: (() => void) | undefined;

  read<Name extends TableName>(table: Name, key: string): Tables[Name] | undefined {
    return this.#rows(table).get(key);
  }

  /** Those whose indexed member has that value, in no particular order. */
  list<Name extends TableName>(table: Name, index: string, value: string): Tables[Name][] {
    return [...(this.#lists.get(`${table} ${index} ${value}`)?.values() ?? [])] as Tables[Name][];
  }

  records(): Records {
    const all = tableNames.map((name) => [name, [...this.#rows(name).values()]]);
    return Object.fromEntries(all) as Records;
  }

  isEmpty(): boolean {
    return tableNames.every((name) => this.#rows(name).size === 0);
  }

  /** Inserts the record, or replaces the one with the same key. Only inside `atomically`. */
  put<Name extends TableName>(table: Name, record: Tables[Name]): void {
    this.#write(table, String(Reflect.get(record, tables[table].key)), record);
  }

  /** Removes the record with that key, if there is one. Only inside `atomically`. */
  remove(table: TableName, key: string): void {
    this.#write(table, key, undefined);
  }

  clear(): void {
    for (const name of tableNames) {
      for (const key of [...this.#rows(name).keys()]) this.remove(name, key);
    }
  }

  /** Every transaction that wrote something ends with `keep`; when that throws, it is undone. */
  keepWith(keep: () => void): void {
    this.#keep = keep;
  }

  /** Keeps all writes of the work or, when it throws, none. Not to be nested. */
  atomically(work: () => void): void {
    const undo: (() => void)[] = [];
    this.#undo = undo;
    try {
      work();
      if (undo.length > 0) this.#keep?.();
    } catch (error) {
      for (const one of undo.reverse()) one();
      throw error;
    } finally {
      this.#undo = undefined;
    }
  }

  #rows<Name extends TableName>(name: Name) {
    return this.#tables.get(name) as Map<string, Tables[Name]>;
  }

  #write(table: TableName, key: string, record: AnyRecord | undefined) {
    if (!this.#undo) throw new Error('a write outside of a transaction, which nothing would keep');
    const before = this.read(table, key);
    this.#replace(table, key, before, record);
    if (before || record) this.#undo.push(() => this.#replace(table, key, record, before));
  }

  #replace(table: TableName, key: string, before: AnyRecord | undefined, after: AnyRecord | undefined) {
    for (const list of this.#listsOf(table, before)) list.delete(key);
    for (const list of this.#listsOf(table, after)) list.set(key, after);
    if (after) this.#rows(table).set(key, after);
    else this.#rows(table).delete(key);
  }

  /** For each indexed member, the records that have the same value in it. */
  #listsOf(table: TableName, record: AnyRecord | undefined) {
    if (!record) return [];
    return tables[table].indexes.map((index) => {
      const name = `${table} ${index} ${Reflect.get(record, index)}`;
      const list = this.#lists.get(name) ?? new Map<string, unknown>();
      this.#lists.set(name, list);
      return list;
    });
  }
}
