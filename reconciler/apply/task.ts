/** What all steps of one apply share, and what each is about: its object's key, its place in the ledger, its values. */
import type { Api } from '../../client/api';
import {
  type DesiredValues,
  type FieldValues,
  isReference,
  type Key,
  partOf,
  type ResourceDefinition,
} from '../../resources/kind';
import type { ResolvedSecrets } from '../../resources/secrets';
import { ledgerKey } from '../ledger-key';
import type { Plan, Step } from '../plan/plan';
import type { OwnWrites } from './own-writes';
import type { RunningLedger } from './running-ledger';

/** Digests of what must not be stored (reconciler/ledger/digest.ts). */
export interface Digests {
  digest(value: string): Promise<string>;
  intentHash(inputs: FieldValues, nonce: string): Promise<string>;
}

export interface Run {
  readonly organization: string;
  /** For the calls of one step. */
  readonly api: Api;
  readonly ledger: RunningLedger;
  readonly references: References;
  readonly own: OwnWrites;
  readonly definitions: ReadonlyMap<string, ResourceDefinition>;
  readonly digests: Digests;
  /** The values by address and field, as `resolveSecrets` gives them. */
  readonly secrets: Pick<ResolvedSecrets, 'value'>;
  /** So many random bytes as lower-case hex. */
  readonly random: (bytes: number) => string;
  /** Temporary names of creates that this plan goes on with, which no clean-up may end. */
  readonly continued: ReadonlySet<string>;
  /** Ids of all that the plan saw: none of it is new. */
  readonly seen: ReadonlySet<string>;
  /** Tells whoever watches what the object of a task needs beyond what is done here. */
  readonly note: (task: Task, text: string) => void;
}

/** One step, and where its object is. */
export interface Task {
  readonly step: Step;
  readonly definition: ResourceDefinition;
  readonly isLink: boolean;
  /** For the definition's calls: the organization, and the object's id or the link's pair. */
  readonly key: Key;
  readonly ledgerKey: string;
  /** The existing object; absent for one that is to be created, and for a link whose id nobody knows. */
  readonly id: string | undefined;
}

/** Finds out where the object of a step is; once, when all that the step needs is done. Throws `Unresolved` for a link to an object that has no id. */
export function resolveTask(run: Run, step: Step, definition: ResourceDefinition): Task {
  const isLink = definition.pair.length > 0;
  const ends = isLink ? endsOf(run, step, definition) : {};
  const entryKey = isLink ? ledgerKey(definition, ends) : step.key;
  const common = { step, definition, isLink, ledgerKey: entryKey };
  if (step.action === 'create') {
    return { ...common, key: { organization: run.organization, ...ends }, id: undefined };
  }
  const known = step.objectId ?? run.ledger.objects.get(entryKey)?.id;
  // A link without an id of its own is called by its pair.
  const id = known ?? (definition.idPrefix === undefined ? Object.values(ends).join('/') : undefined);
  const own = isLink || step.objectId === undefined ? ends : { id: step.objectId };
  return { ...common, key: { organization: run.organization, ...own }, id };
}

/**
 * The ids of a link's two ends. Those of a link that exists are as it was seen, or as the ledger's entry or at least its key
 * has them. Those of one that is to be created are in the manifest: as ids, or as addresses whose objects have ids by now.
 */
function endsOf(run: Run, step: Step, definition: ResourceDefinition): Readonly<Record<string, string>> {
  const ofKey = endsInKey(step.key, definition);
  const entry = run.ledger.objects.get(step.key)?.values;
  const existing: FieldValues = step.action === 'create' ? {} : { ...ofKey, ...entry, ...step.observed };
  return Object.fromEntries(
    definition.pair.map((field) => {
      const known = existing[field];
      return [field, typeof known === 'string' ? known : desiredEnd(run, step, field, ofKey[field])];
    }),
  );
}

function desiredEnd(run: Run, step: Step, field: string, inKey: string | undefined): string {
  const desired = step.inputs[field];
  if (typeof desired === 'string') return desired;
  if (!isReference(desired)) throw new Error(`${step.id} does not say its ${field}`);
  // A key that is the display address holds aliases.
  const id = run.references.idOf(desired.address) ?? (step.key === step.address ? undefined : inKey);
  if (id !== undefined) return id;
  throw new Unresolved(`${desired.address} has no id, and ${step.address} needs it: plan again`);
}

/** The ids in a link's key; none where the key is of another form. */
function endsInKey(key: string, { kind, pair }: ResourceDefinition): Readonly<Record<string, string>> {
  const [first, ...ids] = key.split('/');
  if (first !== kind || ids.length !== pair.length) return {};
  return Object.fromEntries(pair.map((field, index) => [field, ids[index] ?? '']));
}

/** What the step sends: inputs with ids for addresses, and secrets. The ends of a link are known without a ledger too. */
export function inputsOf(run: Run, task: Task): FieldValues {
  const inputs = { ...task.step.inputs, ...linkEnds(task) };
  return { ...run.references.resolve(inputs), ...secretsOf(run, task) };
}

/** The managed readable values of the object, for the next comparison: for a link its pair. */
export function managedValues(run: Run, task: Task): FieldValues {
  return task.isLink ? linkEnds(task) : run.references.resolve(task.step.managed);
}

function linkEnds({ definition, key }: Task): FieldValues {
  return Object.fromEntries(definition.pair.map((field) => [field, partOf(key, field)]));
}

/** The write-only values a step writes. */
export function secretsOf(run: Run, { step }: Task): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.keys(step.secrets).map((field) => {
      const value = run.secrets.value(step.address, field);
      if (value === undefined) throw new Error(`the value of ${step.address} ${field} was not resolved`);
      return [field, value];
    }),
  );
}

/** Digests of the secrets the step wrote, by field. */
export async function digestsOf(run: Run, task: Task): Promise<Readonly<Record<string, string>>> {
  const written = Object.entries(secretsOf(run, task)).map(
    async ([field, value]) => [field, await run.digests.digest(value)] as const,
  );
  return Object.fromEntries(await Promise.all(written));
}

/** Links of an object that is deleted or forgotten leave the ledger with it. */
export async function removeLinksOf(run: Run, { step }: Task, id: string): Promise<void> {
  for (const [key, object] of [...run.ledger.objects]) {
    const definition = run.definitions.get(object.kind);
    const isItsLink = definition?.pair.some(
      (field) => definition.fields[field]?.refersTo === step.kind && object.values[field] === id,
    );
    if (isItsLink) await run.ledger.remove(key, object.id);
  }
}

/** A value refers to an object that has no id: its own step did not make it. */
export class Unresolved extends Error {
  override readonly name = 'Unresolved';
}

/** Steps whose `objectId` is what their address stands for; a create has none yet, a replacement names the old one. */
const naming = new Set(['adopt', 'update', 'move']);
/** Steps after which their address stands for a new object, although a move before them names the old one. */
const renewing = new Set(['create', 'replace']);

/** Addresses to ids while an apply runs: what the plan names, else what the ledger holds by now. */
export class References {
  private readonly planned = new Map<string, string>();

  constructor(
    plan: Plan,
    private readonly ledger: RunningLedger,
  ) {
    const renewed = new Set(plan.steps.filter((one) => renewing.has(one.action)).map((one) => one.address));
    for (const { action, address, objectId } of plan.steps) {
      if (naming.has(action) && objectId !== undefined && !renewed.has(address))
        this.planned.set(address, objectId);
    }
  }

  /** The id behind an address; absent when nothing has it yet. */
  idOf(address: string): string | undefined {
    return this.planned.get(address) ?? this.ledger.objects.get(address)?.id;
  }

  /** The values with every reference as an id. Throws `Unresolved`. */
  resolve(values: DesiredValues): FieldValues {
    return Object.fromEntries(
      Object.entries(values).map(([field, value]) => {
        if (!isReference(value)) return [field, value];
        const id = this.idOf(value.address);
        if (id !== undefined) return [field, id];
        throw new Unresolved(`${value.address} has no id, and ${field} needs it: plan again`);
      }),
    );
  }
}
