// Tables of records in memory, found by key or by an indexed member.

import { type Records, type TableName, type Tables, tableNames, tables } from './records';

type AnyRecord = Tables[TableName];

/** Of one record: no `before` where it was put first, no `after` where it was removed. */
interface Change {
  readonly table: TableName;
  readonly key: string;
  readonly before: AnyRecord | undefined;
  readonly after: AnyRecord | undefined;
}

interface IndexedList {
  readonly byKey: Map<string, unknown>;
  /** Made when it is asked for. */
  all: readonly unknown[] | undefined;
}

/** All records. Every call is synchronous, so what runs between two awaits is never interleaved. */
export class Store {
  readonly #tables = new Map(tableNames.map((name) => [name, new Map<string, unknown>()]));
  /** By table, each indexed member with the lists of its values. */
  readonly #indexes = new Map(
    tableNames.map((name) => [name, tables[name].indexes.map((member) => ({ member, lists: new Map() }))]),
  ) as Map<TableName, { member: string; lists: Map<unknown, IndexedList> }[]>;
  readonly #pairs = new Map<string, number>();
  #changes: Change[] | undefined;

  read<Name extends TableName>(table: Name, key: string): Tables[Name] | undefined {
    return this.#rows(table).get(key);
  }

  /** Those whose indexed member has that value, in no particular order: the same array until one of them changes. */
  list<Name extends TableName>(table: Name, index: string, value: string): readonly Tables[Name][] {
    const list = this.#listOf(table, index, value);
    if (list === undefined) return [];
    list.all ??= [...list.byKey.values()];
    return list.all as readonly Tables[Name][];
  }

  count(table: TableName, index: string, value: string): number {
    return this.#listOf(table, index, value)?.byKey.size ?? 0;
  }

  /** Whether a record has these values in the members of the table's pair. */
  hasPair(table: TableName, ...values: readonly [string, string]): boolean {
    return this.#pairs.has(`${table} ${values.join(' ')}`);
  }

  records(): Records {
    const all = tableNames.map((name) => [name, [...this.#rows(name).values()]]);
    return Object.fromEntries(all) as Records;
  }

  /** Removes all records and puts these in their place, in a transaction of its own. */
  replaceBy(records: Records): void {
    this.atomically(() => {
      this.clear();
      for (const name of tableNames) {
        for (const record of records[name]) this.put(name, record);
      }
    });
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

  /** Keeps all writes of the work or, when it throws, none. Not to be nested. */
  atomically(work: () => void): void {
    const changes: Change[] = [];
    this.#changes = changes;
    try {
      work();
    } catch (error) {
      for (const { table, key, before, after } of changes.reverse()) this.#replace(table, key, after, before);
      throw error;
    } finally {
      this.#changes = undefined;
    }
  }

  #rows<Name extends TableName>(name: Name) {
    return this.#tables.get(name) as Map<string, Tables[Name]>;
  }

  #write(table: TableName, key: string, after: AnyRecord | undefined) {
    if (!this.#changes) throw new Error('a write outside of a transaction, which nothing could undo');
    const before = this.read(table, key);
    this.#replace(table, key, before, after);
    if (before || after) this.#changes.push({ table, key, before, after });
  }

  #replace(table: TableName, key: string, before: AnyRecord | undefined, after: AnyRecord | undefined) {
    for (const { member, lists } of this.#indexes.get(table) ?? []) {
      if (before) {
        const list = lists.get(Reflect.get(before, member));
        list?.byKey.delete(key);
        if (list) list.all = undefined;
      }
      if (after) {
        const value = Reflect.get(after, member);
        const list = lists.get(value) ?? { byKey: new Map(), all: undefined };
        list.byKey.set(key, after);
        list.all = undefined;
        lists.set(value, list);
      }
    }
    if (before) this.#countPair(table, before, -1);
    if (after) this.#countPair(table, after, 1);
    if (after) this.#rows(table).set(key, after);
    else this.#rows(table).delete(key);
  }

  #listOf(table: TableName, index: string, value: string) {
    return this.#indexes
      .get(table)
      ?.find(({ member }) => member === index)
      ?.lists.get(value);
  }

  #countPair(table: TableName, record: AnyRecord, change: 1 | -1) {
    const { pair } = tables[table];
    if (pair.length === 0) return;
    const name = `${table} ${pair.map((member) => Reflect.get(record, member)).join(' ')}`;
    const count = (this.#pairs.get(name) ?? 0) + change;
    if (count === 0) this.#pairs.delete(name);
    else this.#pairs.set(name, count);
  }
}
