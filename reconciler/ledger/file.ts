/** The ledger as a file: strict reading, one way of writing. */
import { withArticle } from '../../resources/names';
import { LedgerError, readBytes, refuseNewer, replaceFile } from './disk';
import { type Ledger, serializeLedger, shapeProblems } from './ledger';

function corrupt(file: string, what: string) {
  const remedy =
    'It was left as it is. Restore it from version control or a backup. Only where there is none, move it away and run `tether export`, which finds again what the manifests declare.';
  return new LedgerError('corrupt', file, what, remedy);
}

/** What the shape cannot say: kinds fit their keys, and no object stands under two. */
function contradictions({ objects, pending }: Ledger) {
  const problems: string[] = [];
  const held = Object.entries(objects);
  for (const some of [held, Object.entries(pending)]) {
    for (const [key, { kind }] of some) {
      if (!key.startsWith(kind) || key[kind.length] !== '/')
        problems.push(`${key} holds ${withArticle(kind)}`);
    }
  }
  const holders = new Map<string, Map<string, string>>();
  for (const [key, { kind, id }] of held) {
    const ofKind = holders.get(kind) ?? new Map<string, string>();
    if (ofKind.size === 0) holders.set(kind, ofKind);
    const holder = ofKind.get(id);
    if (holder !== undefined) problems.push(`${holder} and ${key} both claim ${id}`);
    ofKind.set(id, key);
  }
  return problems;
}

/** Throws `LedgerError` for all but a ledger of this version. */
export function parseLedger(text: string, file: string): Ledger {
  const refuse = (what: string, problems: readonly string[]) => {
    const more = problems.length > 5 ? `; and ${problems.length - 5} more` : '';
    if (problems.length > 0) throw corrupt(file, `${what}: ${problems.slice(0, 5).join('; ')}${more}.`);
  };
  if (text.trim() === '') throw corrupt(file, 'The ledger is empty.');
  if (/^(<{7}|={7}|>{7})/m.test(text)) throw corrupt(file, 'The ledger holds the marks of a merge conflict.');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw corrupt(file, 'The ledger is not JSON, or only half of it is there.');
  }
  refuseNewer(value, 'ledger', 'version', file);
  refuse('This is not a ledger', shapeProblems('ledger', value));
  const doubtful = doubtfulMember(text, value);
  if (doubtful !== null) throw corrupt(file, `The member "${doubtful}" stands twice or is not allowed.`);
  const ledger = value as Ledger;
  refuse('The ledger contradicts itself', contradictions(ledger));
  return ledger;
}

/** A member that stands twice in one object of a JSON text, where JSON.parse, which made `value` of it, keeps the last, or is `__proto__`. */
export function doubtfulMember(json: string, value: unknown): string | null {
  // To count takes a fraction of the time and memory of telling which one.
  return membersWritten(json) === membersKept(value) ? null : findDoubtful(json);
}

function membersWritten(json: string) {
  const text = /"(?:[^"\\]|\\.)*"(?:\s*:)?/g;
  let count = 0;
  while (text.test(json)) if (json[text.lastIndex - 1] === ':') count += 1;
  return count;
}

/** Without `__proto__`. */
function membersKept(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + membersKept(one), 0);
  const members = value as Readonly<Record<string, unknown>>;
  let count = 0;
  for (const name of Object.keys(members)) {
    if (name !== '__proto__') count += 1 + membersKept(members[name]);
  }
  return count;
}

function findDoubtful(json: string): string | null {
  const open: Set<string>[] = [];
  for (const [token, colon] of json.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[{}]/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (colon !== undefined) {
      const name = String(JSON.parse(token.slice(0, -colon.length)));
      const names = open.at(-1);
      if (names?.has(name) || name === '__proto__') return name;
      names?.add(name);
    }
  }
  return null;
}

export function utf8(bytes: Uint8Array, file: string) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw corrupt(file, 'The file is not UTF-8 text.');
  }
}

export function readLedger(file: string): Ledger | null {
  const bytes = readBytes(file);
  return bytes === null ? null : parseLedger(utf8(bytes, file), file);
}

/** At once, or not at all. What could not be read back is not written. */
export async function writeLedger(file: string, ledger: Ledger) {
  const text = serializeLedger(ledger);
  parseLedger(text, file);
  await replaceFile(file, text);
}
