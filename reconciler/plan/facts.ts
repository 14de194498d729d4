/** The inputs of a plan, and the queries on them that every part of the planner uses. Pure. */
import {
  type Approval,
  type DesiredEntry,
  type ExactSet,
  type Manifests,
  nameInAddress,
} from '../../manifest/desired';
import {
  type Expectation,
  findObservation,
  foundAll,
  type Observation,
  type Observed,
} from '../../observation/evidence';
import { classifyChange } from '../../resources/diff';
import { type Found, isLink, type Key, type ResourceDefinition } from '../../resources/kind';
import { toAddress } from '../../resources/names';
import { oauthClient } from '../../resources/oauth-client';
import { findDefinition } from '../../resources/registry';
import { type ClientRecord, heldIds, type LedgerObject } from '../ledger/ledger';
import { describeFormerName, type FormerName, guessFormerNames } from './former-names';
import type { PlanInputs } from './inputs';
import { keyText, type LeftAlone, parseKey, type Reason, toEnds, toLedgerKey } from './plan';

/** The observation before the first request. */
export const unobserved: Observed = { address: '', now: 0, lists: {}, shows: {} };

export interface Recorded {
  readonly definition: ResourceDefinition;
  readonly ends: Key;
  readonly object: LedgerObject;
}

type ExpectedObject = Pick<Expectation, 'id' | 'createdAt' | 'isOnly'>;

/** The inputs of a plan with indexes for quick queries. */
export class Facts {
  readonly organization: string;
  /** Entries and `sets` are empty when everything is to be destroyed. */
  readonly entries: readonly DesiredEntry[];
  readonly sets: readonly ExactSet[];
  private readonly declared: ReadonlySet<string>;
  /** Clients by address. */
  readonly clientEntries: ReadonlyMap<string, DesiredEntry>;
  readonly recordedClients = new Map<string, ClientRecord>();
  /** The addresses of clients. The keys are recorded ids. */
  readonly clientAddresses: ReadonlyMap<string, string>;
  /** Clients and links. The keys are those of the ledger. */
  readonly recorded = new Map<string, Recorded>();
  readonly recordedLinks = new Map<string, Recorded>();
  /** The addresses in the `forget` lines. They end what they name. */
  private readonly forget: ReadonlySet<string>;
  /** The same lines with their positions. One that names nothing holds deletes, and is noted. */
  readonly forgetLines: Manifests['forget'];
  /** The names that were not found, or were found twice. While there is one, the run deletes no link, because it may mean its end. */
  readonly unknownNames: readonly LeftAlone[];
  /** The keys are those of recorded links. */
  private readonly formerNames: ReadonlyMap<string, FormerName>;

  constructor(readonly inputs: PlanInputs) {
    const { manifests, ledger, destroy } = inputs;
    this.organization = manifests.organization;
    this.entries = destroy ? [] : manifests.entries;
    this.sets = destroy ? [] : manifests.sets;
    this.declared = new Set(this.entries.map(({ address }) => address));
    const clients = this.entries.filter(({ kind }) => !isLink(kind));
    this.clientEntries = new Map(clients.map((entry) => [entry.address, entry]));
    for (const [text, object] of Object.entries(ledger.objects)) {
      const key = parseKey(text);
      const definition = findDefinition(key[0]);
      const { id = '' } = object;
      const isLinkKey = isLink(key[0]);
      const recordedObject = { definition, ends: isLinkKey ? toEnds(definition, key) : { id }, object };
      this.recorded.set(text, recordedObject);
      if (isLinkKey) this.recordedLinks.set(text, recordedObject);
      else this.recordedClients.set(text, { ...object, id });
    }
    this.clientAddresses = new Map([...this.recordedClients].map(([address, { id }]) => [id, address]));
    this.forgetLines = manifests.forget;
    this.forget = new Set(this.forgetLines.map(({ address }) => address));
    const unknown = [...(destroy ? [] : manifests.nameReferences)].filter(([, { why }]) => why !== undefined);
    // After a 404, no name is known.
    const mayGuess = manifests.lookups?.currentNames.size && unknown.length > 0;
    this.formerNames = mayGuess ? guessFormerNames(manifests, this) : new Map();
    this.unknownNames = unknown.map(([address, { at, why = '' }]) => {
      return { address, message: why + describeFormerName(address, this.formerNames, manifests), at };
    });
  }

  /** Returns the same facts with newer inputs. The indexes are not made again, so none may depend on these inputs. */
  with(newer: Partial<Pick<PlanInputs, 'observed' | 'secrets' | 'affected'>>): Facts {
    const inputs: PlanInputs = { ...this.inputs, ...newer };
    return Object.assign(Object.create(Facts.prototype) as Facts, this, { inputs });
  }

  isDeclared(address: string): boolean {
    return this.declared.has(address);
  }

  /**
   * Returns the line that ends an unknown state. There is none for a declared object, or for a link that an unknown name may declare. It
   * has the key in the ledger, because a link's workspace may have no name any more.
   */
  forgetLine(address: string, key = address): { readonly line?: string } {
    const mayBeDeclared = this.unknownNames.length > 0 && isLink(parseKey(address)[0]);
    return mayBeDeclared || this.isDeclared(address) ? {} : { line: `forget: [${key}]` };
  }

  /** True if another value of this field of a client needs a new client. */
  isFixed(field: string): boolean {
    const definition = oauthClient.fields[field];
    return (
      definition !== undefined && classifyChange(definition, this.inputs.manifests.profile) === 'replace'
    );
  }

  /** `object` gives the id and the age of the recorded link, because a pair may have several. */
  expectation(definition: ResourceDefinition, ends: Key, object: ExpectedObject = {}): Expectation {
    const { id, createdAt, isOnly } = object;
    return { definition, key: { organization: this.organization, ...ends }, id, createdAt, isOnly };
  }

  observe(definition: ResourceDefinition, ends: Key, object?: ExpectedObject): Observation {
    const observation = findObservation(this.inputs.observed, this.expectation(definition, ends, object));
    if (observation.state !== 'missing' || definition === oauthClient) return observation;
    // A link is not missing while its client may exist.
    const addresses = Object.values(ends).flatMap((id) => this.clientAddresses.get(id) ?? []);
    const clients = addresses.flatMap((address) => this.recordedClients.get(address) ?? []);
    const states = clients.map((record) => this.observeClient(record));
    return states.find(({ state }) => state === 'unknown') ?? observation;
  }

  observeClient(record: ClientRecord): Observation {
    return this.observe(oauthClient, { id: record.id }, record);
  }

  /** Returns all objects with these ends, or null if no list of them could be read. */
  foundAll(definition: ResourceDefinition, ends: Key = {}): readonly Found[] | null {
    return foundAll(this.inputs.observed, definition, { organization: this.organization, ...ends });
  }

  /** Returns the alias of an id, else its name, else the id. */
  shown(id: string): string {
    return this.inputs.manifests.namesById.get(id)?.name ?? id;
  }

  /** Returns the address of a link. The keys of `owners` are the ids of clients, and the values their addresses. */
  linkAddress(definition: ResourceDefinition, ends: Key, owners = this.clientAddresses): string {
    const hasGuesses = this.formerNames.size > 0;
    const former = hasGuesses ? this.formerNames.get(keyText(toLedgerKey(definition, ends))) : undefined;
    const names = definition.pair.map((field) => {
      const id = ends[field] ?? '';
      // Only the link that the guess is about has the former name, so that it shares the row of its line.
      const address = former?.field === field ? former.address : owners.get(id);
      return address === undefined ? this.shown(id) : nameInAddress(address);
    });
    return toAddress(definition, names.join('/'));
  }

  /**
   * Returns the forms in which a line may name the link: with the address, the earlier address or the id of its client, or with another id
   * that the ledger holds for that client. After a lost answer, only that id may be in the ledger. The manifest has put the alias or the name
   * of every other end into its lines already (`manifest/directives.ts`).
   */
  linkSpellings(definition: ResourceDefinition, ends: Key, owners = this.clientAddresses): readonly string[] {
    const heldNames = Object.values(ends).flatMap((id) => {
      const record = this.recordedClients.get(owners.get(id) ?? this.clientAddresses.get(id) ?? '');
      const ids = record === undefined ? [] : [...heldIds([record])];
      return ids.map((heldId) => new Map([[id, toAddress(oauthClient, heldId)]]));
    });
    const clients = [owners, this.clientAddresses, new Map<string, string>(), ...heldNames];
    return clients.map((names) => this.linkAddress(definition, ends, names));
  }

  isLinkForgotten(definition: ResourceDefinition, ends: Key, owners = this.clientAddresses): boolean {
    return this.linkSpellings(definition, ends, owners).some((address) => this.forget.has(address));
  }

  /** True if no entry declares the address, and a `forget` line names it or the client that it has. */
  isForgotten(address: string, id?: string): boolean {
    const isNamed = this.forget.has(address) || (id !== undefined && this.isIdForgotten(id));
    return isNamed && !this.clientEntries.has(address);
  }

  /** True if a `forget` line names the client by its id. */
  isIdForgotten(id: string): boolean {
    return this.forget.has(toAddress(oauthClient, id));
  }

  get whyDeleted(): { readonly reason: Reason; readonly because: string } {
    return this.inputs.destroy
      ? { reason: 'destroy', because: 'everything that Tether manages here is to be destroyed' }
      : {
          reason: 'removed-from-manifest',
          because: 'managed by this ledger, no longer in the manifest',
        };
  }

  approval(action: Approval['action'], address: string, id: string, also?: Approval['action']) {
    const isGiven = this.inputs.manifests.approved.some(
      (line) =>
        line.address === address && line.id === id && (line.action === action || line.action === also),
    );
    return { action, address, id, given: isGiven };
  }
}
