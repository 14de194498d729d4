/** What all steps of one apply share, and what each is about: its object, its place in the ledger, its values. */
import type { Api } from '../../client/api';
import {
  type DesiredValues,
  type FieldValue,
  type FieldValues,
  isReference,
  type Key,
  partOf,
  type Registry,
  type ResourceDefinition,
} from '../../resources/kind';
import type { ResolvedSecrets } from '../../resources/secrets';
import type { RunningLedger } from '../ledger/state';
import { ledgerKey, pairInKey } from '../ledger-key';
import type { Plan, Step } from '../plan/plan';
import type { Queues } from './schedule';

/** Of what must not be stored (reconciler/ledger/digest.ts). */
export interface Digests {
  digest(value: string): Promise<string>;
  saltedHash(text: string, salt: string): Promise<string>;
}

export interface Run {
  readonly organization: string;
  readonly api: Api;
  readonly ledger: RunningLedger;
  readonly references: References;
  readonly own: OwnWrites;
  readonly registry: Registry;
  readonly digests: Digests;
  readonly secrets: Pick<ResolvedSecrets, 'value'>;
  /** So many random bytes as lower-case hex. */
  readonly random: (bytes: number) => string;
  /** Temporary names of the creates that this plan goes on with. */
  readonly continued: ReadonlySet<string>;
  /** Ids of all that the plan saw: none of it is new. */
  readonly seen: ReadonlySet<string>;
  /** Tells what an object needs beyond what is done here. */
  readonly note: (step: Step, text: string) => void;
}

/** One step, and where its object is. */
export interface Task {
  readonly step: Step;
  readonly definition: ResourceDefinition;
  readonly isLink: boolean;
  /** The organization, and the object's id or the link's pair. */
  readonly key: Key;
  readonly ledgerKey: string;
  /** The ids of a link's two ends by field; empty for other objects. */
  readonly ends: Key;
  /** Absent for an object that is to be created, and for a link whose id nobody knows. */
  readonly id: string | undefined;
}

/** Finds out where the object of a step is, when all that the step needs is done. Throws `Stale` for a link to an object that has no id. */
export function resolveTask(run: Run, step: Step, definition: ResourceDefinition): Task {
  const isLink = definition.pair.length > 0;
  const ends = isLink ? endsOf(run, step, definition) : {};
  const entryKey = isLink ? ledgerKey(definition, ends) : step.key;
  const own = isLink || step.objectId === undefined ? ends : { id: step.objectId };
  const known = step.objectId ?? run.ledger.objects.get(entryKey)?.id;
  // A link without an id of its own is called by its pair.
  const existing = known ?? (definition.idPrefix === undefined ? Object.values(ends).join('/') : undefined);
  return {
    step,
    definition,
    isLink,
    key: { organization: run.organization, ...own },
    ledgerKey: entryKey,
    ends,
    id: step.action === 'create' ? undefined : existing,
  };
}

export function idOf({ step, id }: Task): string {
  if (id === undefined) throw new Error(`${step.id} does not say which object it is about`);
  return id;
}

/** Of a link that exists as it was seen, else as the ledger has it; of a new one from the manifest: ids, or addresses that have ids by now. */
function endsOf(run: Run, step: Step, { kind, pair }: ResourceDefinition): Key {
  const hasIds = step.key.startsWith(`${kind}/`) && step.key.split('/').length === pair.length + 1;
  const inKey = hasIds ? pairInKey(pair, step.key) : {};
  const entry = run.ledger.objects.get(step.key)?.values;
  const existing: FieldValues = step.action === 'create' ? {} : { ...inKey, ...entry, ...step.observed };
  return Object.fromEntries(
    pair.map((field) => {
      const known = existing[field];
      return [field, typeof known === 'string' ? known : desiredEnd(run, step, field, inKey[field])];
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
  throw new Stale(`${desired.address} has no id, and ${step.address} needs it: plan again`);
}

/** What the step sends: inputs with ids for addresses, and secrets. */
export function inputsOf(run: Run, task: Task): FieldValues {
  const inputs = { ...task.step.inputs, ...task.ends };
  return { ...run.references.resolve(inputs), ...secretsOf(run, task) };
}

/** The managed readable values, for the next comparison: of a link its pair. */
export function managedValues(run: Run, { step, isLink, ends }: Task): FieldValues {
  return isLink ? ends : run.references.resolve(step.managed);
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

/** What is there does not fit the plan any more: nothing was written, plan again. */
export class Stale extends Error {
  override readonly name = 'Stale';
}

/** Addresses to ids while an apply runs: what the plan names, else what the ledger holds by now. */
export class References {
  private readonly planned = new Map<string, string>();

  constructor(
    { steps }: Plan,
    private readonly ledger: RunningLedger,
  ) {
    for (const { action, address, objectId } of steps) {
      const isNamed = action === 'adopt' || action === 'update' || action === 'move';
      if (isNamed && objectId !== undefined) this.planned.set(address, objectId);
    }
    // Its new object has no id yet, although a move before it names the old one.
    for (const { action, address } of steps) {
      if (action === 'create' || action === 'replace') this.planned.delete(address);
    }
  }

  /** Undefined when nothing has that address yet. */
  idOf(address: string): string | undefined {
    return this.planned.get(address) ?? this.ledger.objects.get(address)?.id;
  }

  /** The values with every reference as an id. Throws `Stale`. */
  resolve(values: DesiredValues): FieldValues {
    return Object.fromEntries(
      Object.entries(values).map(([field, value]) => {
        if (!isReference(value)) return [field, value];
        const id = this.idOf(value.address);
        if (id !== undefined) return [field, id];
        throw new Stale(`${value.address} has no id, and ${field} needs it: plan again`);
      }),
    );
  }
}

/** The links that this apply itself made or removed since the plan looked at the objects that show them. */
export class OwnWrites {
  /** In order: a member that came to a set of an object, or went. */
  private readonly done: { id: string; field: string; member: string; isMade: boolean }[] = [];

  constructor(private readonly registry: Registry) {}

  linked(definition: ResourceDefinition, key: Key, isMade: boolean): void {
    for (const { id, field, member } of this.setsShowing(definition, key)) {
      this.done.push({ id, field, member, isMade });
    }
  }

  /** The queues of the objects whose fields show this link. */
  shownBy(definition: ResourceDefinition, key: Key): readonly string[] {
    return this.setsShowing(definition, key).map(({ kind, id }) => objectQueue(kind, id));
  }

  /** What the object should look like now, had nobody else touched it. */
  expected(id: string, observed: FieldValues): FieldValues {
    const expected: Record<string, FieldValue> = { ...observed };
    for (const { field, member, isMade } of this.done.filter((one) => one.id === id)) {
      const before = expected[field];
      if (!Array.isArray(before)) continue;
      const others = before.filter((one) => one !== member);
      expected[field] = isMade ? [...others, member] : others;
    }
    return expected;
  }

  /** An end of a link may have a set of the other ends among its fields. */
  private setsShowing({ kind, pair, fields }: ResourceDefinition, key: Key) {
    return pair.flatMap((end) => {
      const owner = this.registry.find((one) => one.kind === fields[end]?.refersTo);
      const other = pair.find((one) => one !== end);
      if (owner === undefined || other === undefined) return [];
      return Object.entries(owner.fields)
        .filter(([, field]) => field.exactSetOf === kind)
        .map(([field]) => ({ kind: owner.kind, id: partOf(key, end), field, member: partOf(key, other) }));
    });
  }
}

/** The queues of a step: its own object's, that of each object whose fields show it, and its kind's queue of creates. */
export function queuesOf(run: Run, task: () => Task): Queues {
  try {
    const { step, definition, isLink, key, id } = task();
    if (!isLink) return { queues: id === undefined ? [] : [objectQueue(definition.kind, id)], group: null };
    const batch = definition.batch?.lane(key);
    const creates = step.action === 'create' ? definition.createLane?.(key) : undefined;
    const isCall = step.action === 'create' || step.action === 'delete';
    const lanes = [batch, creates].filter((queue) => queue !== undefined);
    return {
      queues: [...lanes, ...run.own.shownBy(definition, key)],
      group: batch !== undefined && isCall ? `${step.action} ${batch}` : null,
    };
  } catch {
    // A step whose object cannot be found out fails when it is tried.
    return { queues: [], group: null };
  }
}

function objectQueue(kind: string, id: string): string {
  return `${kind} ${id}`;
}
