/** Which recorded client belongs to which address: lost answers, renamed entries and `id:` lines. Pure, and the first thing a plan does. */
import type { DesiredEntry } from '../../manifest/desired';
import { foundAll } from '../../observation/evidence';
import { diff, plainValues } from '../../resources/diff';
import type { FieldValues, Found } from '../../resources/kind';
import { sameValue } from '../../resources/kind';
import { madeBy } from '../../resources/oauth-client-calls';
import { settledAfterMs } from '../../resources/safe-calls';
import type { LedgerObject, Pending } from '../ledger/ledger';
import type { World } from './inputs';
import type { LeftAlone, Problem, Step } from './plan';
import { clientStep } from './steps';

export type ClientRecord = LedgerObject & { readonly id: string };

/** An address with what the manifest and the ledger have of it. */
export interface Bound {
  readonly address: string;
  readonly entry: DesiredEntry | undefined;
  readonly record: ClientRecord | undefined;
  /** The step that makes this record, where the ledger does not have it yet. */
  readonly step: Step | undefined;
  /** The step that records, at its old address, what `step` moves. */
  readonly earlier: Step | undefined;
  /** A create may still be carried out: until it is settled, the address gets no other one. */
  readonly blocked: string | undefined;
}

export interface Bindings {
  readonly bound: readonly Bound[];
  /** Addresses whose pending create is dropped: it made nothing, or it is forgotten. */
  readonly nothingMade: ReadonlySet<string>;
  /** Addresses whose create is not settled yet, and why. */
  readonly blocked: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
  readonly unknown: readonly LeftAlone[];
}

export function bindClients(world: World): Bindings {
  const { ledger } = world.inputs;
  const problems: Problem[] = [];
  const unknown: LeftAlone[] = [];
  const nothingMade = new Set<string>();
  const records = new Map<string, ClientRecord>(world.recordedClients);
  const steps = new Map<string, Step>();
  const earlier = new Map<string, Step>();
  const blocked = new Map<string, string>();

  for (const [address, pending] of Object.entries(ledger.pending)) {
    if (adoptsAnother(world, address)) continue;
    const made = clientsMadeBy(world, pending);
    if (made === null) {
      blocked.set(address, 'the list of OAuth clients cannot be read');
      unknown.push({
        address,
        message: `An earlier apply may have created ${address}, and the list of OAuth clients cannot be read, so nothing is done for it.`,
      });
      continue;
    }
    const [only, ...others] = made;
    if (only === undefined) {
      const until = Date.parse(pending.attemptedAt) + settledAfterMs;
      if (world.inputs.observed.now >= until) nothingMade.add(address);
      else {
        const time = new Date(until).toISOString().slice(11, 19);
        blocked.set(address, `blocked until ${time} UTC`);
        const message = `The answer to the create of ${address} was lost, and the service may still carry it out: blocked until ${time} UTC. Run the same command again then.`;
        problems.push({ rule: 'create-pending', address, message });
      }
      continue;
    }
    if (others.length > 0 && world.forget.has(address) && !world.clientEntries.has(address)) {
      nothingMade.add(address);
      continue;
    }
    if (others.length > 0) {
      const ids = made.map(({ id }) => id).join(' and ');
      blocked.set(address, 'several clients may be meant');
      problems.push({
        rule: 'several-made',
        address,
        message: `The answer to the create of ${address} was lost, and ${ids} are both like it. Adopt one of them, and delete the other by hand.`,
        line: `id: ${only.id}`,
      });
      continue;
    }
    const { record, step } = takeOver(world, address, pending, only, records.get(address));
    records.set(address, record);
    steps.set(address, step);
  }

  for (const [address, record] of records) {
    const exchanged = blocked.has(address) ? undefined : exchange(world, address, record);
    if (exchanged === undefined) continue;
    records.set(address, exchanged.record);
    steps.set(address, exchanged.step);
  }

  for (const [from, to] of moves(world, records, blocked)) {
    const record = records.get(from);
    const entry = world.clientEntries.get(to);
    if (record === undefined || entry === undefined) continue;
    const before = steps.get(from);
    if (before !== undefined) earlier.set(to, before);
    records.delete(from);
    steps.delete(from);
    records.set(to, record);
    steps.set(to, moveStep(world, from, to, record, before));
  }

  const addresses = new Set([...world.clientEntries.keys(), ...records.keys()]);
  const bound = [...addresses].map((address) => ({
    address,
    entry: world.clientEntries.get(address),
    record: records.get(address),
    step: steps.get(address),
    earlier: earlier.get(address),
    blocked: blocked.get(address),
  }));
  return { bound, nothingMade, blocked, problems, unknown };
}

/** An `id:` line takes the place of a pending create only where that object is adopted or moved. */
function adoptsAnother(world: World, address: string): boolean {
  const entry = world.clientEntries.get(address);
  if (entry?.id === undefined || world.recordedClients.has(address)) return false;
  const { id } = entry;
  const isHeld = [...world.recordedClients].some(
    ([other, { id: own, retiring = [] }]) =>
      retiring.includes(id) || (own === id && world.clientEntries.has(other)),
  );
  const observation = world.observeClient(id);
  return !isHeld && observation.state === 'present' && fits(world, entry, observation.found);
}

/** What a pending create made; null where the list cannot be read. */
function clientsMadeBy(world: World, pending: Pending): readonly Found[] | null {
  const { inputs, clientKind, organization } = world;
  const clients = foundAll(inputs.observed, clientKind, { organization });
  if (clients === null) return null;
  const held = heldIds(world.recordedClients.values());
  const isOther = (id: string) => held.has(id) || pending.existing.includes(id);
  const attemptedAt = Date.parse(pending.attemptedAt);
  return madeBy(clientKind, pending.values, { attemptedAt, isOther }, clients);
}

/** Recorded and retiring ids. */
export function heldIds(records: Iterable<LedgerObject>): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { id, retiring = [] } of records) {
    if (id !== undefined) ids.add(id);
    for (const old of retiring) ids.add(old);
  }
  return ids;
}

/** The new client is recorded, unless the one before it fits the manifest again and the new one does not: then that is to be retired. */
function takeOver(
  world: World,
  address: string,
  pending: Pending,
  made: Found,
  before: ClientRecord | undefined,
): { record: ClientRecord; step: Step } {
  const entry = world.clientEntries.get(address);
  const createdAt = String(made.outputs.createdAt);
  const because = `${made.id} was created by an earlier apply whose answer was lost`;
  const more = { reason: 'taken-over', because, objectId: made.id, createdAt } as const;
  const old = before === undefined ? undefined : world.observeClient(before.id, before.createdAt);
  if (
    before !== undefined &&
    entry !== undefined &&
    old?.state === 'present' &&
    fits(world, entry, old.found) &&
    !fits(world, entry, made)
  ) {
    const retiring = [...(before.retiring ?? []), made.id];
    const record = { ...before, retiring };
    const objectId = before.id;
    const kept = `${because}; ${before.id} fits the manifest again and stays`;
    const createdAt = before.createdAt === undefined ? {} : { createdAt: before.createdAt };
    const values = before.values ?? {};
    const step = { reason: 'taken-over', because: kept, objectId, ...createdAt, values, retiring } as const;
    return { record, step: clientStep(world, 'adopt', address, step) };
  }
  const predecessors = before === undefined ? [] : [...(before.retiring ?? []), before.id];
  const retiring = old?.state === 'missing' ? (before?.retiring ?? []) : predecessors;
  const { values, digests } = pending;
  const record = { id: made.id, createdAt, values, digests, retiring };
  return { record, step: clientStep(world, 'adopt', address, { ...more, values, retiring }) };
}

/** After a replacement was cut off and the declaration went back: the old client is recorded again, and the new one is to be retired. */
function exchange(world: World, address: string, record: ClientRecord) {
  const entry = world.clientEntries.get(address);
  const { retiring = [] } = record;
  if (entry === undefined || retiring.length === 0) return undefined;
  const now = world.observeClient(record.id, record.createdAt);
  if (now.state !== 'present' || fits(world, entry, now.found)) return undefined;
  const fitting = retiring.flatMap((id) => {
    const old = world.observeClient(id);
    const isForgotten = world.forget.has(`${world.clientKind.kind}/${id}`);
    return old.state === 'present' && !isForgotten && fits(world, entry, old.found) ? [old.found] : [];
  });
  const [old, ...others] = fitting;
  if (old === undefined || others.length > 0) return undefined;
  const createdAt = String(old.outputs.createdAt);
  const left = [...retiring.filter((id) => id !== old.id), record.id];
  const values = managedValues(entry);
  const because = `${old.id} fits the manifest again, and takes the place of ${record.id}`;
  const more = { reason: 'found', because, objectId: old.id, createdAt, values, retiring: left } as const;
  return {
    record: { id: old.id, createdAt, values: old.values, digests: {}, retiring: left },
    step: clientStep(world, 'adopt', address, more),
  };
}

/** True where nothing that the manifest wants needs another object. */
export function fits(world: World, { inputs }: DesiredEntry, found: Found): boolean {
  const { profile } = world.inputs.manifests;
  const changes = diff(world.clientKind, plainValues(inputs), found.values, profile);
  return changes.every(({ onChange }) => onChange === 'update');
}

/** The values that the ledger records: managed and readable ones. */
export function managedValues({ inputs }: DesiredEntry): FieldValues {
  return plainValues(inputs);
}

/** From → to: by an `id:` line, else where one undeclared record and one new entry are equal in all readable fields. */
function moves(
  world: World,
  records: ReadonlyMap<string, ClientRecord>,
  blocked: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const free = [...records].filter(([address]) => !world.clientEntries.has(address) && !blocked.has(address));
  const fresh = [...world.clientEntries.values()].filter(
    ({ address }) => !records.has(address) && !blocked.has(address),
  );
  const moved = new Map<string, string>();
  for (const { address, id } of fresh) {
    const from = id === undefined ? undefined : free.find(([, record]) => record.id === id)?.[0];
    if (from !== undefined) moved.set(from, address);
  }
  const isDirected = ([address, { id }]: [string, ClientRecord]) =>
    moved.has(address) || world.forget.has(address) || world.approval('destroy', address, id).given;
  const silent = free.filter((one) => !isDirected(one));
  const unnamed = fresh.filter(({ id }) => id === undefined);
  for (const entry of unnamed) {
    const equal = silent.filter(([, record]) => isEqual(world, entry, record));
    const [only] = equal;
    if (only === undefined || equal.length > 1) continue;
    const rivals = unnamed.filter((other) => isEqual(world, other, only[1]));
    if (rivals.length === 1) moved.set(only[0], entry.address);
  }
  return moved;
}

function isEqual(world: World, { inputs }: DesiredEntry, { values = {} }: ClientRecord): boolean {
  return Object.entries(world.clientKind.fields).every(
    ([name, field]) =>
      field.writeOnly ||
      field.exactSetOf !== undefined ||
      field.refersTo === 'organization' ||
      sameValue(inputs[name] ?? field.default ?? null, values[name] ?? field.default ?? null),
  );
}

function moveStep(
  world: World,
  from: string,
  to: string,
  record: ClientRecord,
  before: Step | undefined,
): Step {
  return clientStep(world, 'move', to, {
    reason: 'renamed',
    because: `${from} is not declared any more, and ${record.id} is the same object`,
    objectId: record.id,
    from,
    values: record.values ?? {},
    retiring: record.retiring ?? [],
    needs: before === undefined ? [] : [before.id],
  });
}
