/** Plans the wanted objects that have an id of their own, row by row of the table in docs/architecture.md. Pure. */
import type { DesiredEntry } from '../../manifest/desired';
import { hasTemporaryName } from '../../resources/diff';
import type { Found, Issue } from '../../resources/kind';
import type { LedgerObject } from '../ledger/ledger';
import { sameFields } from './bindings';
import { canWriteSecret, type ObjectChanges, objectChanges, plainInputs, reasonOf, risksOf } from './changes';
import { planPredecessor } from './cleanup';
import { type Context, definitionFor, observationIn } from './context';
import { duplicatesOf, planCreate, planReplace, refuseLeftovers } from './create';
import {
  type HeldTask,
  leaveUnknown,
  type ObjectState,
  type ObjectStates,
  type ObjectTask,
  type PlannedObject,
  refuse,
} from './object-task';
import type { Plan, PlannedChange, Step } from './plan';
import { aboutEntry, buildStep, type Findings, joinFindings, stepId, type Why } from './steps';

/** The addresses that have an id in this plan already, by that id. */
type TakenBy = ReadonlyMap<string, string>;

/** What every wanted object needs, and how each stands. */
export function planObjects(context: Context): Findings & { readonly states: ObjectStates } {
  const states = new Map<string, ObjectState>();
  const takenBy = new Map<string, string>();
  const parts: Partial<Findings>[] = [];
  for (const entry of context.objectEntries) {
    const { address } = entry;
    const task = objectTask(context, entry);
    const planned = planObject(task, takenBy);
    const { id } = planned.object;
    parts.push(planMove(task), planned);
    states.set(address, planned.object);
    if (id !== null && !takenBy.has(id)) takenBy.set(id, address);
  }
  return { ...joinFindings(parts), states };
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

/** A rename costs no call, and comes before all else of that object. */
function planMove({ context, entry: { address }, about }: ObjectTask): Partial<Findings> {
  const { movedFrom, object } = context.bindings.byAddress.get(address) ?? {};
  if (movedFrom === undefined || object === undefined) return {};
  const why = ['renamed', `${movedFrom} is called ${address} now`] as const;
  return { steps: [buildStep('move', about, why, { movedFrom, objectId: object.id })] };
}

function planObject(task: ObjectTask, takenBy: TakenBy): PlannedObject {
  const clash = task.context.bindings.clashes.get(task.entry.address);
  if (clash !== undefined) return refuse(task, 'move-clash', clash.message, clash.at);
  const refused = refuseId(task);
  if (refused !== null) return refused;
  const planned = refuseLeftovers(task) ?? planByState(task, takenBy);
  return { ...planned, warnings: [...replacedId(task), ...(planned.warnings ?? [])] };
}

function planByState(task: ObjectTask, takenBy: TakenBy): PlannedObject {
  const { context, definition, entry, held } = task;
  const id = held?.id ?? entry.id;
  if (id === undefined) {
    return planCreate(task, entry.address in context.ledger.pending ? 'interrupted' : 'new');
  }
  const observation = observationIn(context, definition, { id }, id);
  if (observation.state === 'unknown') return leaveUnknown(task, id, observation.why);
  if (observation.state === 'missing') {
    // An `id:` line would name what is missing for ever after.
    const planned = held === null || entry.id === id ? refuseMissingId(task, id) : createAgain(task, held);
    return held === null ? planned : { ...planned, object: { ...planned.object, isMissing: true } };
  }
  const { found } = observation;
  const holder = takenBy.get(found.id);
  if (holder !== undefined) {
    // Which only two `id:` lines can make.
    const message = `${found.id} is taken by ${holder} in this plan: one object cannot be two addresses`;
    return refuse(task, 'id-claimed-twice', message, entry.idAt);
  }
  return held === null ? planAdopt(task, found) : planHeld({ ...task, held }, found);
}

/** An `id:` line that contradicts the ledger. */
function refuseId(task: ObjectTask): PlannedObject | null {
  const { context, entry, held } = task;
  const { address, id, idAt: at } = entry;
  if (id === undefined) return null;
  if (held !== null) {
    if ([held.id, held.replaced, held.replaces].includes(id)) return null;
    const message = `the ledger says that ${address} is ${held.id}, not ${id}: remove \`id:\`; or take the entry out with a \`forget\` line, apply, and add it again with \`id:\``;
    return refuse(task, 'id-differs', message, at);
  }
  const holder = context.keyOfId.get(id);
  if (holder === undefined) return null;
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
  return refuse(task, 'id-absent', message, task.entry.idAt);
}

/** Ours is missing: it is made again, and what it had replaced goes after that. */
function createAgain(task: ObjectTask, held: LedgerObject): PlannedObject {
  const created = planCreate(task, 'gone');
  const { step } = created.object;
  if (step === undefined) return created;
  const old = planPredecessor(task, held, {
    because: `${held.id}, which took its place, is gone and made again`,
    approve: 'replace',
    needs: [step],
  });
  return { ...joinFindings([created, old]), object: created.object };
}

/** An existing object becomes ours; what never changes in place must be as the manifest says. */
function planAdopt(task: ObjectTask, found: Found): PlannedObject {
  const { entry } = task;
  const changes = objectChanges(task, found);
  // What no ledger holds is not ours to destroy, so it cannot be replaced either.
  const refused = changes.replace
    .filter((one) => one.secret === undefined)
    .map(({ field, from }) => {
      const message = `${found.id} cannot be adopted as it is: its ${field} is ${JSON.stringify(from)}, and this field never changes in place. Correct the manifest, or name another id`;
      return refuse(task, 'cannot-adopt', message, entry.fieldsAt[field] ?? entry.idAt);
    });
  const [first] = refused;
  if (first !== undefined) return { ...joinFindings(refused), object: first.object };
  return {
    steps: [changeStep(task, found, changes.update, ['found', `${found.id} exists and becomes ours`])],
    notes: notesOn(task, found, changes),
    object: { state: 'present', id: found.id },
  };
}

/** Ours is there: left as it is, updated in place, or replaced. */
function planHeld(task: HeldTask, found: Found): PlannedObject {
  const changes = objectChanges(task, found);
  const { replace, update } = changes;
  const notes = notesOn(task, found, changes);
  if (replace.length > 0) {
    // The ledger remembers one old object for each address, so an earlier one goes first.
    const earlier = planPredecessor(task, task.held, {
      because: `${found.id} took its place, and is replaced in turn`,
      approve: 'replace',
      needs: task.moveNeeds,
    });
    const replaced = planReplace(task, found, changes, earlier);
    return { ...replaced, notes: [...notes, ...(replaced.notes ?? [])] };
  }
  const old = planPredecessor(task, task.held, {
    because: `${found.id} took its place; its destruction was approved and then interrupted`,
    approve: null,
    needs: task.moveNeeds,
  });
  const why = hasTemporaryName(found)
    ? (['interrupted', 'its creation was interrupted before it got its name'] as const)
    : reasonOf(update);
  const rest = update.length === 0 ? leaveAsItIs(task) : { steps: [changeStep(task, found, update, why)] };
  const warnings = duplicatesOf(task, found);
  return { ...joinFindings([old, { notes, warnings }, rest]), object: { state: 'present', id: found.id } };
}

function changeStep(
  { entry, held, about, moveNeeds }: ObjectTask,
  found: Found,
  changes: readonly PlannedChange[],
  why: Why,
): Step {
  const fields = new Set(changes.filter((one) => one.local === undefined).map((one) => one.field));
  const written = <Value>(values: Readonly<Record<string, Value>>): Record<string, Value> =>
    Object.fromEntries(Object.entries(values).filter(([field]) => fields.has(field)));
  const unverified = Object.keys(entry.secrets).filter((field) => !fields.has(field));
  return buildStep(held === null ? 'adopt' : 'update', about, why, {
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

/** Nothing to do; the ledger may have to learn which fields are managed now, and in which file they stand. */
function leaveAsItIs({ entry, held }: HeldTask): Partial<Findings> {
  const { address: key, file } = entry;
  const managed = plainInputs(entry);
  const isKnown = sameFields(managed, held.values) && held.file === file;
  return { unchanged: [key], baselineRefresh: isKnown ? [] : [{ key, managed, file }] };
}

function notesOn(
  task: ObjectTask,
  { outputs }: Found,
  { unverified, notCompared }: ObjectChanges,
): Plan['notes'] {
  const { context, definition, entry } = task;
  const { address } = entry;
  const note = (code: string, text: string) => ({ address, code, text });
  const notes: Plan['notes'][number][] = [];
  if (unverified.length > 0) {
    const why = canWriteSecret(task, unverified)
      ? '--write-secrets writes what can be written'
      : 'this service cannot change it in place';
    notes.push(
      note(
        'secret-unverified',
        `secret not verified: ${unverified.join(', ')} (never written by us; ${why})`,
      ),
    );
  }
  if (notCompared.length > 0) {
    const text = `secret not compared: ${notCompared.join(', ')} (its value is not at hand)`;
    notes.push(note('secret-not-compared', text));
  }
  const waiting = definition.waitsFor?.(outputs, context.observed.address) ?? null;
  if (waiting !== null) notes.push(note('not-connected', waiting));
  return notes;
}
