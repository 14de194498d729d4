/** Plans the wanted objects that have an id of their own, row by row of the table in docs/architecture.md. Pure. */
import type { DesiredEntry } from '../../manifest/desired';
import { hasTemporaryName } from '../../resources/diff';
import type { Found, Issue } from '../../resources/kind';
import { personNeeded } from '../connecting';
import type { LedgerObject } from '../ledger/ledger';
import { sameFields } from './bindings';
import {
  leftoverName,
  type ObjectChanges,
  objectChanges,
  plainInputs,
  protectionChange,
  reasonOf,
  risksOf,
} from './changes';
import { type Context, definitionFor, objectEntries, observationIn } from './context';
import {
  duplicatesOf,
  type HeldTask,
  leaveUnknown,
  type ObjectState,
  type ObjectTask,
  type PlannedObject,
  planCreate,
  refuse,
  refuseLeftovers,
  refuseTaken,
} from './create';
import type { Plan, PlannedChange, Step } from './plan';
import { planPredecessor, planReplace } from './replace';
import { aboutEntry, buildStep, type Findings, joinFindings, stepId, type Why } from './steps';

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
    const task = objectTask(context, entry, takenBy);
    const planned = planObject(task);
    const { id } = planned.object;
    parts.push(planMove(task), planned);
    objects.set(entry.address, planned.object);
    if (id !== null && !takenBy.has(id)) takenBy.set(id, entry.address);
    if (planned.isMissing) missing.add(entry.address);
  }
  return { ...joinFindings(parts), objects, missing };
}

function objectTask(context: Context, entry: DesiredEntry, takenBy: ReadonlyMap<string, string>): ObjectTask {
  const binding = context.bindings.byAddress.get(entry.address);
  const held = binding?.object ?? null;
  return {
    context,
    definition: definitionFor(context, entry),
    entry,
    held,
    about: aboutEntry(entry, entry.address, entry.protect ?? held?.protect ?? false),
    moveNeeds: binding?.movedFrom === undefined ? [] : [stepId('move', entry.address)],
    takenBy,
  };
}

/** A rename of the address costs no call; it is a step of its own, before anything else of that object. */
function planMove({ context, entry: { address }, about }: ObjectTask): Partial<Findings> {
  const { movedFrom, object } = context.bindings.byAddress.get(address) ?? {};
  if (movedFrom === undefined || object === undefined) return {};
  const why = ['renamed', `${movedFrom} is called ${address} now`] as const;
  return { steps: [buildStep('move', about, why, { movedFrom, objectId: object.id })] };
}

function planObject(task: ObjectTask): PlannedObject {
  const refused = refuseMove(task) ?? refuseId(task);
  if (refused !== null) return refused;
  const planned = refuseLeftovers(task) ?? planByState(task);
  return { ...planned, warnings: [...replacedId(task), ...(planned.warnings ?? [])] };
}

function planByState(task: ObjectTask): PlannedObject {
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
      return (
        refuseTaken(task, observation.found) ??
        (held === null ? planAdopt(task, observation.found) : planHeld({ ...task, held }, observation.found))
      );
  }
}

/** Several objects of the ledger would come to this address. */
function refuseMove(task: ObjectTask): PlannedObject | null {
  const clash = task.context.bindings.clashes.get(task.entry.address);
  return clash === undefined ? null : refuse(task, 'move-clash', clash.message, clash.at);
}

/** An `id:` line that contradicts the ledger. */
function refuseId(task: ObjectTask): PlannedObject | null {
  const { context, entry, held } = task;
  const { address, id, idAt: at } = entry;
  if (id === undefined) return null;
  if (held !== null && ![held.id, held.replaced, held.replaces].includes(id)) {
    const message = `the ledger says that ${address} is ${held.id}, not ${id}: remove \`id:\`; or take the entry out with a \`forget\` line, apply, and add it again with \`id:\``;
    return refuse(task, 'id-differs', message, at);
  }
  const holder = context.keyOfId.get(id);
  if (held !== null || holder === undefined) return null;
  const message = `${id} is held by ${holder} in the ledger: use \`moved:\`, or give another id`;
  return refuse(task, 'id-held', message, at);
}

/** The manifest names what this object replaced. */
function replacedId({ entry: { address, id, idAt, at }, held }: ObjectTask): readonly Issue[] {
  if (held === null || id === undefined || id === held.id) return [];
  const message = `\`id: ${id}\` names the client that ${held.id} replaced: remove the line`;
  return [{ rule: 'id-replaced', severity: 'warning', message, path: address, at: idAt ?? at }];
}

function refuseMissingId(task: ObjectTask, id: string): PlannedObject {
  const message = `${id} does not exist: correct the id, or remove the line to create a new one`;
  return { ...refuse(task, 'id-absent', message, task.entry.idAt), ...(task.held && { isMissing: true }) };
}

/** Ours is missing: it is made again, and what it had replaced goes after that. */
function createAgain(task: ObjectTask, held: LedgerObject): PlannedObject {
  const created = planCreate(task, 'gone');
  const [step] = created.steps ?? [];
  if (step === undefined) return { ...created, isMissing: true };
  const old = planPredecessor(task, held, {
    because: `${held.id}, which took its place, is gone and made again`,
    approve: 'replace',
    needs: [step.id],
  });
  return { ...joinFindings([created, old]), object: created.object, isMissing: true };
}

/** An existing object becomes ours; what never changes in place must be as the manifest says. */
function planAdopt(task: ObjectTask, found: Found): PlannedObject {
  const { context, definition, entry } = task;
  const changes = objectChanges(context, definition, entry, found.values, null);
  // What no ledger holds is not ours to destroy, so it cannot be replaced either.
  const refused = changes.replace
    .filter((one) => one.secret === undefined)
    .map(({ field, from }) => {
      const message = `${found.id} cannot be adopted as it is: its ${field} is ${JSON.stringify(from)}, and this field never changes in place. Correct the manifest, or name another id`;
      return refuse(task, 'cannot-adopt', message, entry.fieldsAt[field] ?? entry.idAt);
    });
  const [first] = refused;
  if (first !== undefined) return { ...joinFindings(refused), object: first.object };
  const why = ['found', `${found.id} exists and becomes ours`] as const;
  return {
    steps: [changeStep(task, found, [...changes.update, ...leftoverName(entry, found)], why)],
    notes: notesOn(task, found, changes),
    object: { state: 'present', id: found.id },
  };
}

/** Ours is there: left as it is, updated in place, or replaced. */
function planHeld(task: HeldTask, found: Found): PlannedObject {
  const { context, definition, entry, held, about, moveNeeds } = task;
  const changes = objectChanges(context, definition, entry, found.values, held);
  const notes = notesOn(task, found, changes);
  const protection = protectionChange(held.protect, about.protect);
  if (changes.replace.length > 0) {
    const replaced = planReplace(task, found, changes.replace, [...changes.update, ...protection]);
    return { ...replaced, notes: [...notes, ...(replaced.notes ?? [])] };
  }
  const update = [...changes.update, ...leftoverName(entry, found), ...protection];
  const warnings = duplicatesOf(task, found);
  const old = planPredecessor(task, held, {
    because: `${found.id} took its place; its destruction was approved and then interrupted`,
    approve: null,
    needs: moveNeeds,
  });
  const why = hasTemporaryName(found)
    ? (['interrupted', 'its creation was interrupted before it got its name'] as const)
    : reasonOf(update);
  const rest = update.length === 0 ? leaveAsItIs(task) : { steps: [changeStep(task, found, update, why)] };
  return { ...joinFindings([old, { notes, warnings }, rest]), object: { state: 'present', id: found.id } };
}

/** The update of an object that is ours, or the adoption of one that is not yet. */
function changeStep(
  { entry, held, about, moveNeeds }: ObjectTask,
  found: Found,
  changes: readonly PlannedChange[],
  why: Why,
): Step {
  const fields = new Set(changes.filter((one) => one.local === undefined).map((one) => one.field));
  const written = <Value>(values: Readonly<Record<string, Value>>): Record<string, Value> =>
    Object.fromEntries(Object.entries(values).filter(([field]) => fields.has(field)));
  return buildStep(held === null ? 'adopt' : 'update', about, why, {
    objectId: found.id,
    changes,
    risks: risksOf(changes),
    needs: moveNeeds,
    inputs: written(entry.inputs),
    secrets: written(entry.secrets),
    ...(held === null
      ? { unverified: Object.keys(entry.secrets).filter((field) => !fields.has(field)) }
      : {}),
    managed: entry.inputs,
    observed: found.values,
  });
}

/** Nothing to do; the ledger may have to learn which fields are managed now, and in which file they stand. */
function leaveAsItIs({ entry, held }: HeldTask): Partial<Findings> {
  const { address: key, file } = entry;
  const managed = plainInputs(entry);
  const isKnown = sameFields(managed, held.values) && held.file === file;
  return { unchanged: [key], baselineRefresh: isKnown ? [] : [{ key, managed, file }] };
}

function notesOn(
  { context, entry: { address } }: ObjectTask,
  found: Found,
  { unverified, notCompared }: ObjectChanges,
): Plan['notes'] {
  const notes: [string, string | null][] = [
    [
      'secret-unverified',
      unverified.length === 0
        ? null
        : `secret not verified: ${unverified.join(', ')} (never written by us; --write-secrets writes what can be written)`,
    ],
    [
      'secret-not-compared',
      notCompared.length === 0
        ? null
        : `secret not compared: ${notCompared.join(', ')} (its value is not at hand)`,
    ],
    ['not-connected', personNeeded(found.outputs, context.observed.address)],
  ];
  return notes.flatMap(([code, text]) => (text === null ? [] : [{ address, code, text }]));
}
