/** All that planning and drift look at, and the questions that every part asks of it. */
import {
  approvalLine,
  type DesiredEntry,
  type LimitApproval,
  type Manifests,
  type ObjectApproval,
} from '../../manifest/desired';
import { foundAll, type Observed, observationOf, readableOwners } from '../../observation/evidence';
import { plainValues } from '../../resources/diff';
import {
  type DesiredValues,
  definitionOf,
  type Found,
  type Key,
  type Registry,
  type ResourceDefinition,
} from '../../resources/kind';
import { externalKinds, isId } from '../../resources/names';
import type { Ledger, LedgerObject } from '../ledger/ledger';
import { heldKey, keysById, spellings } from '../ledger-key';
import { Around } from './around';
import { type Bindings, bindLedger, withAddresses } from './bindings';
import type { PlanOptions, SecretState, SecretStates } from './plan';
import { type Findings, stepId } from './steps';

export interface PlanInputs {
  readonly manifests: Manifests;
  readonly ledger: Ledger;
  readonly observed: Observed;
  readonly secrets: SecretStates;
}

export class Context {
  /** Without the entries, whose links may say an id where `linkEntries` have the address. */
  readonly desired: Omit<Manifests, 'entries'>;
  /** The wanted objects with an id of their own, in manifest order like the wanted links. */
  readonly objectEntries: readonly DesiredEntry[];
  readonly linkEntries: readonly DesiredEntry[];
  readonly around: Around;
  readonly ledger: Ledger;
  readonly observed: Observed;
  readonly secrets: SecretStates;
  readonly bindings: Bindings;
  /** On wanted links that name by its id what has an address here, as only the ledger shows. */
  readonly linkRemarks: ReadonlyMap<DesiredEntry, Findings>;
  /** The ledger key of each id that it holds or still has to destroy. */
  readonly keyOfId: ReadonlyMap<string, string>;
  /** Temporary names that the ledger or its journal knows. */
  readonly temporaryNames: ReadonlySet<string>;
  /** Of which nobody can tell what they mean. */
  readonly unknownNames: Manifests['named'];
  private readonly readable: ReadonlySet<string>;
  private readonly spellings: ReturnType<typeof spellings>;
  /** Ledger keys. */
  private readonly forgotten: ReadonlySet<string>;
  private readonly unheldByKind = new Map<string, readonly Found[] | null>();
  private readonly foundByKey = new Map<string, readonly Found[] | null>();

  constructor(
    { manifests, ledger, observed, secrets }: PlanInputs,
    readonly options: PlanOptions,
    readonly registry: Registry,
  ) {
    // Nothing is wanted, nothing unmanaged is touched, and `forget` lines hold.
    const desired = options.destroy ? { ...manifests, entries: [], sets: [], moved: [] } : manifests;
    this.unknownNames = new Map([...manifests.named].filter(([, { id }]) => id === null && !options.destroy));
    this.desired = desired;
    this.ledger = ledger;
    this.observed = observed;
    this.secrets = secrets;
    this.readable = readableOwners(observed);
    this.objectEntries = desired.entries.filter(({ kind }) => !this.isLink(kind));
    this.bindings = bindLedger(desired, ledger, registry);
    const { linkEntries, linkRemarks } = withAddresses(desired, this.bindings, registry);
    this.linkEntries = linkEntries;
    this.linkRemarks = linkRemarks;
    this.around = new Around(desired.sets, linkEntries, ledger);
    this.keyOfId = keysById(ledger);
    this.temporaryNames = new Set(
      [...Object.values(ledger.pending), ...ledger.tombstones].map(({ nonce }) => nonce),
    );
    const bound = [...this.bindings.byAddress].map(([address, { object }]) => [address, object] as const);
    this.spellings = spellings(ledger, desired, bound);
    this.forgotten = new Set(desired.forget.map(({ address }) => this.keyOf(address)));
  }

  get organization() {
    return this.desired.organization;
  }

  definition(kind: string) {
    return definitionOf(kind, this.registry);
  }

  isLink(kind: string) {
    return this.definition(kind).pair.length > 0;
  }

  observe(definition: ResourceDefinition, ids: Key, id = ids.id) {
    const key = { ...ids, organization: this.organization };
    return observationOf(this.observed, { definition, key, ...(id === undefined ? {} : { id }) });
  }

  /** Of a link, any of its pair. */
  observeHeld(object: LedgerObject) {
    const definition = this.definition(object.kind);
    return this.observe(definition, heldKey(definition, object), object.id);
  }

  /** All that are seen (links: with these ends), oldest first; null when no list of them could be read. */
  found(definition: ResourceDefinition, ends: Key = {}): readonly Found[] | null {
    const find = () => foundAll(this.observed, definition, { ...ends, organization: this.organization });
    // Of one pair the lists have an index.
    if (definition.pair.length > 0 && definition.pair.every((end) => end in ends)) return find();
    const name = JSON.stringify([definition.kind, ends]);
    const known = this.foundByKey.get(name);
    const found = known === undefined ? find() : known;
    this.foundByKey.set(name, found);
    return found;
  }

  /** Whether no list of this pass shows that this end of a link is readable. */
  isUnchecked({ listedIn }: ResourceDefinition, field: string, id: unknown) {
    const lists = typeof id === 'string' ? listedIn({ organization: this.organization, [field]: id }) : [];
    return lists.length > 0 && !lists.some(({ owner }) => this.readable.has(owner));
  }

  /** What this ledger does not hold once the plan is applied; null when no list could be read. */
  unheld(definition: ResourceDefinition) {
    const known = this.unheldByKind.get(definition.kind);
    if (known !== undefined) return known;
    const isUnheld = ({ id }: Found) => {
      const key = this.keyOfId.get(id);
      return key === undefined || this.isLetGo(key);
    };
    const unheld = this.found(definition)?.filter(isUnheld) ?? null;
    this.unheldByKind.set(definition.kind, unheld);
    return unheld;
  }

  /** The address of that ledger key: of a link, by aliases and names where there are any. */
  addressOf(key: string) {
    return this.spellings.addressOf(key);
  }

  /** The ledger key, in which all spellings of an address meet. */
  keyOf(address: string) {
    const [kind = '', ...parts] = address.split('/');
    const definition = this.registry.find((one) => one.kind === kind);
    if (definition === undefined || definition.pair.length === 0) return address;
    const ids = definition.pair.map((field, index) => {
      const part = parts[index] ?? '';
      const refersTo = definition.fields[field]?.refersTo ?? '';
      const external = externalKinds[refersTo];
      if (external)
        return isId(part, external.prefix) ? part : (this.spellings.meant.get(`${refersTo}/${part}`) ?? part);
      const owner = `${refersTo}/${part}`;
      return (this.bindings.byAddress.get(owner)?.object ?? this.ledger.objects[owner])?.id ?? part;
    });
    return [kind, ...ids].join('/');
  }

  /** Why nobody can tell whether this link is wanted: the name of an end is that of another object now. */
  renamedEnd(key: string) {
    const ids = key.split('/');
    const [name, lookup] = [...this.unknownNames].find(([, { was = '' }]) => ids.includes(was)) ?? [];
    return lookup && `${name} was ${lookup.was} at the last apply, and is another one now`;
  }

  /** A name that nobody can tell, and that may mean an end among these values. */
  unknownEnd(kind: string, values: DesiredValues) {
    const { fields } = this.definition(kind);
    const mayMean = (name: string, others: readonly unknown[]) =>
      Object.entries(values).some(
        ([field, id]) => name.startsWith(`${fields[field]?.refersTo}/`) && id && !others.includes(id),
      );
    return [...this.unknownNames].find(([name, { others }]) => mayMean(name, others))?.[0];
  }

  /** Whether another object moves to the address: a create begun there ends first. */
  isMovedTo(address: string) {
    return this.bindings.byAddress.get(address)?.movedFrom !== undefined;
  }

  /** Whether a `forget` line names that ledger key, and no entry has it. */
  isLetGo(key: string) {
    return this.forgotten.has(key) && !this.bindings.boundKeys.has(key);
  }

  secretState(address: string, field: string): SecretState {
    return this.secrets[address]?.[field] ?? 'not-compared';
  }

  /** Splits further links of that key: what a lost create of ours may have made within the hour (gateways hold requests, clocks differ), and the rest. */
  lateArrivals(kind: string, key: string, others: readonly Found[]) {
    if (others.length === 0) return [[], []] as const;
    const lost = this.ledger.tombstones.filter((one) => one.kind === kind && one.nonce === key);
    const until = Math.max(...lost.map(({ since }) => Date.parse(since) + 3_600_000));
    const isOurs = ({ outputs }: Found) => Date.parse(String(outputs.createdAt)) <= until;
    return [others.filter(isOurs), others.filter((one) => !isOurs(one))] as const;
  }

  /** Whether this was approved, and the line that would approve it. */
  approval(action: ObjectApproval['action'], address: string, id: string) {
    const given = this.desired.approved.some(
      (one) => one.action === action && one.address === address && one.id === id,
    );
    return { action, id, given, line: `- ${approvalLine({ action, address, id })}` };
  }
}

/** What lines that raise a limit are bound to: this state of this ledger, whose lineage is told by its beginning. */
export function ledgerStateOf({ serial, lineage }: Ledger) {
  return { serial, ...(lineage !== '' && { lineage: lineage.slice(0, 13) }) };
}

export function isForLedgerState(ledger: Ledger, line: LimitApproval) {
  const { serial, lineage } = ledgerStateOf(ledger);
  return line.serial === serial && (line.lineage === undefined || line.lineage === lineage);
}

export type ObjectTask = ReturnType<typeof objectTask>;

/** One wanted object while it is planned. */
export function objectTask(context: Context, entry: DesiredEntry) {
  const { kind, address, file } = entry;
  /** What the ledger holds of it. */
  const held = context.bindings.byAddress.get(address)?.object ?? null;
  return {
    context,
    definition: context.definition(kind),
    entry,
    wanted: plainValues(entry.inputs),
    held,
    /** With the protection it has once the plan is applied: as its line says, else as the ledger remembers. */
    about: { kind, address, key: address, file, protect: entry.protect ?? held?.protect ?? false },
    /** The step that moves the object, which all others of it need. */
    moveNeeds: context.isMovedTo(address) ? [stepId('move', address)] : [],
  };
}
