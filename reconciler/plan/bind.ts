/** Binds recorded clients to addresses, after lost answers, renamed entries and `id:` lines. Each plan begins with it, and so does the comparison of secrets, which asks what is recorded where. */
import type { DesiredEntry } from '../../manifest/desired';
import { isAsCreated } from '../../resources/diff';
import type { Found } from '../../resources/kind';
import { oauthClient } from '../../resources/oauth-client';
import { madeBy } from '../../resources/oauth-client-calls';
import { settledAfter, settledAfterMs, settledAt } from '../../resources/safe-calls';
import { type ClientRecord, heldIds, type LedgerObject, type Pending } from '../ledger/ledger';
import { inheritedKeys } from './carried-sets';
import { clientChanges } from './changes';
import type { Binding, Rebinding } from './decisions';
import { Facts } from './facts';
import type { Findings, LeftAlone, Note, Problem } from './plan';

export interface Bindings extends Findings {
  /** The facts, with the links that a taken-over client was created with as links of this client. */
  readonly facts: Facts;
  readonly clients: readonly Binding[];
  readonly rebindings: readonly Rebinding[];
}

export function bindClients(facts: Facts): Bindings {
  const { clientEntries, recordedClients, inputs } = facts;
  const pending = Object.entries(inputs.ledger.pending);
  const results = new Map(
    pending.map(([address, create]) => [address, resolvePending(facts, address, create)]),
  );
  const takeovers = [...results.values()].flatMap(({ takeover }) => takeover ?? []);
  const takenRecords = takeovers.map(({ address, record }) => [address, record] as const);
  const records = new Map([...recordedClients, ...takenRecords]);
  const isOpen = (address: string) => results.get(address)?.isOpen === true;
  const moves = findMoves(facts, records, isOpen);
  for (const { from } of moves) records.delete(from);
  for (const { address, record } of moves) records.set(address, record);
  const addresses = new Set([...clientEntries.keys(), ...records.keys(), ...results.keys()]);
  return {
    facts: takeovers.reduce(inheritLinks, facts),
    clients: [...addresses].map((address) => ({
      address,
      entry: clientEntries.get(address),
      record: records.get(address),
      openCreate: isOpen(address) ? inputs.ledger.pending[address] : undefined,
      whyDropped: results.get(address)?.whyDropped,
    })),
    rebindings: [...takeovers, ...moves],
    problems: [...results.values()].flatMap(({ problem }) => problem ?? []),
    unknown: [...results.values()].flatMap(({ unknown }) => unknown ?? []),
    notes: [...results.values()].flatMap(({ note }) => note ?? []),
  };
}

type Takeover = Extract<Rebinding, { action: 'adopt' }>;
type Move = Extract<Rebinding, { action: 'move' }>;

/** Says what became of a pending create. Without a member, an `id:` line has ended it. */
interface Resolution {
  readonly takeover?: Takeover;
  readonly isOpen?: true;
  /** A new create of the address takes its place without a word. */
  readonly whyDropped?: string;
  readonly problem?: Problem;
  readonly unknown?: LeftAlone;
  readonly note?: Note;
}

/**
 * Says what became of a pending create. The first of these that holds decides: an `id:` line names another client; exactly one client can be
 * the one that it made; a `forget` line names the address, or no such client exists after two minutes, so it is dropped; the list cannot be
 * read; the create may still be executed; several clients may be the one.
 */
function resolvePending(facts: Facts, address: string, pending: Pending): Resolution {
  const { made, equal } = clientsLike(facts, pending);
  const [only, ...others] = made ?? [];
  if (endsByIdLine(facts, address)) {
    const left = made?.filter(({ id }) => id !== facts.clientEntries.get(address)?.id) ?? [];
    const [stays, it] = left.length === 1 ? ['stays', 'it'] : ['stay', 'them'];
    const message = `${listIds(left)}, which an earlier create of ${address} may have made, ${stays} unmanaged, because the \`id:\` line names another client. If nobody needs ${it}, delete ${it} by hand.`;
    return left.length === 0 ? {} : { note: { address, message } };
  }
  if (only !== undefined && others.length === 0) return { takeover: takeOver(facts, address, pending, only) };
  const attemptedAt = Date.parse(pending.attemptedAt);
  const until = settledAt(attemptedAt);
  const isExpired = made !== null && facts.inputs.observed.now >= attemptedAt + settledAfterMs;
  const isForgotten = facts.isForgotten(address);
  if (isForgotten || (only === undefined && isExpired)) {
    const why = isForgotten
      ? 'a `forget` line names it'
      : `an earlier apply started to create it, and made nothing within ${settledAfter}`;
    const late = isExpired ? '' : `; the service may still execute its create until ${until}`;
    const [is, stays] = equal.length === 1 ? ['is', 'stays'] : ['are', 'stay'];
    const left = equal.length === 0 ? '' : `; ${listIds(equal)}, which ${is} equal, ${stays} unmanaged`;
    return { whyDropped: why + late + left };
  }
  if (made === null) {
    const message = `An earlier apply may have created ${address}, and the list of OAuth clients cannot be read, so nothing is done for it.`;
    return { isOpen: true, unknown: { address, message } };
  }
  if (only === undefined) {
    const message = `The answer to the create of ${address} was lost, and the service may still execute it: blocked until ${until}. Run the same command again then.`;
    return { isOpen: true, problem: { rule: 'create-pending', address, message } };
  }
  const [all, rest] = others.length === 1 ? ['both', 'the other'] : ['all', 'the others'];
  const message = `The answer to the create of ${address} was lost, and ${listIds(made)} are ${all} equal to it. Adopt one of them, and delete ${rest} by hand.`;
  const line = `id: ${made.map(({ id }) => id).join(' # or ')}`;
  return { isOpen: true, problem: { rule: 'several-made', address, message, line } };
}

/** True if the `id:` line names a client to adopt or to move. It ends the pending create, whether that made this client or another. */
function endsByIdLine(facts: Facts, address: string): boolean {
  const { recordedClients, clientAddresses, clientEntries } = facts;
  const entry = clientEntries.get(address);
  if (entry?.id === undefined || recordedClients.has(address)) return false;
  const { id } = entry;
  const isDeclared = clientEntries.has(clientAddresses.get(id) ?? '');
  const isRetiring = [...recordedClients.values()].some(({ retiring = [] }) => retiring.includes(id));
  return !isDeclared && !isRetiring && findFitting(facts, entry, id) !== undefined;
}

/**
 * Returns `equal`, the clients with the values of a pending create, and of these `made`, which appeared within two minutes of it. No client
 * counts that the ledger holds, a `forget` line names, or existed before the create (`existing`). `made` is null if the list cannot be read.
 */
function clientsLike(facts: Facts, { values, attemptedAt, firstAttemptAt = attemptedAt, existing }: Pending) {
  const clients = facts.foundAll(oauthClient);
  if (clients === null) return { made: null, equal: [] };
  const others = new Set([...heldIds(facts.recordedClients.values()), ...existing]);
  const isOther = (id: string) => others.has(id) || facts.isIdForgotten(id);
  const attempt = {
    attemptedAt: Date.parse(attemptedAt),
    firstAttemptAt: Date.parse(firstAttemptAt),
    isOther,
  };
  const equal = clients.filter((found) => !isOther(found.id) && isAsCreated(oauthClient, values, found));
  return { made: madeBy(oauthClient, values, attempt, clients), equal };
}

/**
 * Records the client that a create made, and retires the one that the address had. If the manifest has changed back since, so that the old
 * client fits it and the new one does not, the old one is recorded again, and the new one retires.
 */
function takeOver(facts: Facts, address: string, pending: Pending, made: Found): Takeover {
  const entry = facts.clientEntries.get(address);
  const before = facts.recordedClients.get(address);
  const mayExist = before !== undefined && facts.observeClient(before).state !== 'missing';
  const all = [...(before?.retiring ?? []), ...(mayExist ? [before.id] : []), made.id];
  const isTakenBack = before !== undefined && entry !== undefined && !fits(facts, entry, made);
  const old = isTakenBack ? findFitting(facts, entry, before.id) : undefined;
  const recordFor = (
    found: Found,
    { values = {}, digests = {} }: Pick<LedgerObject, 'values' | 'digests'>,
  ) => {
    const retiring = all.filter((id) => id !== found.id);
    return { id: found.id, createdAt: String(found.outputs.createdAt), values, digests, retiring };
  };
  if (old !== undefined) {
    const because = `${old.id} fits the manifest again, and ${made.id} does not`;
    return { action: 'adopt', address, reason: 'found', because, record: recordFor(old, before ?? {}) };
  }
  const because = `${made.id} was created by an earlier apply whose answer was lost`;
  return { action: 'adopt', address, reason: 'taken-over', because, record: recordFor(made, pending) };
}

function inheritLinks({ recordedClients, inputs }: Facts, { address, record }: Takeover): Facts {
  const { ledger } = inputs;
  const taken = { id: record.id, values: ledger.pending[address]?.values ?? {} };
  const keys = inheritedKeys(Object.keys(ledger.objects), recordedClients.get(address)?.id ?? '', taken);
  const objects = Object.entries(ledger.objects).map(([key, object]) => [keys.get(key) ?? key, object]);
  return new Facts({ ...inputs, ledger: { ...ledger, objects: Object.fromEntries(objects) } });
}

/** Returns the client with that id if it exists, is not forgotten, and fits the entry. */
function findFitting(facts: Facts, entry: DesiredEntry, id: string): Found | undefined {
  const { found } = facts.observeClient({ id });
  if (found === undefined || facts.isIdForgotten(id)) return undefined;
  return fits(facts, entry, found) ? found : undefined;
}

/** Gives records of undeclared addresses to new entries: by an `id:` line, or where exactly one of each is equal. */
function findMoves(
  facts: Facts,
  records: ReadonlyMap<string, ClientRecord>,
  isOpen: (address: string) => boolean,
): readonly Move[] {
  const { clientEntries } = facts;
  const undeclared = [...records].filter(([address]) => !clientEntries.has(address) && !isOpen(address));
  const unrecorded = [...clientEntries.values()].filter(
    ({ address }) => !records.has(address) && !isOpen(address),
  );
  const byLine = unrecorded.flatMap(({ address, id }) => {
    const source = undeclared.find(([, record]) => record.id === id);
    return source === undefined ? [] : move(...source, address);
  });
  const namedIds = new Set([...clientEntries.values()].map(({ id }) => id));
  // A line about the record wins over an automatic move.
  const withoutLine = undeclared.filter(
    ([address, { id }]) =>
      !facts.isForgotten(address, id) && !namedIds.has(id) && !facts.approval('destroy', address, id).given,
  );
  const unnamed = unrecorded.filter(({ id }) => id === undefined);
  // The attachments have entries of their own, which follow the client.
  const ownFields = Object.entries(oauthClient.fields).filter(([, { exactSetOf }]) => !exactSetOf);
  const fields = Object.fromEntries(ownFields);
  const isEqual = ({ inputs }: DesiredEntry, { values = {} }: ClientRecord) =>
    isAsCreated({ fields }, inputs, { values });
  const byValues = unnamed.flatMap((entry) => {
    const [only, ...others] = withoutLine.filter(([, record]) => isEqual(entry, record));
    if (only === undefined || others.length > 0) return [];
    const rivals = unnamed.filter((rival) => isEqual(rival, only[1]));
    return rivals.length === 1 ? move(...only, entry.address) : [];
  });
  return [...byLine, ...byValues];
}

function move(from: string, record: ClientRecord, address: string): Move {
  const because = `${from} is not declared any more, and ${record.id} is the same object`;
  return { action: 'move', address, from, because, record };
}

function listIds(clients: readonly Found[]): string {
  return clients.map(({ id }) => id).join(' and ');
}

/** True if the client can get all declared values without a replacement. */
function fits(facts: Facts, entry: DesiredEntry, found: Found): boolean {
  return clientChanges(facts.inputs, entry, found).fixed === undefined;
}
