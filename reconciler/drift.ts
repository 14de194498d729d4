/** Detects changes made outside Tether since the last apply. */
import type { ReadApi } from '../client/api';
import { listedItems } from '../observation/evidence';
import { type FieldValue, type FieldValues, isLink, sameValue } from '../resources/kind';
import { registry } from '../resources/registry';
import { heldIds, summarizeLedger } from './ledger/ledger';
import { bindClients } from './plan/bind';
import { decideLinks, type LinkDecisions } from './plan/decide-links';
import type { Facts } from './plan/facts';
import type { PlanInputs } from './plan/inputs';
import { keyText, type LeftAlone, type Plan, toEnds, toLedgerKey } from './plan/plan';
import { readFacts } from './read-facts';

export interface DriftRow {
  readonly kind: string;
  readonly address: string;
  readonly objectId?: string;
  /** `added` means an unmanaged link that an exact set does not list. An apply deletes it, unless a plan says why not. */
  readonly state: 'changed' | 'missing' | 'added';
  readonly changes: readonly {
    readonly field: string;
    /** The value that was last applied. */
    readonly was: FieldValue | undefined;
    readonly is: FieldValue | undefined;
  }[];
  /** The proof, such as `not in the list of run triggers of ws-app (inbound)`. */
  readonly evidence: readonly string[];
}

export interface DriftReport {
  readonly organization: string;
  readonly address: string;
  readonly ledger: Plan['ledger'];
  readonly rows: readonly DriftRow[];
  readonly unknown: readonly LeftAlone[];
  /** Addresses of unmanaged links of the workspaces and clients that the folder names. */
  readonly unmanagedLinks: readonly string[];
  /** The number of objects of each kind that were read and have no ledger entry. */
  readonly unmanaged: Readonly<Record<string, number>>;
  /** The number of managed objects that are as last applied. */
  readonly unchanged: number;
}

type DriftOptions = Pick<PlanInputs, 'manifests' | 'ledger' | 'place'> & { readonly api: ReadApi };

/** Reads the objects of the folder and its ledger. Rejects like `makePlan`. */
export async function detectDrift({ api, ...given }: DriftOptions): Promise<DriftReport> {
  const facts = await readFacts(api, given);
  const { rows, unknown, managed, unchanged } = compareRecorded(facts);
  const { links, unreadable } = decideAboutSets(facts);
  for (const { link, fate } of links) {
    if (!('unmanaged' in fate)) continue;
    const { objectId, because } = fate;
    const row = { kind: link.key[0], address: link.address, objectId };
    rows.push({ ...row, state: 'added', changes: [], evidence: [because] });
  }
  const { organization, inputs } = facts;
  const { observed, ledger, place } = inputs;
  const head = { organization, address: observed.address, ledger: summarizeLedger(ledger, place) };
  const doubts = [...unknown, ...unreadable];
  return { ...head, rows, unknown: doubts, ...unmanagedObjects(facts, managed, rows), unchanged };
}

/** Decides about links as if each declared client stayed as it is. A plan that holds deletes, or replaces a client, hides no drift. */
function decideAboutSets(facts: Facts): LinkDecisions {
  const bindings = bindClients(facts);
  const existing = bindings.clients.flatMap(({ address, entry, record }) => {
    const id = record?.id ?? entry?.id;
    return id === undefined ? [] : [{ address, id }];
  });
  return decideLinks(bindings.facts, {
    survivors: new Map(existing.map(({ address, id }) => [address, { id }])),
    owners: new Map([...facts.clientAddresses, ...existing.map(({ address, id }) => [id, address] as const)]),
    leaving: new Map(),
    destroyed: new Set(),
    waiting: new Map(),
  });
}

/** Compares what the ledger recorded with what exists. `managed` has the ids of existing objects that the ledger holds. */
function compareRecorded(facts: Facts) {
  const rows: DriftRow[] = [];
  const unknown: LeftAlone[] = [...facts.unknownNames, ...missingLedger(facts)];
  const managed = new Set(heldIds(facts.recordedClients.values()));
  let unchanged = 0;
  for (const [key, { definition, ends, object }] of facts.recorded) {
    const { kind } = definition;
    const address = isLink(kind) ? facts.linkAddress(definition, ends) : key;
    // An apply adopts another link of the pair only where a line declares it.
    const isOnly = !isLink(kind) || !facts.isDeclared(address);
    const observation = facts.observe(definition, ends, { ...object, isOnly });
    const row = { kind, address, ...(object.id !== undefined && { objectId: object.id }) };
    if (observation.state === 'unknown') {
      const message = `${address} could not be compared, because ${observation.why}.`;
      unknown.push({ address, message, ...facts.forgetLine(address, key) });
    } else if (observation.state === 'missing') {
      const evidence = observation.evidence.map(({ name }) => `not in the list of ${name}`);
      const isShown = facts.inputs.observed.shows[object.id ?? ''] === 'missing';
      if (isShown) evidence.push(`GET ${object.id} answered 404`);
      rows.push({ ...row, state: 'missing', changes: [], evidence });
    } else {
      const { id, values } = observation.found;
      managed.add(id);
      const isAnother = object.id !== undefined && object.id !== id;
      const changes = [
        ...(isAnother ? [{ field: 'id', was: object.id, is: id }] : []),
        ...changedFields(facts, address, values, object.values),
      ];
      if (changes.length === 0) unchanged += 1;
      else rows.push({ ...row, state: 'changed', changes, evidence: [] });
    }
  }
  return { rows, unknown, managed, unchanged };
}

/** A job that detects drift must not pass because it looks at the wrong place. */
function missingLedger({ inputs: { ledger, place }, entries }: Facts): readonly LeftAlone[] {
  const isEmpty = Object.keys({ ...ledger.objects, ...ledger.pending }).length === 0;
  if (!isEmpty || entries.length === 0) return [];
  const how = 'Restore it, or correct `ledger:`. In a new folder, run `tether apply` first';
  return [{ address: place, message: `no object is recorded there, so nothing was compared. ${how}.` }];
}

/** Returns the managed fields with other values than were last applied. A link has none. */
function changedFields(
  facts: Facts,
  address: string,
  observed: FieldValues,
  lastApplied: FieldValues = {},
): DriftRow['changes'] {
  const declaredValues = facts.clientEntries.get(address)?.inputs;
  return Object.entries(lastApplied).flatMap(([field, was]) => {
    const is = observed[field];
    const isManaged = declaredValues === undefined || field in declaredValues;
    // This value may come from an apply that was killed before it could record it. That is no drift.
    const isWanted = declaredValues !== undefined && sameValue(declaredValues[field], is);
    return is === undefined || !isManaged || isWanted || sameValue(was, is) ? [] : [{ field, was, is }];
  });
}

/** Counts the unmanaged objects of each kind, and lists the unmanaged links that have no row. */
function unmanagedObjects(
  facts: Facts,
  managed: ReadonlySet<string>,
  rows: readonly DriftRow[],
): Pick<DriftReport, 'unmanaged' | 'unmanagedLinks'> {
  const { organization, inputs, clientAddresses, recordedLinks, entries } = facts;
  const recordedEnds = [...recordedLinks.values()].map(({ ends }) => ends);
  const ends = [...recordedEnds, ...entries.map((entry) => entry.inputs)];
  const namedIds = new Set([
    ...clientAddresses.keys(),
    ...ends.flatMap((pair) => Object.values<unknown>(pair)),
  ]);
  const added = new Set(rows.map(({ objectId }) => objectId));
  const unmanaged: Record<string, number> = {};
  const links: string[] = [];
  for (const definition of registry) {
    const { kind, shownBy, listType } = definition;
    const items = listedItems(inputs.observed.lists, listType);
    const objects = definition.find(items, { organization });
    for (const [id, values] of new Map(objects.map((object) => [object.id, object.values]))) {
      // A list of triggers was read because the folder names its workspace.
      const isAbout = shownBy === undefined || namedIds.has(values[shownBy]);
      // A Show also finds a client of another organization.
      const { organization: owner = organization } = values;
      if (managed.has(id) || !isAbout || owner !== organization) continue;
      unmanaged[kind] = (unmanaged[kind] ?? 0) + 1;
      if (!isLink(kind) || added.has(id)) continue;
      const key = toLedgerKey(definition, values);
      const address = facts.linkAddress(definition, toEnds(definition, key));
      // The managed link of the pair has the same address.
      links.push(recordedLinks.has(keyText(key)) ? `${address} (${id})` : address);
    }
  }
  return { unmanaged, unmanagedLinks: links.sort() };
}
