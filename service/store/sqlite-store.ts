// The store that survives: everything in memory, and every write in an SQLite file before it is acknowledged.

import { existsSync } from 'node:fs';
import Database from 'libsql';
import { codeOf } from '../failure';
import { refusalOf, StoreFileError, whyNotMade } from './data-file';
import { MemoryStore } from './memory-store';
import { memberText, type Store, type TableName, type Tables, tableDefinitions, tableNames } from './store';

// Marks a file as ours: the letters "tthr".
const applicationId = 0x74746872;

// Entry n brings a file of version n to version n + 1.
const migrations = [
  'CREATE TABLE records (kind TEXT NOT NULL, key TEXT NOT NULL, record TEXT NOT NULL, PRIMARY KEY (kind, key)) STRICT',
];

type Write = { kind: TableName; key: string; record: string | null };

/** Opens or makes the file. Throws a StoreFileError. Only one process at a time can have it open. */
export function openSqliteStore(file: string): Store {
  const refusal = refusalOf(file);
  if (refusal !== undefined) throw new StoreFileError(file, refusal);
  const isNew = !existsSync(file);
  let database: Database.Database | undefined;
  try {
    database = new Database(file);
    checkIdentity(file, database, isNew);
    database.pragma('locking_mode=EXCLUSIVE');
    database.pragma('journal_mode=WAL');
    database.pragma('synchronous=FULL');
    migrate(database);
    return new SqliteStore(database);
  } catch (error) {
    if (database) release(database);
    throw error instanceof StoreFileError ? error : explain(file, error);
  }
}

// libsql keeps the file open until the statements are collected as garbage, so the locks are given back by hand.
function release(database: Database.Database): void {
  try {
    database.pragma('locking_mode=NORMAL');
    database.prepare('SELECT count(*) FROM sqlite_schema').all();
  } catch {
    // What was never locked, or never was a database, has nothing to give back.
  }
  database.close();
}

function explain(file: string, error: unknown): StoreFileError {
  const code = codeOf(error);
  if (code === 'SQLITE_BUSY') {
    return new StoreFileError(
      file,
      'is in use by another process. Stop that one, or choose another file.',
      error,
    );
  }
  if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT') {
    const why = 'is no database or is damaged. It was left as it is; choose another file or restore a copy.';
    return new StoreFileError(file, why, error);
  }
  return new StoreFileError(file, whyNotMade(file), error);
}

// The one value of a query's one row; libsql plucks with `all` but not with `get`.
function onlyValue(database: Database.Database, query: string): unknown {
  return database.prepare(query).pluck().all()[0];
}

function numberOf(database: Database.Database, query: string): number {
  return Number(onlyValue(database, query));
}

function checkIdentity(file: string, database: Database.Database, isNew: boolean): void {
  const tables = numberOf(database, 'SELECT count(*) FROM sqlite_schema');
  if (isNew || tables === 0) return;
  if (numberOf(database, 'PRAGMA application_id') !== applicationId) {
    throw new StoreFileError(
      file,
      'is a database of some other program. It was left as it is; choose another file.',
    );
  }
  const version = numberOf(database, 'PRAGMA user_version');
  if (version > migrations.length) {
    const why = `was written by a newer version (format ${version}, this one knows ${migrations.length}). Update Tether, or choose another file.`;
    throw new StoreFileError(file, why);
  }
  const health = onlyValue(database, 'PRAGMA quick_check(1)');
  if (health !== 'ok') {
    throw new StoreFileError(file, `is damaged (${String(health)}). Restore a copy, or choose another file.`);
  }
}

function migrate(database: Database.Database): void {
  database.exec('BEGIN IMMEDIATE');
  for (const statement of migrations.slice(numberOf(database, 'PRAGMA user_version')))
    database.exec(statement);
  database.exec(`PRAGMA application_id=${applicationId}`);
  database.exec(`PRAGMA user_version=${migrations.length}`);
  database.exec('COMMIT');
}

class SqliteStore implements Store {
  readonly #memory = new MemoryStore();
  readonly #database: Database.Database;
  readonly #insert: Database.Statement;
  readonly #delete: Database.Statement;
  #writes: Write[] | undefined;

  constructor(database: Database.Database) {
    this.#database = database;
    this.#insert = database.prepare('INSERT OR REPLACE INTO records (kind, key, record) VALUES (?, ?, ?)');
    this.#delete = database.prepare('DELETE FROM records WHERE kind = ? AND key = ?');
    for (const table of tableNames) this.#load(table);
  }

  #load(table: TableName): void {
    const rows = this.#database.prepare('SELECT record FROM records WHERE kind = ?').pluck().all(table);
    for (const row of rows) this.#memory.put(table, JSON.parse(String(row)));
  }

  read<Name extends TableName>(table: Name, key: string): Tables[Name] | undefined {
    return this.#memory.read(table, key);
  }

  list<Name extends TableName>(table: Name, index: string, value: string): Tables[Name][] {
    return this.#memory.list(table, index, value);
  }

  all<Name extends TableName>(table: Name): Tables[Name][] {
    return this.#memory.all(table);
  }

  put<Name extends TableName>(table: Name, record: Tables[Name]): void {
    if (!this.#writes) {
      this.atomically(() => this.put(table, record));
      return;
    }
    this.#memory.put(table, record);
    const key = memberText(record, tableDefinitions[table].key);
    this.#writes.push({ kind: table, key, record: JSON.stringify(record) });
  }

  remove(table: TableName, key: string): boolean {
    if (!this.#writes) return this.atomically(() => this.remove(table, key));
    this.#writes.push({ kind: table, key, record: null });
    return this.#memory.remove(table, key);
  }

  // The file is written inside the memory's own transaction, so that a full disk undoes both.
  atomically<Result>(work: () => Result): Result {
    return this.#memory.atomically(() => {
      const writes: Write[] = [];
      this.#writes = writes;
      try {
        const result = work();
        this.#commit(writes);
        return result;
      } finally {
        this.#writes = undefined;
      }
    });
  }

  #commit(writes: readonly Write[]): void {
    if (writes.length === 0) return;
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const { kind, key, record } of writes) {
        if (record === null) this.#delete.run(kind, key);
        else this.#insert.run(kind, key, record);
      }
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  // Out of WAL mode the whole store is the one file, and the lock can be given back.
  close(): void {
    this.#database.pragma('journal_mode=DELETE');
    release(this.#database);
  }
}
