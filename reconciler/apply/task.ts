/** What all steps of one apply share, and what each is about. */
import type { Api } from '../../client/api';
import { NotSent, OperationalError } from '../../client/errors';
import type { Look } from '../../observation/evidence';
import {
  type DesiredValues,
  definitionOf,
  type FieldValue,
  type FieldValues,
  isReference,
  type Key,
  partOf,
  type Registry,
  type ResourceDefinition,
  setFields,
} from '../../resources/kind';
import type { ResolvedSecrets } from '../../resources/secrets';
import type { Digests } from '../ledger/digest';
import type { RunningLedger, TemporaryName } from '../ledger/state';
import { ledgerKey, pairInKey } from '../ledger-key';
import type { Plan, Step } from '../plan/plan';
import type { Queues } from './schedule';

export interface Run {
  readonly organization: string;
  readonly api: Api;
  readonly ledger: RunningLedger;
  readonly digests: Digests;
  readonly references: References;
  readonly own: OwnWrites;
  /** What the plan saw of objects that go, by id. */
  readonly looks: ReadonlyMap<string, Look>;
  readonly registry: Registry;
  readonly secrets: Pick<ResolvedSecrets, 'value'>;
  /** Temporary names of the creates that this plan goes on with. */
  readonly continued: ReadonlySet<string>;
  /** Of the creates of clients, by ledger key. */
  readonly temporaryNames: ReadonlyMap<string, TemporaryName>;
  /** Ids of all that the plan saw: none of it is new. */
  readonly seen: ReadonlySet<string>;
  /** What you still have to do. */
  readonly note: (step: Step, text: string) => void;
}

/** A step in its run, and where its object is. */
export type Task = ReturnType<typeof resolveTask>;

export function isNew({ action }: Step) {
  return action === 'create' || action === 'replace';
}

/** Whether nothing of the step was sent: links are made and deleted by one call. */
export function isUnsent({ registry }: Run, { action, kind }: Step, error: unknown) {
  const isLink = definitionOf(kind, registry).pair.length > 0;
  return isLink && (action === 'create' || action === 'delete') && error instanceof NotSent;
}

/** Of one group, so with one action and one batch. */
export type Tasks = readonly [Task, ...Task[]];

/** Asked when all that the step needs is done. Throws `Stale` for a link to an object that has no id. */
export function resolveTask(run: Run, step: Step) {
  const definition = definitionOf(step.kind, run.registry);
  const isLink = definition.pair.length > 0;
  const ends = isLink ? endsOf(run, step, definition) : {};
  /** In the ledger. */
  const entryKey = isLink ? ledgerKey(definition, ends) : step.key;
  const own = isLink || step.objectId === undefined ? ends : { id: step.objectId };
  const known = step.objectId ?? run.ledger.objects.get(entryKey)?.id;
  // A link without an id of its own is called by its pair.
  const existing = known ?? (definition.idPrefix === undefined ? Object.values(ends).join('/') : undefined);
  return {
    run,
    step,
    definition,
    isLink,
    key: { organization: run.organization, ...own } satisfies Key,
    entryKey,
    ends,
    /** Absent for what is to be created, or a link whose id nobody knows. */
    id: step.action === 'create' ? undefined : existing,
  };
}

export function objectIdOf({ step, id }: Task) {
  if (id === undefined) throw new Error(`${step.id} does not say which object it is about`);
  return id;
}

/** Of a link that exists as it was seen, else as the ledger has it; of a new one from the manifest. */
function endsOf(run: Run, step: Step, { kind, pair }: ResourceDefinition): Key {
  const hasIds = step.key.startsWith(`${kind}/`) && step.key.split('/').length === pair.length + 1;
  const inKey = hasIds ? pairInKey(pair, step.key) : {};
  const entry = run.ledger.objects.get(step.key)?.values;
  const existing: FieldValues = step.action === 'create' ? {} : { ...inKey, ...entry, ...step.observed };
  const endOf = (field: string) => {
    const end = existing[field] ?? step.inputs[field];
    if (typeof end === 'string') return end;
    if (!isReference(end)) throw new Error(`${step.id} does not say its ${field}`);
    // A key that is the display address holds aliases.
    const id = run.references.idOf(end.address) ?? (step.key === step.address ? undefined : inKey[field]);
    if (id !== undefined) return id;
    throw new Stale(`${end.address} has no id, and ${step.address} needs it: plan again`);
  };
  return Object.fromEntries(pair.map((field) => [field, endOf(field)]));
}

/** What the step sends, with ids for addresses. */
export function inputsOf(task: Task): FieldValues {
  const { run, step, ends } = task;
  return { ...run.references.resolve({ ...step.inputs, ...ends }), ...secretsOf(task) };
}

/** For the next comparison: of a link its pair. */
export function managedValues({ run, step, isLink, ends }: Task): FieldValues {
  return isLink ? ends : run.references.resolve(step.managed);
}

export function secretsOf({ run, step }: Task) {
  return Object.fromEntries(
    Object.keys(step.secrets).map((field) => {
      const value = run.secrets.value(step.address, field);
      if (value === undefined) throw new Error(`the value of ${step.address} ${field} was not resolved`);
      return [field, value];
    }),
  );
}

/** Of the secrets the step wrote, by field. */
export async function digestsOf(task: Task) {
  const written = Object.entries(secretsOf(task)).map(
    async ([field, value]) => [field, await task.run.digests.create(value)] as const,
  );
  return Object.fromEntries(await Promise.all(written));
}

/** What is there does not fit the plan any more; nothing was written. */
export class Stale extends OperationalError {}

/** Addresses to ids: what the plan names, else what the ledger holds by now. */
export class References {
  private readonly planned: ReadonlyMap<string, string | undefined>;

  constructor(
    { steps }: Plan,
    private readonly ledger: RunningLedger,
  ) {
    // A move may name the old object of what is made anew.
    const made = new Set(steps.flatMap((step) => (isNew(step) ? step.address : [])));
    const named = steps.filter(
      ({ action, address }) => ['adopt', 'update', 'move'].includes(action) && !made.has(address),
    );
    this.planned = new Map(named.map(({ address, objectId }) => [address, objectId]));
  }

  idOf(address: string) {
    return this.planned.get(address) ?? this.ledger.objects.get(address)?.id;
  }

  /** Throws `Stale` for a reference to what has no id. */
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

/** Links that this apply made or removed since the plan looked at the objects that show them. */
export class OwnWrites {
  /** By object: members that came to a set of it, or went, in order. */
  private readonly done = new Map<string, { field: string; member: string; isMade: boolean }[]>();

  constructor(private readonly registry: Registry) {}

  linked(definition: ResourceDefinition, key: Key, isMade: boolean) {
    for (const { id, field, member } of this.setsShowing(definition, key)) {
      const done = this.done.get(id) ?? [];
      done.push({ field, member, isMade });
      this.done.set(id, done);
    }
  }

  /** The queues of the objects whose fields show this link. */
  shownBy(definition: ResourceDefinition, key: Key) {
    return this.setsShowing(definition, key).map(({ owner, id }) => objectQueue(owner, id));
  }

  /** What the object looks like if nobody else touched it. */
  expected(id: string, observed: FieldValues): FieldValues {
    const expected: Record<string, FieldValue> = { ...observed };
    for (const { field, member, isMade } of this.done.get(id) ?? []) {
      const before = expected[field];
      if (!Array.isArray(before)) continue;
      const others = before.filter((one) => one !== member);
      expected[field] = isMade ? [...others, member] : others;
    }
    return expected;
  }

  /** An end may have a set of the other ends among its fields. */
  private setsShowing({ kind }: ResourceDefinition, key: Key) {
    const sets = setFields(this.registry).filter((set) => set.kind === kind);
    return sets.map(({ end, far, ...set }) => ({ ...set, id: partOf(key, end), member: partOf(key, far) }));
  }
}

/** Of a link, those of the objects whose fields show it, its batch's, and its kind's queue of creates; else its own. */
export function queuesOf(task: () => Task): Queues {
  try {
    const { run, step, definition, isLink, key, id } = task();
    if (!isLink) return { queues: id === undefined ? [] : [objectQueue(definition.kind, id)], group: null };
    const batch = definition.batch?.queue(key);
    const creates = step.action === 'create' ? definition.createQueue?.(key) : undefined;
    const isCall = step.action === 'create' || step.action === 'delete';
    const queues = [batch, creates].filter((queue) => queue !== undefined);
    return {
      queues: [...queues, ...run.own.shownBy(definition, key)],
      group: batch !== undefined && isCall ? `${step.action} ${batch}` : null,
    };
  } catch {
    // A step whose object cannot be found out fails when it is tried.
    return { queues: [], group: null };
  }
}

function objectQueue(kind: string, id: string) {
  return `${kind} ${id}`;
}
