/** Binds recorded clients to addresses, after lost answers, renamed entries and `id:` lines. Each plan begins with it. */
import type { DesiredEntry } from '../../manifest/desired';
import { isAsCreated } from '../../resources/diff';
import type { Found } from '../../resources/kind';
import { oauthClient } from '../../resources/oauth-client';
import { madeBy } from '../../resources/oauth-client-calls';
import { settledAfterMs, settledAt } from '../../resources/safe-calls';
import type { LedgerObject, Pending } from '../ledger/ledger';
import { clientChanges } from './changes';
import type { Draft } from './draft';
import type { ClientRecord, Facts } from './facts';
import type { Step } from './plan';

/** An address with its entry and its record, as they are once the steps in the draft are done. */
export interface Bound {
  readonly address: string;
  readonly entry: DesiredEntry | undefined;
  readonly record: ClientRecord | undefined;
  /** An earlier create that may still be executed. */
  readonly open: Pending | undefined;
  /** The reason why an earlier create is no longer waited for. */
  readonly dropped: string | undefined;
}

export function bindClients(facts: Facts, draft: Draft): readonly Bound[] {
  const binder = new Binder(facts, draft);
  for (const [address, pending] of Object.entries(facts.inputs.ledger.pending)) {
    binder.resolve(address, pending);
  }
  binder.moveAll();
  const { records, open, dropped } = binder;
  const pending = Object.keys(facts.inputs.ledger.pending);
  return [...new Set([...facts.clientEntries.keys(), ...records.keys(), ...pending])].map((address) => ({
    address,
    entry: facts.clientEntries.get(address),
    record: records.get(address),
    open: open.get(address),
    dropped: dropped.get(address),
  }));
}

class Binder {
  readonly records: Map<string, ClientRecord>;
  readonly open = new Map<string, Pending>();
  readonly dropped = new Map<string, string>();

  constructor(
    private readonly facts: Facts,
    private readonly draft: Draft,
  ) {
    this.records = new Map(facts.recordedClients);
  }

  /** Finds the client that a pending create made. */
  resolve(address: string, pending: Pending): void {
    const { facts, draft } = this;
    const { made, equal } = this.clientsLike(pending);
    const [only, ...others] = made ?? [];
    if (this.adoptsAnother(address)) {
      const left = made?.filter(({ id }) => id !== facts.clientEntries.get(address)?.id) ?? [];
      const message = `${idsOf(left)}, which an earlier create of ${address} may have made, stays unmanaged, because the \`id:\` line names another client. If nobody needs it, delete it by hand.`;
      if (left.length > 0) draft.notes.push({ address, message });
      return;
    }
    if (only !== undefined && others.length === 0) {
      this.choose(address, pending, only);
      return;
    }
    const attemptedAt = Date.parse(pending.attemptedAt);
    const until = settledAt(attemptedAt);
    const isExpired = made !== null && facts.inputs.observed.now >= attemptedAt + settledAfterMs;
    const isForgotten = facts.isForgotten(address);
    if (isForgotten || (only === undefined && isExpired)) {
      const why = isForgotten
        ? 'a `forget` line names it'
        : 'an earlier apply started to create it, and made nothing within two minutes';
      const late = isExpired ? '' : `; the service may still execute its create until ${until}`;
      const left = equal.length === 0 ? '' : `; ${idsOf(equal)}, which is equal, stays unmanaged`;
      this.dropped.set(address, why + late + left);
      return;
    }
    this.open.set(address, pending);
    if (made === null) {
      const message = `An earlier apply may have created ${address}, and the list of OAuth clients cannot be read, so nothing is done for it.`;
      draft.unknown.push({ address, message });
    } else if (only === undefined) {
      const message = `The answer to the create of ${address} was lost, and the service may still execute it: blocked until ${until}. Run the same command again then.`;
      draft.problems.push({ rule: 'create-pending', address, message });
    } else {
      const message = `The answer to the create of ${address} was lost, and ${idsOf(made)} are both equal to it. Adopt one of them, and delete the other by hand.`;
      draft.problems.push({ rule: 'several-made', address, message, line: `id: ${only.id}` });
    }
  }

  /** True if the `id:` line adopts or moves another object, which then replaces the pending create. */
  private adoptsAnother(address: string): boolean {
    const { recordedClients, clientAddresses, clientEntries } = this.facts;
    const entry = clientEntries.get(address);
    if (entry?.id === undefined || recordedClients.has(address)) return false;
    const { id } = entry;
    const isDeclared = clientEntries.has(clientAddresses.get(id) ?? '');
    const isRetiring = [...recordedClients.values()].some(({ retiring = [] }) => retiring.includes(id));
    return !isDeclared && !isRetiring && this.fitting(entry, id) !== undefined;
  }

  /** Finds the clients that a create made, and all that are equal. The former are null if the list cannot be read. */
  private clientsLike({ values, attemptedAt, existing }: Pending) {
    const { facts } = this;
    const clients = facts.foundAll(oauthClient);
    if (clients === null) return { made: null, equal: [] };
    const others = new Set([...heldIds(facts.recordedClients.values()), ...existing]);
    const isOther = (id: string) => others.has(id) || facts.isIdForgotten(id);
    const attempt = { attemptedAt: Date.parse(attemptedAt), isOther };
    const equal = clients.filter((found) => !isOther(found.id) && isAsCreated(oauthClient, values, found));
    return { made: madeBy(oauthClient, values, attempt, clients), equal };
  }

  /** Records the client that a create made, and retires the recorded one. If only that one fits the manifest, it stays. */
  private choose(address: string, pending: Pending, made: Found): void {
    const { facts } = this;
    const entry = facts.clientEntries.get(address);
    const before = facts.recordedClients.get(address);
    const isThere = before !== undefined && facts.observeClient(before).state !== 'missing';
    const all = [...(before?.retiring ?? []), ...(isThere ? [before.id] : []), made.id];
    const isTakenBack = before !== undefined && entry !== undefined && !fits(facts, entry, made);
    const old = isTakenBack ? this.fitting(entry, before.id) : undefined;
    if (old === undefined) {
      const because = `${made.id} was created by an earlier apply whose answer was lost`;
      this.record(address, made, pending, all, { reason: 'taken-over', because });
    } else {
      const because = `${old.id} fits the manifest again, and ${made.id} does not`;
      this.record(address, old, before, all, { reason: 'found', because });
    }
  }

  private record(
    address: string,
    { id, outputs }: Found,
    { values = {}, digests = {} }: Pick<LedgerObject, 'values' | 'digests'> = {},
    all: readonly string[],
    why: Pick<Step, 'reason' | 'because'>,
  ): void {
    const retiring = all.filter((one) => one !== id);
    const createdAt = String(outputs.createdAt);
    this.records.set(address, { id, createdAt, values, digests, retiring });
    this.draft.addClientStep('adopt', address, { ...why, objectId: id, createdAt, values, retiring });
  }

  /** Returns the client with that id if it exists, is not forgotten, and fits the entry. */
  private fitting(entry: DesiredEntry, id: string): Found | undefined {
    const { facts } = this;
    const { found } = facts.observeClient({ id });
    if (found === undefined || facts.isIdForgotten(id)) return undefined;
    return fits(facts, entry, found) ? found : undefined;
  }

  /** Gives records of undeclared addresses to new entries: by an `id:` line, or where exactly one of each is equal. */
  moveAll(): void {
    const { facts, records, open } = this;
    const free = [...records].filter(([address]) => !facts.clientEntries.has(address) && !open.has(address));
    const fresh = [...facts.clientEntries.values()].filter(
      ({ address }) => !records.has(address) && !open.has(address),
    );
    for (const { address, id } of fresh) {
      const own = free.find(([, record]) => record.id === id);
      if (own !== undefined) this.move(...own, address);
    }
    const named = new Set([...facts.clientEntries.values()].map(({ id }) => id));
    // A line about the record wins over an automatic move.
    const silent = free.filter(
      ([address, { id }]) =>
        !facts.forget.has(address) && !named.has(id) && !facts.approval('destroy', address, id).given,
    );
    const unnamed = fresh.filter(({ id }) => id === undefined);
    // A list of links has entries of its own, which follow the client.
    const own = Object.entries(oauthClient.fields).filter(([, { exactSetOf }]) => !exactSetOf);
    const fields = Object.fromEntries(own);
    const isEqual = ({ inputs }: DesiredEntry, { values = {} }: ClientRecord) =>
      isAsCreated({ fields }, inputs, { values });
    for (const entry of unnamed) {
      const [only, ...others] = silent.filter(([, record]) => isEqual(entry, record));
      if (only === undefined || others.length > 0) continue;
      const rivals = unnamed.filter((other) => isEqual(other, only[1]));
      if (rivals.length === 1) this.move(...only, entry.address);
    }
  }

  private move(from: string, record: ClientRecord, to: string): void {
    this.records.delete(from);
    this.records.set(to, record);
    const { id, values = {}, retiring = [] } = record;
    this.draft.addClientStep('move', to, {
      reason: 'renamed',
      because: `${from} is not declared any more, and ${id} is the same object`,
      objectId: id,
      from,
      values,
      retiring,
      needs: this.draft.clientSteps(from).map((step) => step.id),
    });
  }
}

function idsOf(clients: readonly Found[]): string {
  return clients.map(({ id }) => id).join(' and ');
}

/** Returns all recorded and retiring ids. */
export function heldIds(records: Iterable<LedgerObject>): ReadonlySet<string> {
  return new Set([...records].flatMap(({ id, retiring = [] }) => [id ?? [], retiring].flat()));
}

/** True if the client can get all declared values without a replacement. */
function fits(facts: Facts, entry: DesiredEntry, found: Found): boolean {
  return clientChanges(facts, entry, found).fixed === undefined;
}
