/** The ledger as a file: strict reading, one way of writing. */
import { NotAFile, readPlainFile } from '../../resources/plain-file';
import { replaceFile } from './durable';
import type { Ledger } from './ledger';
import { inaccessible, LedgerError, systemCode } from './ledger-error';
import { orderLedger } from './order';
import { doubtfulMember, shapeProblems } from './schema';

const restore =
  'It was left as it is. Restore it from version control or a backup; do not delete it, or what it lists will look foreign.';

/** No ledger comes near it; a device has no end. */
const mostBytes = 500_000_000;

function corrupt(file: string, what: string): LedgerError {
  return new LedgerError('corrupt', file, what, restore);
}

function isLedger(value: unknown): value is Ledger {
  return shapeProblems('ledger', value).length === 0;
}

/** What the shape cannot say: kinds fit their keys, and no object stands under two. Empty when all is well. */
function contradictions(ledger: Ledger): string[] {
  const holders = new Map<string, string>();
  const misplaced = [...Object.entries(ledger.objects), ...Object.entries(ledger.pending)]
    .filter(([key, entry]) => !key.startsWith(`${entry.kind}/`))
    .map(([key, entry]) => `${key} holds a ${entry.kind}`);
  const shared = Object.entries(ledger.objects).flatMap(([key, object]) => {
    const identity = `${object.kind} ${object.id}`;
    const holder = holders.get(identity);
    holders.set(identity, key);
    return holder === undefined ? [] : [`${holder} and ${key} both claim ${object.id}`];
  });
  return [...misplaced, ...shared];
}

function some(problems: readonly string[]): string {
  const more = problems.length > 5 ? `; and ${problems.length - 5} more` : '';
  return `${problems.slice(0, 5).join('; ')}${more}`;
}

/** Reads a ledger's text. Throws `LedgerError` for anything that is not exactly a ledger of this version. */
export function parseLedger(text: string, file: string): Ledger {
  if (text.trim() === '') throw corrupt(file, 'The ledger is empty.');
  if (/^(<{7}|={7}|>{7})/m.test(text)) throw corrupt(file, 'The ledger holds the marks of a merge conflict.');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw corrupt(file, 'The ledger is not JSON, or only half of it is there.');
  }
  const version =
    typeof value === 'object' && value !== null && 'version' in value ? value.version : undefined;
  if (typeof version === 'number' && version > 1) {
    throw new LedgerError(
      'newer',
      file,
      `The ledger has version ${version}; this tether knows version 1.`,
      'It was left as it is. Use the newer tether that wrote it.',
    );
  }
  if (!isLedger(value)) throw corrupt(file, `This is not a ledger: ${some(shapeProblems('ledger', value))}.`);
  const doubtful = doubtfulMember(text);
  if (doubtful !== null) throw corrupt(file, `The member "${doubtful}" stands twice or is not allowed.`);
  const wrong = contradictions(value);
  if (wrong.length > 0) throw corrupt(file, `The ledger contradicts itself: ${some(wrong)}.`);
  return value;
}

/** The text of a ledger: members in order, one final newline. The same ledger always gives the same text. */
export function serializeLedger(ledger: Ledger): string {
  return `${JSON.stringify(orderLedger(ledger), null, 2)}\n`;
}

/** A file's bytes, or null when there is no such file. Throws `LedgerError` when it cannot be read. */
export function readBytes(file: string): Buffer | null {
  try {
    const bytes = readPlainFile(file, mostBytes);
    if (bytes.length <= mostBytes) return bytes;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    if (!(error instanceof NotAFile)) throw inaccessible(file, 'read it', error);
    throw new LedgerError('inaccessible', file, `This is ${error.kind}, not a plain file.`, 'Move it away.');
  }
  throw corrupt(file, `The file has more than ${mostBytes} bytes.`);
}

/** The text of these bytes. Throws `LedgerError` when they are not UTF-8. */
export function decode(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw corrupt(file, 'The file is not UTF-8 text.');
  }
}

/** The ledger of a file, or null when there is no such file. */
export function readLedger(file: string): Ledger | null {
  const bytes = readBytes(file);
  return bytes === null ? null : parseLedger(decode(bytes, file), file);
}

/** Replaces the file's content at once, or not at all. What could not be read back is not written. */
export async function writeLedger(file: string, ledger: Ledger): Promise<void> {
  const text = serializeLedger(ledger);
  parseLedger(text, file);
  try {
    await replaceFile(file, text);
  } catch (error) {
    throw inaccessible(file, 'write it', error);
  }
}
