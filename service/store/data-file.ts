// The data file: a JSON snapshot of all records in its first line, then a line for each transaction since.

import fs from 'node:fs';
import path from 'node:path';
import { codeOf, messageOf, parseJson, ServiceError } from '../machine';
import {
  choice,
  closed,
  compile,
  exactly,
  expectation,
  list,
  object,
  orNull,
  type SchemaOf,
  string,
} from '../schema';
import { recordsSchema, type TableName, type Tables, tableNames, tables } from './records';
import { type Change, Store } from './store';

const format = 'tether-service-data';
const version = 1;
const form = object({ format: exactly(format), version: { const: version }, records: recordsSchema });
const anyRecord: SchemaOf<Tables[TableName]> = { type: 'object' };
const lineForm = list(
  closed(object({ table: choice(...tableNames), key: string, record: orNull(anyRecord) })),
);

/** What was there is as it was. */
export class DataFileError extends ServiceError {
  constructor(file: string, why: string) {
    super(`${file || 'data file'}: ${why}`);
  }
}

/** Nothing where the file is new or empty. Throws a DataFileError. */
export function readDataFile(file: string): Store {
  const store = new Store();
  const bytes = contentOf(file);
  if (bytes.length === 0) return store;
  const [records, changes] = recordsOf(file, bytes);
  store.atomically(() => {
    for (const table of tableNames) {
      for (const record of records[table]) store.put(table, record);
    }
    for (const { table, key, record } of changes) {
      if (record) store.put(table, record);
      else store.remove(table, key);
    }
  });
  return store;
}

/** Lines may take as much as the snapshot, and this, before all is written anew. */
const roomForLines = 64 * 1024;

/** The file as we left it, open, and how long it may become by lines. */
interface Written {
  readonly fd: number;
  readonly inode: number;
  readonly most: number;
  size: number;
}

/** Keeps a store in a file: a snapshot in its first line, then a line for each transaction since. */
export class DataFile {
  #written: Written | undefined;
  #hasLines = false;

  constructor(
    private readonly file: string,
    private readonly store: Store,
  ) {}

  /** Adds a line, which takes the same time however much there is. Throws a DataFileError when it is not in the file. */
  keep(changes: readonly Change[]): void {
    const made = changes.map(({ table, key, after = null }) => ({ table, key, record: after }));
    const line = `${JSON.stringify(made)}\n`;
    const length = Buffer.byteLength(line);
    const written = this.#written;
    const hasRoom = written !== undefined && written.size + length <= written.most;
    if (!hasRoom || !this.#isUntouched(written)) {
      this.write();
      return;
    }
    this.#hasLines = true;
    try {
      if (fs.writeSync(written.fd, line, written.size) < length) throw new Error('ENOSPC: no space left');
    } catch (error) {
      // After half a line none can follow: the next write is a snapshot.
      this.#forget();
      throw this.#unwritten(error);
    }
    written.size += length;
  }

  /** Replaces the file by a snapshot in one step, or throws a DataFileError. */
  write(): void {
    const { file, store } = this;
    const bytes = Buffer.from(`${JSON.stringify({ format, version, records: store.records() })}\n`);
    const temporary = `${file}.tether-tmp`;
    this.#forget();
    let fd: number | undefined;
    try {
      fs.rmSync(temporary, { force: true });
      fd = fs.openSync(temporary, 'wx', 0o600);
      fs.writeFileSync(fd, bytes);
      fs.renameSync(temporary, fs.existsSync(file) ? fs.realpathSync(file) : file);
    } catch (error) {
      if (fd !== undefined) fs.closeSync(fd);
      try {
        fs.rmSync(temporary, { force: true });
      } catch {
        // What cannot be removed is in the way of the next write, which reports it.
      }
      throw this.#unwritten(error);
    }
    const size = bytes.length;
    this.#written = { fd, inode: fs.fstatSync(fd).ino, size, most: 2 * size + roomForLines };
    this.#hasLines = false;
  }

  /** Leaves a snapshot alone, as far as it can be written: the lines say the same. What another one wrote meanwhile stays. */
  close(): void {
    try {
      if (this.#hasLines && this.#written && this.#isUntouched(this.#written)) this.write();
    } catch {
      // Nothing is lost.
    }
    this.#forget();
  }

  /** Whether the path still leads to what we wrote. */
  #isUntouched({ inode, size }: Written): boolean {
    const found = fs.statSync(this.file, { throwIfNoEntry: false });
    return found !== undefined && found.ino === inode && found.size === size;
  }

  #forget() {
    if (this.#written) fs.closeSync(this.#written.fd);
    this.#written = undefined;
  }

  #unwritten(error: unknown) {
    return new DataFileError(this.file, `cannot be written: ${messageOf(error)}`);
  }
}

/** Empty where a file can be made. Throws why records cannot be kept there, and what to do. */
function contentOf(file: string): Buffer {
  let why: string | undefined;
  try {
    why = obstacleAt(file);
    if (why === undefined)
      return fs.existsSync(file) ? fs.readFileSync(file, { flag: 'r+' }) : Buffer.alloc(0);
  } catch (error) {
    why = `cannot be read and written by this user (${codeOf(error)}). Change its permissions, or choose another file.`;
  }
  throw new DataFileError(file, why);
}

function obstacleAt(file: string): string | undefined {
  if (file === '') return 'no file is named. Name one, or leave it out to keep nothing.';
  const orNone = { throwIfNoEntry: false } as const;
  const folder = path.dirname(path.resolve(file));
  const around = fs.statSync(folder, orNone);
  if (!around) return `its folder ${folder} does not exist. Make it first, or choose another file.`;
  if (!around.isDirectory()) return `${folder} is not a folder. Choose another file.`;
  if (!fs.lstatSync(file, orNone)) return undefined;
  const found = fs.statSync(file, orNone);
  if (!found) return 'is a link to nothing. Remove it, or choose another file.';
  if (found.isDirectory())
    return `is a folder. Name a file in it, such as ${path.join(file, 'service.json')}.`;
  return found.isFile() ? undefined : 'is not a plain file. Choose another one.';
}

/** The snapshot's, and what was changed since. */
function recordsOf(file: string, bytes: Buffer) {
  const refuse = (why: string): never => {
    throw new DataFileError(file, `${why}. It was left as it is: choose another file, or remove this one.`);
  };
  const parsed = (part: Buffer): unknown => {
    try {
      return parseJson(part);
    } catch {
      return refuse('is not JSON, or is damaged');
    }
  };
  const checked = <Value>(value: unknown, schema: SchemaOf<Value>, at = ''): Value => {
    const [wrong] = compile(schema)(value);
    if (!wrong) return value as Value;
    const place = `${at}${wrong.instancePath}`.trim() || '/';
    return refuse(`is not a data file of this version of the service: ${place} ${expectation(wrong)}`);
  };
  const [snapshot, ...lines] = linesOf(bytes);
  const { records } = checked(parsed(snapshot), form);
  const changes = lines.flatMap((line, index) => {
    const at = `line ${index + 2} `;
    const made = checked(parsed(line), lineForm, at);
    for (const { table, record } of made) checked<unknown>(record, orNull<unknown>(tables[table].record), at);
    return made;
  });
  return [records, changes] as const;
}

/** The snapshot, which may be laid out over several lines where nothing follows it, and the transactions. */
function linesOf(bytes: Buffer): [Buffer, ...Buffer[]] {
  const end = bytes.indexOf('\n');
  if (end < 0 || bytes[end + 1] !== '['.charCodeAt(0)) return [bytes];
  const lines: [Buffer, ...Buffer[]] = [bytes.subarray(0, end)];
  let start = end + 1;
  for (let at = bytes.indexOf('\n', start); at >= 0; at = bytes.indexOf('\n', start)) {
    lines.push(bytes.subarray(start, at));
    start = at + 1;
  }
  // What follows the last end of a line was cut off before its answer.
  return lines;
}
