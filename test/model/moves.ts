/** Finds the recorded clients that move to a new address without a line. */
import type { Values, WantedClient } from './desired';
import { readableFields } from './manifests';
import {
  clientKey,
  clientsOfInterruptedCreate,
  findPresence,
  isForgotten,
  ledgerField,
  type RecordedClient,
  recordedClients,
  type Situation,
  seenClient,
} from './situation';

/** A possible move of an undeclared object. It is certain if only this one fits in every field. */
export interface Move {
  readonly to: string;
  readonly isSure: boolean;
}

/** The entries of the ledger, and the clients that interrupted creates made, which are entries from then on. */
export function entriesOf(situation: Situation): Map<string, RecordedClient> {
  const entries = recordedClients(situation);
  for (const [key, pending] of Object.entries(situation.ledger.pending)) {
    const [made, ...others] = clientsOfInterruptedCreate(situation, pending);
    if (made === undefined || others.length > 0) continue;
    const { id, createdAt } = made;
    const { values, digests } = pending;
    entries.set(key.replace('OAuthClient/', ''), { id, createdAt, values, digests });
  }
  return entries;
}

/** Returns the undeclared entries that no directive names. */
function freeEntries(situation: Situation): [string, RecordedClient][] {
  const { desired, ledger } = situation;
  const recorded = recordedClients(situation);
  return [...entriesOf(situation)].filter(([name, object]) => {
    const key = clientKey(name);
    const isApproved = desired.approved.some(
      (line) => 'destroy' in line && line.destroy === key && line.id === object.id,
    );
    const isOpen = ledger.pending[key] !== undefined && recorded.get(name)?.id === object.id;
    // An `id:` line decides its new address, unless the ledger contradicts it.
    const isNamed = [...desired.clients.values()].some(
      (client) => client.entry.id === object.id && !recorded.has(client.name),
    );
    const isFree = !desired.clients.has(name) && !isForgotten(situation, name, object.id);
    return isFree && !isApproved && !isOpen && !isNamed;
  });
}

/** Returns the new addresses to which each old name may move. */
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
    const isPresent = findPresence(situation, object.id, object.createdAt) === 'present';
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
  return readableFields.some((field) => {
    const is = seen?.[field];
    return is !== undefined && (values[ledgerField(field)] ?? is) !== is;
  });
}

/** True if the provider and the URLs are equal, and no other field differs. */
function isAlike(wanted: Values, { values = {} }: RecordedClient): boolean {
  return readableFields.every((field) => {
    const one = wanted[field];
    const other = values[ledgerField(field)];
    return one === undefined || other === undefined || one === other;
  });
}

/** True if every field is equal, including secrets. */
function isEqual(
  { values: wanted, entry }: WantedClient,
  { values = {}, digests = {} }: RecordedClient,
): boolean {
  const isSame = readableFields.every((field) => wanted[field] === values[ledgerField(field)]);
  const secrets = Object.keys(entry.secrets).sort().join();
  return isSame && secrets === Object.keys(digests).sort().join();
}
