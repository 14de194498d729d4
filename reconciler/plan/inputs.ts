/** What a plan is made from, and the questions that every part of the planner asks of it. Pure. */
import type { AffectedWorkspaces } from '../../client/api';
import {
  type Approval,
  type DesiredEntry,
  type ExactSet,
  type Manifests,
  nameInAddress,
} from '../../manifest/desired';
import {
  type Expectation,
  foundAll,
  type Observation,
  type Observed,
  observationOf,
} from '../../observation/evidence';
import {
  definitionOf,
  type Found,
  type Key,
  type Registry,
  type ResourceDefinition,
} from '../../resources/kind';
import type { Ledger, LedgerObject } from '../ledger/ledger';
import { endsOf, type LedgerKey, type LeftAlone, parseKey, type Reason } from './plan';

/** How the value of a declared secret compares with the digest of what was last written. */
export type SecretState = 'same' | 'changed' | 'unknown' | 'not-compared';

export interface PlanInputs {
  readonly manifests: Manifests;
  readonly ledger: Ledger;
  readonly registry: Registry;
  /** For people: `tether.ledger.json`. */
  readonly place: string;
  readonly observed: Observed;
  /** By address, then by field. */
  readonly secrets?: Readonly<Record<string, Readonly<Record<string, SecretState>>>>;
  /** By id of a client: what its end does to workspaces, where the service can say. */
  readonly affected?: Readonly<Record<string, AffectedWorkspaces>>;
  /** Plans the end of all that the ledger holds. */
  readonly destroy?: boolean;
  /** Takes the place of the limit on losses. */
  readonly maxDeletes?: number | undefined;
}

/** Before the first look at the service. */
export const unobserved: Observed = { address: '', now: 0, lists: {}, shows: {} };

export type ClientRecord = LedgerObject & { readonly id: string };

export interface RecordedLink {
  readonly key: LedgerKey;
  readonly definition: ResourceDefinition;
  /** By field. */
  readonly ends: Key;
  readonly object: LedgerObject;
}

/** The inputs with their indexes. */
export class World {
  readonly organization: string;
  /** Empty where everything is to be destroyed, as are `sets`. */
  readonly entries: readonly DesiredEntry[];
  readonly sets: readonly ExactSet[];
  /** The kind that has addresses of its own: OAuth clients. */
  readonly clientKind: ResourceDefinition;
  /** Clients by address. */
  readonly clientEntries: ReadonlyMap<string, DesiredEntry>;
  readonly recordedClients: ReadonlyMap<string, ClientRecord>;
  /** By recorded id. */
  readonly clientAddresses: ReadonlyMap<string, string>;
  readonly recordedLinks: readonly RecordedLink[];
  readonly forget: ReadonlySet<string>;
  /** True while the run deletes no link: it may be the one that an unknown name means. */
  readonly hasUnknownNames: boolean;

  constructor(readonly inputs: PlanInputs) {
    const { manifests, ledger, destroy, registry } = inputs;
    this.organization = manifests.organization;
    this.entries = destroy ? [] : manifests.entries;
    this.sets = destroy ? [] : manifests.sets;
    const clientKind = registry.find(({ pair }) => pair.length === 0);
    if (clientKind === undefined) throw new Error('the registry has no kind with addresses');
    this.clientKind = clientKind;
    const declared = this.entries.filter(({ kind }) => kind === clientKind.kind);
    this.clientEntries = new Map(declared.map((entry) => [entry.address, entry]));
    const clients = new Map<string, ClientRecord>();
    const links: RecordedLink[] = [];
    for (const [text, object] of Object.entries(ledger.objects)) {
      const key = parseKey(text);
      const definition = definitionOf(key[0], registry);
      if (definition !== clientKind) links.push({ key, definition, ends: endsOf(definition, key), object });
      else if (object.id !== undefined) clients.set(text, { ...object, id: object.id });
    }
    this.recordedClients = clients;
    this.clientAddresses = new Map([...clients].map(([address, { id }]) => [id, address]));
    this.recordedLinks = links;
    this.forget = new Set(manifests.forget.map(({ address }) => address));
    this.hasUnknownNames = this.unknownNames().length > 0;
  }

  definition(kind: string): ResourceDefinition {
    return definitionOf(kind, this.inputs.registry);
  }

  isLink(kind: string): boolean {
    return kind !== this.clientKind.kind;
  }

  /** `object` tells which of several links of one pair is meant, and how old it is. */
  expectation(definition: ResourceDefinition, ends: Key, { id, createdAt }: LedgerObject = {}): Expectation {
    const key = { organization: this.organization, ...ends };
    return {
      definition,
      key,
      ...(id !== undefined && { id }),
      ...(createdAt !== undefined && { createdAt }),
    };
  }

  observe(definition: ResourceDefinition, ends: Key, object?: LedgerObject): Observation {
    const observation = observationOf(this.inputs.observed, this.expectation(definition, ends, object));
    if (observation.state !== 'missing' || definition === this.clientKind) return observation;
    // A link is not missing while its client may exist.
    const clients = Object.values(ends).map((id) =>
      this.recordedClients.get(this.clientAddresses.get(id) ?? ''),
    );
    const unknown = clients.find((record) => record && this.observeClient(record).state === 'unknown');
    return unknown === undefined ? observation : this.observeClient(unknown);
  }

  observeClient(record: ClientRecord): Observation {
    return this.observe(this.clientKind, { id: record.id }, record);
  }

  /** All objects with these ends; null where no list of them could be read. */
  foundAll(definition: ResourceDefinition, ends: Key = {}): readonly Found[] | null {
    return foundAll(this.inputs.observed, definition, { organization: this.organization, ...ends });
  }

  /** An alias, else the name, else the id itself. */
  shown(id: string): string {
    return this.inputs.manifests.written.get(id)?.as ?? id;
  }

  /** The name of the recorded client with that id, else as `shown`. */
  nameOf(id: string): string {
    const address = this.clientAddresses.get(id);
    return address === undefined ? this.shown(id) : nameInAddress(address);
  }

  /** Names that were not found, or found twice. */
  unknownNames(): readonly LeftAlone[] {
    const { manifests, destroy } = this.inputs;
    return [...(destroy ? [] : manifests.names)].flatMap(([address, { at, why }]) =>
      why === undefined ? [] : [{ address, message: why, at }],
    );
  }

  /** By a `forget` line, and no entry declares it. */
  isForgotten(address: string): boolean {
    return this.forget.has(address) && !this.clientEntries.has(address);
  }

  /** Why an object that no line declares is deleted. */
  get whyDeleted(): { readonly reason: Reason; readonly because: string } {
    return this.inputs.destroy
      ? { reason: 'destroy', because: 'everything that Tether manages here is to be destroyed' }
      : {
          reason: 'removed-from-manifest',
          because: 'managed by this ledger, no longer in the manifest',
        };
  }

  approval(action: Approval['action'], address: string, id: string, also?: Approval['action']) {
    const given = this.inputs.manifests.approved.some(
      (line) =>
        line.address === address && line.id === id && (line.action === action || line.action === also),
    );
    return { action, address, id, given };
  }
}
