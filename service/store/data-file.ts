// A JSON snapshot of all records, read at the start and written whole after each change.

import fs from 'node:fs';
import path from 'node:path';
import { codeOf, messageOf, parseJson, ServiceError } from '../machine';
import { compile, exactly, expectation, object, type TypeOf } from '../schema';
import { type Records, recordsSchema, tableNames } from './records';
import { Store } from './store';

const format = 'tether-service-data';
const version = 1;
const form = object({ format: exactly(format), version: { const: version }, records: recordsSchema });

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
    fs.renameSync(temporary, fs.existsSync(file) ? fs.realpathSync(file) : file);
  } catch (error) {
    try {
      fs.rmSync(temporary, { force: true });
    } catch {
      // What cannot be removed is in the way of the next write, which reports it.
    }
    throw new DataFileError(file, `cannot be written: ${messageOf(error)}`);
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

function recordsOf(file: string, bytes: Buffer): Records {
  const refuse = (why: string): never => {
    throw new DataFileError(file, `${why}. It was left as it is: choose another file, or remove this one.`);
  };
  let value: unknown;
  try {
    value = parseJson(bytes);
  } catch {
    return refuse('is not JSON, or is damaged');
  }
  const [wrong] = compile(form)(value);
  if (!wrong) return (value as TypeOf<typeof form>).records;
  const place = wrong.instancePath || '/';
  return refuse(`is not a data file of this version of the service: ${place} ${expectation(wrong)}`);
}
