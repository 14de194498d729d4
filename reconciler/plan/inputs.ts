/** What a plan is made from, and the questions that every part of the planner asks of it. Pure. */
import type { AffectedWorkspaces } from '../../client/api';
import { type Approval, type DesiredEntry, type Manifests, nameInAddress } from '../../manifest/desired';
import { type Observation, type Observed, observationOf } from '../../observation/evidence';
import {
  type DesiredValues,
  definitionOf,
  type FieldValues,
  isReference,
  type Key,
  type Registry,
  type ResourceDefinition,
} from '../../resources/kind';
import type { Ledger, LedgerObject } from '../ledger/ledger';
import { type LedgerKey, parseKey } from './plan';

/** How the value of a declared secret compares with the digest of what was last written. */
export type SecretState = 'same' | 'changed' | 'unknown' | 'not-compared';

export interface PlanInputs {
  readonly manifests: Manifests;
  readonly ledger: Ledger;
  /** For people: `tether.ledger.json`. */
  readonly place: string;
  readonly observed: Observed;
  /** By address, then by field. */
  readonly secrets: Readonly<Record<string, Readonly<Record<string, SecretState>>>>;
  /** By id of a client: what its end does to workspaces, where the service can say. */
  readonly affected: Readonly<Record<string, AffectedWorkspaces>>;
  /** Plans the end of all that the ledger holds. */
  readonly destroy: boolean;
  /** Takes the place of the limit on losses. */
  readonly maxDeletes: number | undefined;
  readonly registry: Registry;
}

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
  /** Empty where everything is to be destroyed. */
  readonly entries: readonly DesiredEntry[];
  /** Clients by address. */
  readonly clientEntries: ReadonlyMap<string, DesiredEntry>;
  readonly recordedClients: ReadonlyMap<string, LedgerObject & { readonly id: string }>;
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
    const isClient = ({ kind }: DesiredEntry) => !this.isLink(kind);
    this.clientEntries = new Map(this.entries.filter(isClient).map((entry) => [entry.address, entry]));
    const clients = new Map<string, LedgerObject & { readonly id: string }>();
    const links: RecordedLink[] = [];
    for (const [text, object] of Object.entries(ledger.objects)) {
      const key = parseKey(text);
      const definition = definitionOf(key[0], registry);
      if (definition.pair.length > 0) {
        links.push({ key, definition, ends: endsOf(definition, key), object });
      } else if (object.id !== undefined) clients.set(text, { ...object, id: object.id });
    }
    this.recordedClients = clients;
    this.clientAddresses = new Map([...clients].map(([address, { id }]) => [id, address]));
    this.recordedLinks = links;
    this.forget = new Set(manifests.forget.map(({ address }) => address));
    this.hasUnknownNames = !destroy && [...manifests.names.values()].some(({ why }) => why !== undefined);
  }

  definition(kind: string): ResourceDefinition {
    return definitionOf(kind, this.inputs.registry);
  }

  isLink(kind: string): boolean {
    return this.definition(kind).pair.length > 0;
  }

  /** The kind that has addresses of its own: OAuth clients. */
  get clientKind(): ResourceDefinition {
    const kind = this.inputs.registry.find(({ pair }) => pair.length === 0);
    if (kind === undefined) throw new Error('the registry has no kind with addresses');
    return kind;
  }

  observe(definition: ResourceDefinition, key: Key, id?: string, createdAt?: string): Observation {
    const more = { ...(id !== undefined && { id }), ...(createdAt !== undefined && { createdAt }) };
    const observation = observationOf(this.inputs.observed, {
      definition,
      key: { organization: this.organization, ...key },
      ...more,
    });
    const isMissingLink = observation.state === 'missing' && definition.pair.length > 0;
    return (isMissingLink ? this.unknownClient(key) : undefined) ?? observation;
  }

  /** The observation of a recorded client among the ends, if it is unknown. A link is not missing while its client may exist. */
  private unknownClient(ends: Key): Observation | undefined {
    for (const id of Object.values(ends)) {
      const record = this.recordedClients.get(this.clientAddresses.get(id) ?? '');
      if (record === undefined) continue;
      const client = this.observeClient(record.id, record.createdAt);
      if (client.state === 'unknown') return client;
    }
    return undefined;
  }

  observeClient(id: string, createdAt?: string): Observation {
    return this.observe(this.clientKind, { id }, id, createdAt);
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

  /** The name in a reference that nobody can tell the object of; null where all are clear. */
  unknownName(values: DesiredValues): string | null {
    for (const field in values) {
      const value = values[field];
      if (isReference(value) && this.inputs.manifests.names.has(value.address)) return value.address;
    }
    return null;
  }

  approval(action: Approval['action'], address: string, id: string, also?: Approval['action']) {
    const given = this.inputs.manifests.approved.some(
      (line) =>
        line.address === address && line.id === id && (line.action === action || line.action === also),
    );
    return { action, address, id, given };
  }
}

/** By field, in the order of the pair. */
export function endsOf({ pair }: ResourceDefinition, [, ...parts]: LedgerKey): Key {
  return Object.fromEntries(pair.map((field, index) => [field, parts[index] ?? '']));
}

export function plainEnds({ pair }: ResourceDefinition, values: FieldValues): Key {
  return Object.fromEntries(pair.map((field) => [field, String(values[field])]));
}
