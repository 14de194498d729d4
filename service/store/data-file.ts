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
    fs.renameSync(temporary, look(file) ? fs.realpathSync(file) : file);
  } catch (error) {
    try {
      fs.rmSync(temporary, { force: true });
    } catch {
      // What cannot be removed is in the way of the next write, which reports it.
    }
    throw new DataFileError(file, `cannot be written: ${messageOf(error)}`, error);
  }
}

/** Empty where a file can be made. Throws why records cannot be kept there, and what to do. */
function contentOf(file: string): Buffer {
  const refuse: (why: string, cause?: unknown) => never = (why, cause) => {
    throw new DataFileError(file, why, cause);
  };
  if (file === '') refuse('no file is named. Name one, or leave it out to keep nothing.');
  const found = look(file);
  if (!found) {
    if (look(file, fs.lstatSync)) refuse('is a link to nothing. Remove it, or choose another file.');
    const folder = path.dirname(path.resolve(file));
    const around = look(folder);
    if (!around) refuse(`its folder ${folder} does not exist. Make it first, or choose another file.`);
    if (!around.isDirectory()) refuse(`${folder} is not a folder. Choose another file.`);
    return Buffer.alloc(0);
  }
  if (found.isDirectory()) {
    refuse(`is a folder. Name a file in it, such as ${path.join(file, 'service.json')}.`);
  }
  if (!found.isFile()) refuse('is not a plain file. Choose another one.');
  try {
    return fs.readFileSync(file, { flag: 'r+' });
  } catch (error) {
    const advice = 'Change its permissions, or choose another file.';
    return refuse(`may not be read and written by this user (${codeOf(error)}). ${advice}`, error);
  }
}

/** Undefined where nothing is. */
function look(file: string, stat: (file: string) => fs.Stats = fs.statSync): fs.Stats | undefined {
  try {
    return stat(file);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new DataFileError(file, `cannot be looked at (${code}). Choose another file.`, error);
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
