// A JSON snapshot of all records, read at the start and written whole after each change.

import fs from 'node:fs';
import path from 'node:path';
import { codeOf, messageOf, parseJson, ServiceError } from '../machine';
import { compile, object } from '../schema';
import { type Records, recordsSchema, tableNames } from './records';
import { Store } from './store';

const format = 'tether-service-data';
const version = 1;

/** What was there is as it was. */
export class DataFileError extends ServiceError {
  constructor(file: string, why: string, cause?: unknown) {
    super(`${file || 'data file'}: ${why}`, { cause });
  }
}

/** Nothing where the file is new or empty. Throws a DataFileError. */
export function readDataFile(file: string): Store {
  const store = new Store();
  const bytes = contentOf(file);
  if (bytes.length === 0) return store;
  const records = recordsOf(file, bytes);
  store.atomically(() => {
    for (const table of tableNames) {
      for (const record of records[table]) store.put(table, record);
    }
  });
  return store;
}

/** Replaces the file in one step, or throws a DataFileError. */
export function writeDataFile(file: string, store: Store): void {
  const snapshot = { format, version, records: store.records() };
  const temporary = `${file}.tether-tmp`;
  try {
    fs.rmSync(temporary, { force: true });
    fs.writeFileSync(temporary, JSON.stringify(snapshot), { flag: 'wx', mode: 0o600 });
    fs.renameSync(temporary, look(file) === 'ENOENT' ? file : fs.realpathSync(file));
  } catch (error) {
    try {
      fs.rmSync(temporary, { force: true });
    } catch {
      // What cannot be removed is in the way of the next write, which reports it.
    }
    throw new DataFileError(file, `cannot be written: ${messageOf(error)}`, error);
  }
}

/** Throws why records cannot be kept there, and what to do. */
function contentOf(file: string): Buffer {
  const refuse = (why: string, cause?: unknown): never => {
    throw new DataFileError(file, why, cause);
  };
  if (file === '') return refuse('no file is named. Name one, or leave it out to keep nothing.');
  const found = look(file);
  if (found === 'ENOENT') {
    const folder = path.dirname(path.resolve(file));
    const around = look(folder);
    if (look(file, fs.lstatSync) !== 'ENOENT') {
      return refuse('is a link to nothing. Remove it, or choose another file.');
    }
    if (typeof around === 'string') {
      return refuse(`its folder ${folder} does not exist. Make it first, or choose another file.`);
    }
    return around.isDirectory() ? Buffer.alloc(0) : refuse(`${folder} is not a folder. Choose another file.`);
  }
  if (typeof found === 'string') return refuse(`cannot be looked at (${found}). Choose another file.`);
  if (found.isDirectory()) {
    return refuse(`is a folder. Name a file in it, such as ${path.join(file, 'service.json')}.`);
  }
  if (!found.isFile()) return refuse('is not a plain file. Choose another one.');
  try {
    fs.closeSync(fs.openSync(file, 'r+'));
    return fs.readFileSync(file);
  } catch (error) {
    const advice = 'Change its permissions, or choose another file.';
    return refuse(`may not be read and written by this user (${codeOf(error)}). ${advice}`, error);
  }
}

/** What is there, or the code of the failure to look. */
function look(file: string, stat: (file: string) => fs.Stats = fs.statSync) {
  try {
    return stat(file);
  } catch (error) {
    const code = codeOf(error);
    return code === 'ENOTDIR' ? 'ENOENT' : code;
  }
}

function recordsOf(file: string, bytes: Buffer) {
  const refuse = (why: string): never => {
    throw new DataFileError(file, `${why}. It was left as it is: choose another file, or remove this one.`);
  };
  let value: unknown;
  try {
    value = parseJson(bytes);
  } catch {
    return refuse('is not JSON, or is damaged');
  }
  const held: { format?: unknown; version?: unknown; records: Records } = Object(value);
  if (held.format !== format) return refuse('is not a data file of this service');
  if (held.version !== version) {
    return refuse(`has version ${held.version}, and this service reads version ${version} only`);
  }
  const [wrong] = compile(object({ records: recordsSchema }))(value);
  return wrong
    ? refuse(`does not fit this version of the service: ${wrong.instancePath || '/'} ${wrong.message}`)
    : held.records;
}
