/** Drift: what was changed outside Tether since the last apply. */
import type { ReadApi } from '../client/api';
import type { ExactSet, Manifests } from '../manifest/desired';
import { foundAll, type Observation, type Observed } from '../observation/evidence';
import type { ListCache } from '../observation/list-cache';
import { observe } from '../observation/observe';
import {
  type FieldValue,
  type Found,
  isReference,
  type Key,
  type Registry,
  type ResourceDefinition,
  sameValue,
} from '../resources/kind';
import { addressOf } from '../resources/names';
import { registry as kinds } from '../resources/registry';
import type { Ledger, LedgerObject } from './ledger/ledger';
import { refuseUnseen } from './make-plan';
import { heldIds } from './plan/bind';
import { plainEnds, World } from './plan/inputs';
import { unknownNames } from './plan/make';
import { observationNeeds } from './plan/needs';
import { keyText, type LeftAlone, type Plan } from './plan/plan';

export interface DriftChange {
  readonly field: string;
  /** As last applied. */
  readonly was: FieldValue | undefined;
  readonly is: FieldValue | undefined;
}

export interface DriftRow {
  readonly kind: string;
  readonly address: string;
  readonly objectId?: string;
  /** `added`: unmanaged, in an exact set. */
  readonly state: 'changed' | 'missing' | 'added';
  readonly changes: readonly DriftChange[];
  /** What proves it: `not among the inbound run triggers of ws-app`. */
  readonly evidence: readonly string[];
}

export interface DriftReport {
  readonly organization: string;
  readonly ledger: Plan['ledger'];
  readonly rows: readonly DriftRow[];
  readonly unknown: readonly LeftAlone[];
  /** Addresses of unmanaged links of the workspaces and clients that the folder names. */
  readonly unmanagedLinks: readonly string[];
  /** By kind, how many of the objects that were read no ledger entry names. */
  readonly unmanaged: Readonly<Record<string, number>>;
  /** Managed objects that are as last applied. */
  readonly unchanged: number;
}

export interface DriftOptions {
  readonly api: ReadApi;
  readonly manifests: Manifests;
  readonly ledger: Ledger;
  readonly place: string;
  readonly cache?: ListCache;
  readonly registry?: Registry;
}

/** Reads what the folder and its ledger are about. Rejects as `makePlan` does. */
export async function detectDrift(options: DriftOptions): Promise<DriftReport> {
  const { api, manifests, ledger, cache, registry = kinds } = options;
  const observed = await observe(api, observationNeeds(manifests, ledger, registry), cache);
  refuseUnseen(manifests, observed);
  return compareWithLedger({ ...options, registry }, observed);
}

/** Pure. */
export function compareWithLedger(
  { manifests, ledger, place, registry = kinds }: Omit<DriftOptions, 'api' | 'cache'>,
  observed: Observed,
): DriftReport {
  const more = { secrets: {}, affected: {}, destroy: false, maxDeletes: undefined };
  const drift = new Drift(new World({ manifests, ledger, place, observed, registry, ...more }));
  drift.compareClients();
  drift.compareLinks();
  const { rows, unknown, unchanged } = drift;
  const { lineage, serial } = ledger;
  const added = drift.added();
  return {
    organization: manifests.organization,
    ledger: { place, lineage, serial, objects: Object.keys(ledger.objects).length },
    rows: [...rows, ...added],
    unknown: [...unknownNames(drift.world), ...unknown],
    ...drift.unmanaged(new Set(added.map(({ address }) => address))),
    unchanged,
  };
}

class Drift {
  readonly rows: DriftRow[] = [];
  readonly unknown: LeftAlone[] = [];
  unchanged = 0;
  /** The links that the ledger holds, by key. */
  private readonly recorded: ReadonlyMap<string, LedgerObject>;
  /** Ids of clients and of ends of links that the ledger or a line names. */
  private readonly named: ReadonlySet<unknown>;

  constructor(readonly world: World) {
    this.recorded = new Map(world.recordedLinks.map(({ key, object }) => [keyText(key), object]));
    const fixed = world.inputs.manifests.sets.map((set) => set.fixed);
    const declared = [...world.entries.map(({ inputs }) => inputs), ...fixed];
    this.named = new Set<unknown>([
      ...world.clientAddresses.keys(),
      ...world.recordedLinks.flatMap(({ ends }) => Object.values(ends)),
      ...declared.flatMap((values) => Object.values(values)),
    ]);
  }

  compareClients(): void {
    const { world } = this;
    for (const [address, record] of world.recordedClients) {
      const { id, createdAt, values = {} } = record;
      const observation = world.observeClient(id, createdAt);
      const row = { kind: world.clientKind.kind, address, objectId: id };
      if (observation.state !== 'present') {
        this.addAbsent(row, observation);
        continue;
      }
      const wanted = world.clientEntries.get(address)?.inputs;
      const { found } = observation;
      const changes = Object.entries(values).flatMap(([field, was]): DriftChange[] => {
        const is = found.values[field];
        const isManaged = wanted === undefined || field in wanted;
        // An apply that was killed before it could record its own change did no drift.
        const isWanted = wanted !== undefined && sameValue(wanted[field], is);
        return !isManaged || isWanted || sameValue(was, is) ? [] : [{ field, was, is }];
      });
      if (changes.length === 0) this.unchanged += 1;
      else this.rows.push({ ...row, state: 'changed', changes, evidence: [] });
    }
  }

  compareLinks(): void {
    for (const { definition, ends, object } of this.world.recordedLinks) {
      const { kind } = definition;
      const id = object.id === undefined ? {} : { objectId: object.id };
      const row = { kind, address: this.addressOf(definition, ends), ...id };
      const observation = this.world.observe(definition, ends, object.id, object.createdAt);
      if (observation.state === 'present') this.unchanged += 1;
      else this.addAbsent(row, observation);
    }
  }

  private addAbsent(
    row: Pick<DriftRow, 'kind' | 'address' | 'objectId'>,
    observation: Exclude<Observation, { state: 'present' }>,
  ): void {
    const { address, objectId } = row;
    if (observation.state === 'unknown') {
      const message = `${address} could not be compared, because ${observation.why}.`;
      this.unknown.push({ address, message, line: `forget: [${address}]` });
      return;
    }
    const lists = observation.evidence.map(({ name }) => `not among the ${name}`);
    const hasShow = objectId !== undefined && this.world.inputs.observed.shows[objectId] === 'missing';
    const evidence = hasShow ? [...lists, `GET ${objectId} answered 404`] : lists;
    this.rows.push({ ...row, state: 'missing', changes: [], evidence });
  }

  /** Unmanaged members of exact sets. */
  added(): readonly DriftRow[] {
    const rows = new Map<string, DriftRow>();
    for (const set of this.world.inputs.manifests.sets) {
      for (const { definition, found, text } of this.membersOf(set)) {
        const isWanted = this.recorded.has(text) || this.isDeclared(definition, found);
        if (isWanted && this.counts(definition, found)) continue;
        const address = this.addressOf(definition, plainEnds(definition, found.values));
        if (this.world.forget.has(address) || this.world.forget.has(text)) continue;
        const evidence = [`not listed under ${set.label}, which is an exact set`];
        rows.set(found.id, {
          kind: set.kind,
          address,
          objectId: found.id,
          state: 'added',
          changes: [],
          evidence,
        });
      }
    }
    return [...rows.values()];
  }

  /** True for the one link of its pair that a plan keeps: the recorded one, else the oldest. */
  private counts(definition: ResourceDefinition, found: Found): boolean {
    const { id, createdAt } = this.recorded.get(this.textOf(definition, found)) ?? {};
    const kept = this.world.observe(definition, plainEnds(definition, found.values), id, createdAt);
    return kept.state !== 'present' || kept.found.id === found.id;
  }

  private membersOf({ kind, fixed }: ExactSet) {
    const definition = this.world.definition(kind);
    const key: Record<string, string> = { organization: this.world.organization };
    for (const [field, value] of Object.entries(fixed)) {
      const id = isReference(value) ? this.world.recordedClients.get(value.address)?.id : value;
      if (typeof id !== 'string') return [];
      key[field] = id;
    }
    const all = foundAll(this.world.inputs.observed, definition, key) ?? [];
    return all.map((found) => ({ definition, found, text: this.textOf(definition, found) }));
  }

  private textOf(definition: ResourceDefinition, found: Found): string {
    const ends = plainEnds(definition, found.values);
    return keyText([definition.kind, ...definition.pair.map((field) => ends[field] ?? '')]);
  }

  /** A declared link that exists is adopted by the next apply. */
  private isDeclared(definition: ResourceDefinition, { values }: Found): boolean {
    this.declared ??= new Set(
      this.world.entries.map(({ kind, inputs }) => {
        const { pair } = this.world.definition(kind);
        const parts = pair.map((field) => {
          const end = inputs[field];
          return isReference(end) ? (this.world.recordedClients.get(end.address)?.id ?? '') : String(end);
        });
        return keyText([kind, ...parts]);
      }),
    );
    return this.declared.has(this.textOf(definition, { id: '', values, outputs: {} }));
  }

  private declared: ReadonlySet<string> | undefined;

  /** What exists beside what is managed, as far as it was read. `added` has rows of its own. */
  unmanaged(added: ReadonlySet<string>): Pick<DriftReport, 'unmanaged' | 'unmanagedLinks'> {
    const { inputs, organization } = this.world;
    const held = heldIds(this.world.recordedClients.values());
    const counts: Record<string, number> = {};
    const links: string[] = [];
    for (const definition of inputs.registry) {
      const all = new Map<string, Found>();
      for (const list of Object.values(inputs.observed.lists)) {
        if (list.state !== 'read' || list.ref.type !== definition.listType) continue;
        for (const found of definition.find(list.items, { organization })) all.set(found.id, found);
      }
      const isLink = definition.pair.length > 0;
      const rest = [...all.values()].filter((found) =>
        isLink ? this.isUnmanaged(definition, found) : !held.has(found.id),
      );
      if (rest.length > 0) counts[definition.kind] = rest.length;
      if (!isLink) continue;
      links.push(...rest.map((found) => this.addressOf(definition, plainEnds(definition, found.values))));
    }
    return { unmanaged: counts, unmanagedLinks: links.filter((one) => !added.has(one)).sort() };
  }

  /** A link that no entry of the ledger means, of a workspace or client that the folder is about. */
  private isUnmanaged(definition: ResourceDefinition, found: Found): boolean {
    if (this.recorded.has(this.textOf(definition, found)) && this.counts(definition, found)) return false;
    const { shownBy, pair } = definition;
    return (shownBy === undefined ? pair : [shownBy]).some((end) => this.named.has(found.values[end]));
  }

  private addressOf(definition: ResourceDefinition, ends: Key): string {
    const parts = definition.pair.map((field) => this.world.nameOf(ends[field] ?? ''));
    return addressOf(definition, parts.join('/'));
  }
}
