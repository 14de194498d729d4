/** Plans the wanted objects that have an id of their own, row by row of the table in docs/architecture.md. */

import { addressesIn, type Found } from '../../resources/kind';
import { isNonce } from '../../resources/names';
import type { LedgerObject } from '../ledger/ledger';
import { sameFields } from './bindings';
import { type Context, type ObjectTask, objectTask } from './context';
import { certainMatch, duplicatesOf, planCreate, planReplace, refuseLeftovers } from './create';
import {
  leaveUnknown,
  type ObjectChanges,
  type ObjectState,
  objectChanges,
  type PlannedObject,
  planPredecessor,
  reasonOf,
  refuse,
  risksOf,
  scopeWarnings,
} from './object-task';
import type { PlannedChange } from './plan';
import { noteOnSecret, secretNotes } from './secret-notes';
import { buildStep, type Findings, joinFindings, leaveAsItIs, type Why, warning } from './steps';

export function planObjects(context: Context) {
  const states = new Map<string, ObjectState>(
    [...context.unknownNames.keys()].map((name) => [name, { id: null, why: `${name} is not known` }]),
  );
  const takenBy = new Map<string, string>();
  const parts: Findings[] = [];
  for (const entry of context.objectEntries) {
    const { address, inputs } = entry;
    const task = objectTask(context, entry);
    const [why] = addressesIn(inputs).flatMap((owner) => states.get(owner)?.why ?? []);
    const held = task.held?.id ?? null;
    const planned = why ? leaveUnknown(task, held, `it waits: ${why}`) : planObject(task, takenBy);
    const { id } = planned.object;
    parts.push(planMove(task), planned);
    states.set(address, planned.object);
    if (id !== null && !takenBy.has(id)) takenBy.set(id, address);
  }
  return { ...joinFindings(parts), states };
}

/** Costs no call, and comes before all else of that object. */
function planMove({ context, held, about }: ObjectTask): Findings {
  const { movedFrom } = context.bindings.byAddress.get(about.address) ?? {};
  if (movedFrom === undefined || held === null) return {};
  const why: Why = ['renamed', `${movedFrom} is called ${about.address} now`];
  return { steps: [buildStep('move', about, why, { movedFrom, objectId: held.id })] };
}

/** `takenBy`: addresses by the ids that they have in this plan already. */
function planObject(task: ObjectTask, takenBy: ReadonlyMap<string, string>): PlannedObject {
  const clash = task.context.bindings.clashes.get(task.entry.address);
  if (clash !== undefined) return refuse(task, 'move-clash', clash.message, clash.at);
  const refused = refuseId(task);
  if (refused !== null) return refused;
  const planned = refuseLeftovers(task) ?? planByState(task, takenBy);
  return {
    ...planned,
    warnings: [...replacedId(task), ...scopeOf(task, planned.object), ...(planned.warnings ?? [])],
  };
}

function scopeOf({ context, definition, entry }: ObjectTask, { id, why }: ObjectState) {
  if (why !== undefined) return [];
  const seen = id === null ? null : context.observe(definition, { id });
  const there = seen?.state === 'present' ? seen.found.values : {};
  const { address } = entry;
  const { around } = context;
  return scopeWarnings(definition, entry, around.sets(address), around.links(address), there);
}

function planByState(task: ObjectTask, takenBy: ReadonlyMap<string, string>): PlannedObject {
  const { context, definition, entry, held } = task;
  const id = held?.id ?? entry.id;
  if (id === undefined) {
    const match = context.options.adoptMatches ? certainMatch(task) : undefined;
    if (match !== undefined) return planAdopt(task, match);
    return planCreate(task, entry.address in context.ledger.pending ? 'interrupted' : 'new');
  }
  const observation = context.observe(definition, { id });
  if (observation.state === 'unknown') return leaveUnknown(task, id, observation.why);
  if (observation.state === 'missing') {
    if (held === null) return refuseMissingId(task, id);
    // An `id:` line would go on naming what is missing.
    const planned = entry.id === id ? refuseMissingId(task, id) : createAgain(task, held);
    return { ...planned, object: { ...planned.object, isMissing: true } };
  }
  const { found } = observation;
  const holder = takenBy.get(id);
  if (holder !== undefined) {
    // As in a ledger that was merged by hand.
    const message = `${id} is taken by ${holder} in this plan: one object cannot be two addresses`;
    return refuse(task, 'id-claimed-twice', message, entry.idAt);
  }
  return held === null ? planAdopt(task, found) : planHeld(task, held, found);
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
  const message = `${id} is held by ${holder} in the ledger. If it is the same client under a new name, write \`moved: [{ from: ${holder}, to: ${address} }]\`; or give another id`;
  return refuse(task, 'id-held', message, at);
}

function replacedId({ entry, held }: ObjectTask) {
  const { id, idAt } = entry;
  if (held === null || id === undefined || id === held.id) return [];
  const message = `\`id: ${id}\` names the client that ${held.id} replaced: remove the line`;
  return [warning(entry, 'id-replaced', message, idAt)];
}

function refuseMissingId(task: ObjectTask, id: string): PlannedObject {
  const message = `${id} does not exist: correct the id, or remove the line to create a new one`;
  return refuse(task, 'id-absent', message, task.entry.idAt);
}

/** Ours is missing; what it had replaced goes once its successor is made. */
function createAgain(task: ObjectTask, held: LedgerObject): PlannedObject {
  const created = planCreate(task, 'gone');
  const { step } = created.object;
  if (step === undefined) return created;
  const because = `${held.id}, which took its place, is gone and made again`;
  const old = planPredecessor(task, held, { because, needs: [step], approve: 'replace' });
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
    steps: [changeStep(task, found, changes.update, ['found', 'already exists; Tether will manage it'])],
    notes: notesOn(task, found, changes),
    object: { id: found.id },
  };
}

/** Ours is there: left as it is, updated in place, or replaced. */
function planHeld(task: ObjectTask, held: LedgerObject, found: Found): PlannedObject {
  const { about, wanted, moveNeeds } = task;
  const changes = objectChanges(task, found);
  const notes = notesOn(task, found, changes);
  if (changes.replace.length > 0) {
    const replaced = planReplace(task, held, found, changes);
    return { ...replaced, notes: [...notes, ...(replaced.notes ?? [])] };
  }
  const because = `${found.id} took its place; its destruction was approved and then interrupted`;
  const old = planPredecessor(task, held, { because, needs: moveNeeds });
  const why: Why = isNonce(found.values.name)
    ? ['interrupted', 'its creation was interrupted before it got its name']
    : reasonOf(changes.update);
  const isRecorded = sameFields(wanted, held.values) && held.file === about.file;
  const own =
    changes.update.length === 0
      ? leaveAsItIs(about, wanted, isRecorded)
      : { steps: [changeStep(task, found, changes.update, why)] };
  const warnings = duplicatesOf(task, found);
  return { ...joinFindings([old, { notes, warnings }, own]), object: { id: found.id } };
}

function changeStep(
  { entry, held, about, moveNeeds }: ObjectTask,
  found: Found,
  changes: readonly PlannedChange[],
  why: Why,
) {
  const fields = new Set(changes.flatMap(({ field, local }) => (local ? [] : field)));
  const written = <Value>(values: Readonly<Record<string, Value>>) =>
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

function notesOn(task: ObjectTask, { id, outputs }: Found, { update, replace }: ObjectChanges) {
  const { context, definition, entry } = task;
  const { address, secrets } = entry;
  const changed = new Set([...update, ...replace].map(({ field }) => field));
  const left = Object.entries(secrets).filter(([field]) => !changed.has(field));
  const waits = definition.waitsFor?.(outputs, context.observed.address);
  return [
    ...left.flatMap(([field, source]) => noteOnSecret(task, id, field, source)),
    ...(replace.length === 0 ? secretNotes(task, changed) : []),
    ...(waits ? [{ address, code: 'not-connected', text: waits }] : []),
  ];
}
