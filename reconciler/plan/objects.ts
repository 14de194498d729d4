/** Plans the wanted objects that have an id of their own, row by row of the table in docs/architecture.md. Pure. */
import type { DesiredEntry } from '../../manifest/desired';
import type { Found, Issue } from '../../resources/kind';
import { hasTemporaryName } from '../../resources/match';
import { personNeeded } from '../connecting';
import type { LedgerObject } from '../ledger/ledger';
import { type ObjectChanges, objectChanges, plainInputs, reasonOf, risksOf } from './changes';
import { type Context, definitionFor, objectEntries, observationIn } from './context';
import {
  leaveUnknown,
  type ObjectState,
  type ObjectTask,
  type PlannedObject,
  planCreate,
  refuse,
  unknownLeftovers,
} from './create';
import type { Plan, PlannedChange, Step } from './plan';
import { planPredecessor, planReplace } from './replace';
import { aboutEntry, buildStep, type Findings, joinFindings, stepId } from './steps';

export interface PlannedObjects extends Findings {
  /** By address of the wanted object. */
  readonly objects: ReadonlyMap<string, ObjectState>;
  /** Addresses of wanted objects that the ledger has and that were proved absent. */
  readonly missing: ReadonlySet<string>;
}

/** What every wanted object needs. */
export function planObjects(context: Context): PlannedObjects {
  const objects = new Map<string, ObjectState>();
  const takenBy = new Map<string, string>();
  const missing = new Set<string>();
  const parts: Partial<Findings>[] = [];
  for (const entry of objectEntries(context)) {
    const { address } = entry;
    const task = objectTask(context, entry);
    const planned = planObject(task, takenBy);
    parts.push(planMove(task), planned);
    objects.set(address, planned.object);
    const { id } = planned.object;
    if (id !== null && !takenBy.has(id)) takenBy.set(id, address);
    if (planned.isMissing) missing.add(address);
  }
  return { ...joinFindings(parts), objects, missing };
}

function objectTask(context: Context, entry: DesiredEntry): ObjectTask {
  const binding = context.bindings.byAddress.get(entry.address);
  const held = binding?.object ?? null;
  return {
    context,
    definition: definitionFor(context, entry),
    entry,
    held,
    about: aboutEntry(entry, entry.address, entry.protect ?? held?.protect ?? false),
    moveNeeds: binding?.movedFrom === undefined ? [] : [stepId('move', entry.address)],
  };
}

/** A rename of the address costs no call; it is a step of its own, before anything else of that object. */
function planMove({ context, entry: { address }, about }: ObjectTask): Partial<Findings> {
  const { movedFrom, object } = context.bindings.byAddress.get(address) ?? {};
  if (movedFrom === undefined || object === undefined) return {};
  const why = ['renamed', `${movedFrom} is called ${address} now`] as const;
  return { steps: [buildStep('move', about, why, { movedFrom, objectId: object.id })] };
}

/** `takenBy`: the addresses that already have an id in this plan. */
function planObject(task: ObjectTask, takenBy: ReadonlyMap<string, string>): PlannedObject {
  const refused = refuseId(task);
  if (refused !== null) return refused;
  const planned = refuseLeftovers(task) ?? planByState(task, takenBy);
  return { ...planned, warnings: [...replacedId(task), ...(planned.warnings ?? [])] };
}

function planByState(task: ObjectTask, takenBy: ReadonlyMap<string, string>): PlannedObject {
  const { context, definition, entry, held } = task;
  const id = held?.id ?? entry.id;
  if (id === undefined) {
    return planCreate(task, entry.address in context.ledger.pending ? 'interrupted' : 'new');
  }
  const observation = observationIn(context, definition, { id }, id);
  switch (observation.state) {
    case 'unknown':
      return leaveUnknown(task, id, observation.why);
    case 'missing':
      // An `id:` line would name what is missing for ever after: whoever wants another one takes it out.
      return held === null || entry.id === id ? refuseMissingId(task, id) : createAgain(task, held);
    case 'present':
      return held === null
        ? planAdopt(task, observation.found, takenBy)
        : planHeld({ ...task, held }, observation.found, takenBy);
  }
}

/** An `id:` line that contradicts the ledger. */
function refuseId(task: ObjectTask): PlannedObject | null {
  const { context, entry, held } = task;
  const { address, id, idAt: at } = entry;
  if (id === undefined) return null;
  if (held !== null && ![held.id, held.replaced, held.replaces].includes(id)) {
    const message = `the ledger says that ${address} is ${held.id}, not ${id}: remove \`id:\`; or take the entry out with a \`forget\` line, apply, and add it again with \`id:\``;
    return refuse(task, { rule: 'id-differs', message, at });
  }
  const holder = context.keyOfId.get(id);
  if (held !== null || holder === undefined) return null;
  const message = `${id} is held by ${holder} in the ledger: use \`moved:\`, or give another id`;
  return refuse(task, { rule: 'id-held', message, at });
}

/** The manifest names what this object replaced. */
function replacedId({ entry: { address, id, idAt, at }, held }: ObjectTask): readonly Issue[] {
  if (held === null || id === undefined || id === held.id) return [];
  const message = `\`id: ${id}\` names the client that ${held.id} replaced: remove the line`;
  return [{ rule: 'id-replaced', severity: 'warning', message, path: address, at: idAt ?? at }];
}

/** What another apply may be making under this address; not what the manifest names by its id, and so adopts. */
function refuseLeftovers(task: ObjectTask): PlannedObject | null {
  const leftovers = unknownLeftovers(task).filter((found) => found.id !== task.entry.id);
  if (leftovers.length === 0) return null;
  const names = leftovers.map((found) => `${found.id} (${String(found.values.name)})`).join(', ');
  const message = `an interrupted apply left ${names}, which no ledger here knows. If no other apply is running: adopt it with \`id: ${leftovers[0]?.id ?? ''}\` and write its secrets with --write-secrets, or delete it in the service`;
  return refuse(task, { rule: 'interrupted-elsewhere', message });
}

function refuseMissingId(task: ObjectTask, id: string): PlannedObject {
  const message = `${id} does not exist: correct the id, or remove the line to create a new one`;
  const refused = refuse(task, { rule: 'id-absent', message, at: task.entry.idAt });
  return task.held === null ? refused : { ...refused, isMissing: true };
}

/** Ours is missing: it is made again, and what it had replaced goes after that. */
function createAgain(task: ObjectTask, held: LedgerObject): PlannedObject {
  const { context, definition, about } = task;
  const created = planCreate(task, 'gone');
  const [step] = created.steps ?? [];
  if (step === undefined) return { ...created, isMissing: true };
  const old = planPredecessor(context, definition, about, held, {
    because: `${held.id}, which took its place, is gone and made again`,
    approve: 'replace',
    needs: [step.id],
  });
  const undetermined = old.undetermined;
  return { ...created, undetermined, steps: [step, ...(old.steps ?? [])], isMissing: true };
}

/** An existing object becomes ours; what never changes in place must be as the manifest says. */
function planAdopt(task: ObjectTask, found: Found, takenBy: ReadonlyMap<string, string>): PlannedObject {
  const { context, definition, entry } = task;
  const changes = objectChanges(context, definition, entry, found.values, null);
  // What no ledger holds is not ours to destroy, so it cannot be replaced either.
  const fixed = changes.replace.filter((one) => one.secret === undefined);
  if (fixed.length > 0) {
    const problems = fixed.map(({ field, from }) => ({
      rule: 'cannot-adopt',
      message: `${found.id} cannot be adopted as it is: its ${field} is ${JSON.stringify(from)}, and this field never changes in place. Correct the manifest, or name another id`,
      at: entry.fieldsAt[field] ?? entry.idAt,
    }));
    return refuse(task, ...problems);
  }
  const taken = refuseTaken(task, found, takenBy);
  if (taken !== null) return taken;
  const update = [...changes.update, ...leftoverName(entry, found)];
  const step = changeStep(task, found, update, {
    reason: 'found',
    because: `${found.id} exists and becomes ours`,
  });
  return { steps: [step], notes: notesOn(task, found, changes), object: { state: 'present', id: found.id } };
}

/** Ours is there: left as it is, updated in place, or replaced. */
function planHeld(
  task: ObjectTask & { readonly held: LedgerObject },
  found: Found,
  takenBy: ReadonlyMap<string, string>,
): PlannedObject {
  const { context, definition, entry, held, about, moveNeeds } = task;
  const taken = refuseTaken(task, found, takenBy);
  if (taken !== null) return taken;
  const changes = objectChanges(context, definition, entry, found.values, held);
  const notes = notesOn(task, found, changes);
  const protection = protectionChange(task);
  if (changes.replace.length > 0) {
    const replaced = planReplace(task, found, changes.replace, [...changes.update, ...protection]);
    return { ...replaced, notes: [...notes, ...(replaced.notes ?? [])] };
  }
  const update = [...changes.update, ...leftoverName(entry, found), ...protection];
  const old = planPredecessor(context, definition, about, held, {
    because: `${found.id} took its place; its destruction was approved and then interrupted`,
    approve: null,
    needs: moveNeeds,
  });
  const rest =
    update.length === 0
      ? leaveAsItIs(task)
      : { steps: [changeStep(task, found, update, whyUpdate(found, update))] };
  return {
    ...joinFindings([{ ...old, steps: old.steps ?? [] }, { notes }, rest]),
    object: { state: 'present', id: found.id },
  };
}

function whyUpdate(found: Found, update: readonly PlannedChange[]): Pick<Step, 'reason' | 'because'> {
  return hasTemporaryName(found)
    ? { reason: 'interrupted', because: 'its creation was interrupted before it got its name' }
    : reasonOf(update);
}

/** Two addresses with one id, which only two `id:` lines can make. */
function refuseTaken(
  task: ObjectTask,
  { id }: Found,
  takenBy: ReadonlyMap<string, string>,
): PlannedObject | null {
  const holder = takenBy.get(id);
  if (holder === undefined) return null;
  const message = `${id} is taken by ${holder} in this plan: one object cannot be two addresses`;
  return refuse(task, { rule: 'id-claimed-twice', message, at: task.entry.idAt });
}

/** The update of an object that is ours, or the adoption of one that is not yet. */
function changeStep(
  { entry, held, about, moveNeeds }: ObjectTask,
  found: Found,
  changes: readonly PlannedChange[],
  { reason, because }: Pick<Step, 'reason' | 'because'>,
): Step {
  const fields = new Set(changes.filter((one) => one.local === undefined).map((one) => one.field));
  const written = <Value>(values: Readonly<Record<string, Value>>): Record<string, Value> =>
    Object.fromEntries(Object.entries(values).filter(([field]) => fields.has(field)));
  const unverified = Object.keys(entry.secrets).filter((field) => !fields.has(field));
  return buildStep(held === null ? 'adopt' : 'update', about, [reason, because], {
    objectId: found.id,
    changes,
    risks: risksOf(changes),
    needs: moveNeeds,
    inputs: written(entry.inputs),
    secrets: written(entry.secrets),
    ...(held === null ? { unverified } : {}),
    managed: entry.inputs,
    observed: found.values,
  });
}

/** A temporary name goes even where the manifest leaves the name out. */
function leftoverName(entry: DesiredEntry, found: Found): readonly PlannedChange[] {
  if (!hasTemporaryName(found) || 'name' in entry.inputs) return [];
  return [{ field: 'name', from: found.values.name ?? null, to: null }];
}

function protectionChange({ held, about: { protect } }: ObjectTask): readonly PlannedChange[] {
  if (held === null || held.protect === protect) return [];
  return [{ field: 'protect', from: held.protect, to: protect, local: true }];
}

/** Nothing to do; the ledger may have to learn which fields are managed now, and in which file they stand. */
function leaveAsItIs({ entry, held }: ObjectTask & { readonly held: LedgerObject }): Partial<Findings> {
  const { address: key, file } = entry;
  const managed = plainInputs(entry);
  const isSame = JSON.stringify(sorted(managed)) === JSON.stringify(sorted(held.values));
  const isKnown = isSame && held.file === file;
  return { unchanged: [key], baselineRefresh: isKnown ? [] : [{ key, managed, file }] };
}

function sorted(values: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  return Object.entries(values)
    .map(([field, value]) => [field, Array.isArray(value) ? [...value].sort() : value] as const)
    .sort(([one], [two]) => (one < two ? -1 : 1));
}

function notesOn(
  { context, entry: { address } }: ObjectTask,
  found: Found,
  { unverified, notCompared }: ObjectChanges,
): Plan['notes'] {
  const person = personNeeded(found.outputs, context.observed.address);
  const rows: readonly (readonly [boolean, string, string])[] = [
    [
      unverified.length > 0,
      'secret-unverified',
      `secret not verified: ${unverified.join(', ')} (never written by us; --write-secrets writes what can be written)`,
    ],
    [
      notCompared.length > 0,
      'secret-not-compared',
      `secret not compared: ${notCompared.join(', ')} (its value is not at hand)`,
    ],
    [person !== null, 'not-connected', person ?? ''],
  ];
  return rows.flatMap(([applies, code, text]) => (applies ? [{ address, code, text }] : []));
}
