// The store that forgets everything when the service ends.

import { memberText, type Store, type TableName, type Tables, tableDefinitions, tableNames } from './store';

type Index = Map<string, Map<string, object>>;

class MemoryTable<Record extends object> {
  readonly records = new Map<string, Record>();
  readonly #indexes: ReadonlyMap<string, Index>;
  readonly #key: string;

  constructor(name: TableName) {
    const definition = tableDefinitions[name];
    this.#key = definition.key;
    this.#indexes = new Map(definition.indexes.map((index) => [index, new Map()]));
  }

  put(record: Record): Record | undefined {
    const key = memberText(record, this.#key);
    const before = this.records.get(key);
    if (before) this.remove(key);
    this.records.set(key, record);
    for (const [member, index] of this.#indexes) {
      const value = memberText(record, member);
      const entries = index.get(value) ?? new Map<string, object>();
      entries.set(key, record);
      index.set(value, entries);
    }
    return before;
  }

  remove(key: string): Record | undefined {
    const record = this.records.get(key);
    if (!record) return undefined;
    this.records.delete(key);
    for (const [member, index] of this.#indexes) {
      const value = memberText(record, member);
      const entries = index.get(value);
      entries?.delete(key);
      if (entries?.size === 0) index.delete(value);
    }
    return record;
  }

  list(index: string, value: string): Record[] {
    const entries = this.#indexes.get(index)?.get(value);
    return entries ? ([...entries.values()] as Record[]) : [];
  }

  keyOf(record: Record): string {
    return memberText(record, this.#key);
  }
}

type MemoryTables = { [Name in TableName]: MemoryTable<Tables[Name]> };

function emptyTables(): MemoryTables {
  const tables = tableNames.map((name) => [name, new MemoryTable(name)] as const);
  return Object.fromEntries(tables) as MemoryTables;
}

/** A store in the memory of this process. */
export class MemoryStore implements Store {
  readonly #tables = emptyTables();
  #undo: (() => void)[] | undefined;

  read<Name extends TableName>(table: Name, key: string): Tables[Name] | undefined {
    return this.#tables[table].records.get(key);
  }

  list<Name extends TableName>(table: Name, index: string, value: string): Tables[Name][] {
    return this.#tables[table].list(index, value);
  }

  all<Name extends TableName>(table: Name): Tables[Name][] {
    return [...this.#tables[table].records.values()];
  }

  put<Name extends TableName>(table: Name, record: Tables[Name]): void {
    const target: MemoryTable<Tables[Name]> = this.#tables[table];
    const before = target.put(record);
    this.#undo?.push(() => (before ? target.put(before) : target.remove(target.keyOf(record))));
  }

  remove(table: TableName, key: string): boolean {
    return this.#removeFrom(this.#tables[table] as MemoryTable<object>, key);
  }

  #removeFrom(target: MemoryTable<object>, key: string): boolean {
    const before = target.remove(key);
    if (before) this.#undo?.push(() => target.put(before));
    return before !== undefined;
  }

  atomically<Result>(work: () => Result): Result {
    this.#undo = [];
    try {
      return work();
    } catch (error) {
      for (const undo of this.#undo.reverse()) undo();
      throw error;
    } finally {
      this.#undo = undefined;
    }
  }

  close(): void {}
}
