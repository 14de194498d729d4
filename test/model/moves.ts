/** Finds the recorded clients that move to a new address without a line: RULES.md, "Moves and creates". `expectations.test.ts` guards it. */
import type { Values, WantedClient } from './desired';
import { readableFields } from './manifests';
import {
  clientKey,
  clientsOfInterruptedCreate,
  findPresence,
  isWithoutLine,
  ledgerField,
  type RecordedClient,
  recordedClients,
  type Situation,
  seenClient,
} from './situation';

/** A possible move of an undeclared client. It is sure if every field is equal, and neither end has another possible move. */
export interface Move {
  readonly to: string;
  readonly isSure: boolean;
}

/** The entries of the ledger, and the clients that interrupted creates made, which are entries from then on. */
export function entriesOf(situation: Situation): Map<string, RecordedClient> {
  const entries = recordedClients(situation);
  for (const [key, pending] of Object.entries(situation.ledger.pending)) {
    const [createdClient, ...rivals] = clientsOfInterruptedCreate(situation, pending);
    if (createdClient === undefined || rivals.length > 0) continue;
    const { id, createdAt } = createdClient;
    const { values, digests } = pending;
    entries.set(key.replace('OAuthClient/', ''), { id, createdAt, values, digests });
  }
  return entries;
}

/** Returns the entries that may move: no line and no open create decides about them. */
function movableEntries(situation: Situation): [string, RecordedClient][] {
  const { desired, ledger } = situation;
  const recorded = recordedClients(situation);
  return [...entriesOf(situation)].filter(([name, object]) => {
    const hasOpenCreate =
      ledger.pending[clientKey(name)] !== undefined && recorded.get(name)?.id === object.id;
    // An `id:` line decides its new address, unless the ledger contradicts it.
    const isNamed = [...desired.clients.values()].some(
      (client) => client.entry.id === object.id && !recorded.has(client.name),
    );
    return isWithoutLine(situation, name, object.id) && !hasOpenCreate && !isNamed;
  });
}

/** Returns the new addresses to which each old name may move. */
export function movesOf(situation: Situation): Map<string, Move[]> {
  const moves = new Map<string, Move[]>();
  if (situation.destroy) return moves;
  const { desired, ledger } = situation;
  const recorded = recordedClients(situation);
  const newEntries = [...desired.clients.values()].filter(
    ({ name, entry }) =>
      !recorded.has(name) && ledger.pending[clientKey(name)] === undefined && entry.id === undefined,
  );
  const candidates = movableEntries(situation).flatMap(([from, object]) => {
    const isPresent = findPresence(situation, object.id, object.createdAt) === 'present';
    const isSame = isPresent && !isChanged(situation, object);
    return newEntries
      .filter(({ values }) => isCompatible(values, object))
      .map((wanted) => ({ from, to: wanted.name, isExact: isSame && isEqual(wanted, object) }));
  });
  for (const { from, to, isExact } of candidates) {
    const rivals = candidates.filter((move) => (move.from === from) !== (move.to === to));
    moves.set(from, [...(moves.get(from) ?? []), { to, isSure: rivals.length === 0 && isExact }]);
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

/** True if no field differs that both have. */
function isCompatible(wanted: Values, { values = {} }: RecordedClient): boolean {
  return readableFields.every((field) => {
    const recorded = values[ledgerField(field)];
    return wanted[field] === undefined || recorded === undefined || wanted[field] === recorded;
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
