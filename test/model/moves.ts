/** Which recorded clients move to a new address without a line. */
import type { Values, WantedClient } from './desired';
import { readableFields } from './manifests';
import {
  clientKey,
  ledgerField,
  madeBy,
  presenceOf,
  type RecordedClient,
  recordedClients,
  type Situation,
  seenClient,
} from './situation';

/** What an undeclared object may become: the only one that fits in every field, or perhaps one. */
export interface Move {
  readonly to: string;
  readonly isSure: boolean;
}

/** The entries of the ledger, and the clients that interrupted creates made, which are entries from then on. */
export function entriesOf(situation: Situation): Map<string, RecordedClient> {
  const entries = recordedClients(situation);
  for (const [key, pending] of Object.entries(situation.ledger.pending)) {
    const [made, ...others] = madeBy(situation, pending);
    if (made === undefined || others.length > 0) continue;
    const { id, createdAt } = made;
    const { values, digests } = pending;
    entries.set(key.replace('OAuthClient/', ''), { id, createdAt, values, digests });
  }
  return entries;
}

/** Undeclared entries that no line directs, by name. */
function freeEntries(situation: Situation): [string, RecordedClient][] {
  const { desired, ledger } = situation;
  const recorded = recordedClients(situation);
  return [...entriesOf(situation)].filter(([name, object]) => {
    const key = clientKey(name);
    const isApproved = desired.approved.some((line) => 'destroy' in line && line.destroy === key);
    const isOpen = ledger.pending[key] !== undefined && recorded.get(name)?.id === object.id;
    // An `id:` line says where it goes.
    const isNamed = [...desired.clients.values()].some(({ entry }) => entry.id === object.id);
    const isFree = !desired.clients.has(name) && !desired.forget.has(key);
    return isFree && !isApproved && !isOpen && !isNamed;
  });
}

/** By the old name, the declared addresses without an entry that it may move to. */
export function movesOf(situation: Situation): Map<string, Move[]> {
  const moves = new Map<string, Move[]>();
  if (situation.destroy) return moves;
  const { desired, ledger } = situation;
  const recorded = recordedClients(situation);
  const free = [...desired.clients.values()].filter(
    ({ name, entry }) =>
      !recorded.has(name) && ledger.pending[clientKey(name)] === undefined && entry.id === undefined,
  );
  const found = freeEntries(situation).flatMap(([from, object]) => {
    const isPresent = presenceOf(situation, object.id, object.createdAt) === 'present';
    const isSame = isPresent && !isChanged(situation, object);
    return free
      .filter(({ values }) => isAlike(values, object))
      .map((wanted) => ({ from, to: wanted.name, isStrict: isSame && isEqual(wanted, object) }));
  });
  for (const { from, to, isStrict } of found) {
    const isOnly = found.filter((one) => one.from === from || one.to === to).length === 1;
    moves.set(from, [...(moves.get(from) ?? []), { to, isSure: isOnly && isStrict }]);
  }
  return moves;
}

function isChanged(situation: Situation, { id, values = {} }: RecordedClient): boolean {
  const seen = seenClient(situation, id);
  return readableFields.some((field) => (values[ledgerField(field)] ?? seen?.[field]) !== seen?.[field]);
}

/** The provider and the URLs agree, and no other field contradicts. */
function isAlike(wanted: Values, { values = {} }: RecordedClient): boolean {
  return readableFields.every((field) => {
    const one = wanted[field];
    const other = values[ledgerField(field)];
    return one === undefined || other === undefined || one === other;
  });
}

/** Every field agrees, the secrets too. */
function isEqual(
  { values: wanted, entry }: WantedClient,
  { values = {}, digests = {} }: RecordedClient,
): boolean {
  const isSame = readableFields.every((field) => wanted[field] === values[ledgerField(field)]);
  const secrets = Object.keys(entry.secrets).sort().join();
  return isSame && secrets === Object.keys(digests).sort().join();
}
