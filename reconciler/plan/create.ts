/** Plans the creation of an object, new or in place of another, unless something may already be it. */
import { carriedOver, describeMatch, diff, plainValues, possibleMatches } from '../../resources/diff';
import { addressesIn, type FieldValues, type Found, type Issue } from '../../resources/kind';
import { noncePrefix } from '../../resources/names';
import { lackingForCreate } from '../../resources/violations';
import type { LedgerObject } from '../ledger/ledger';
import type { ObjectTask } from './context';
import {
  leaveUnknown,
  type ObjectChanges,
  type PlannedObject,
  planPredecessor,
  reasonOf,
  refuse,
  risksOf,
} from './object-task';
import type { PlannedChange } from './plan';
import { isAtHand, isCreateOnly, rotationNotes, secretNotes } from './secret-notes';
import { buildStep, warning } from './steps';

const because = {
  new: 'in the manifest, not found on the service',
  gone: 'deleted outside Tether (not in the list; GET returned 404)',
  interrupted: 'its creation was interrupted; what it left is finished or made anew',
} as const;

/** A possible match, an unreadable list or a missing field stops the address instead. */
export function planCreate(task: ObjectTask, reason: keyof typeof because): PlannedObject {
  const { entry, wanted, about, moveNeeds } = task;
  const checked = checkCreate(task, wanted, null);
  if ('object' in checked) return checked;
  const { inputs, secrets } = entry;
  const step = buildStep('create', about, [reason, because[reason]], {
    changes: createChanges(task),
    needs: moveNeeds,
    inputs,
    secrets,
    managed: inputs,
  });
  return {
    steps: [step],
    warnings: [...checked, ...perhapsRenamed(task)],
    notes: secretNotes(task),
    object: { id: null, step: step.id },
  };
}

function perhapsRenamed({ context, entry }: ObjectTask) {
  const key = context.bindings.similar.get(entry.address);
  if (key === undefined) return [];
  const message = `${entry.address} is new, and ${key} is no longer declared. If it is the same client under a new name, write \`moved: [{ from: ${key}, to: ${entry.address} }]\`; or rename it first, and change its fields after that apply`;
  return [warning(entry, 'perhaps-renamed', message)];
}

function createChanges(task: ObjectTask) {
  const { definition, entry, wanted } = task;
  return Object.entries(definition.fields).flatMap(([field, { manifestName }]): PlannedChange[] => {
    if (field in entry.secrets) {
      return [{ field, secret: isAtHand(task, field) ? 'new' : 'not-compared' }];
    }
    const to = wanted[field];
    return to === undefined || manifestName === null ? [] : [{ field, to }];
  });
}

/** The replace step and the delete of the old object, which hang on one approval. */
export function planReplace(
  task: ObjectTask,
  held: LedgerObject,
  found: Found,
  { replace: causes, update }: ObjectChanges,
): PlannedObject {
  const { context, definition, entry, about, moveNeeds } = task;
  const { address } = entry;
  const doubtful = unknownNameOf(task);
  if (doubtful !== undefined) {
    const why = `it waits: ${doubtful} is not known, and a replacement would take that link away`;
    return leaveUnknown(task, held.id, why);
  }
  const carried = carriedFields(task, found);
  const checked = checkCreate(task, { ...carried, ...task.wanted }, found);
  if ('object' in checked) return checked;
  // The ledger remembers one old object for each address, so an earlier one goes first.
  const earlier = { because: `${found.id} took its place, and is replaced in turn`, needs: moveNeeds };
  const { unknown, steps: first = [] } = planPredecessor(task, held, { ...earlier, approve: 'replace' });
  if (unknown !== undefined) {
    const why = `what ${address} replaced cannot be seen`;
    return { unknown, warnings: checked, object: { id: found.id, why } };
  }
  const lost = definition.lostOnReplace?.(found.outputs, new Set(Object.keys(entry.secrets)));
  const approval = context.approval('replace', address, found.id);
  const old = { objectId: found.id, observed: found.values, approval };
  const replace = buildStep('replace', about, reasonOf(causes), {
    ...old,
    changes: [
      ...causes,
      ...update,
      ...Object.entries(carried).map(([field, from]) => ({ field, from, to: from })),
    ],
    // That the old client goes is said once, with the workspaces that it concerns.
    risks: [...risksOf(update), lost ?? []].flat(),
    needs: [...moveNeeds, ...first.map((step) => step.id)],
    inputs: { ...carried, ...entry.inputs },
    secrets: entry.secrets,
    managed: entry.inputs,
  });
  const destroy = buildStep('delete', about, ['replaced', 'a new one takes its place'], {
    ...old,
    detail: `replaced ${found.id}`,
    needs: [replace.id],
  });
  return {
    steps: [...first, replace, destroy],
    warnings: checked,
    notes: [...secretNotes(task), ...rotationNotes(task, causes)],
    object: { id: found.id, step: replace.id },
  };
}

/** Of a link of the object: a replacement would also end one that such a name may mean. */
function unknownNameOf({ context, entry }: ObjectTask): string | undefined {
  const own = context.around.links(entry.address);
  return own
    .flatMap(({ inputs }) => addressesIn(inputs))
    .find((address) => context.unknownNames.has(address));
}

/** Projects only where links of ours do not bring them anyway. */
function carriedFields(task: ObjectTask, found: Found): FieldValues {
  const { definition, entry } = task;
  const fields = Object.entries(carriedOver(definition, found.values)).flatMap(([name, value]) => {
    if (name in entry.inputs) return [];
    if (definition.fields[name]?.exactSetOf === undefined || !Array.isArray(value)) return [[name, value]];
    const unmanaged = unmanagedEnds(task, found.id, value);
    return unmanaged.length === 0 ? [] : [[name, unmanaged]];
  });
  return Object.fromEntries(fields);
}

/** Projects attached by somebody else, where no exact set says that there must be none. */
function unmanagedEnds({ context, entry }: ObjectTask, id: string, projectIds: readonly string[]) {
  const around = [entry.address, id].flatMap((end) => context.around.sets(end));
  if (around.length > 0) return [];
  const links = [
    ...context.around.links(entry.address).map(({ inputs }) => inputs),
    ...context.around.held(id).map(({ values }) => values),
  ];
  const managed = new Set<unknown>(links.flatMap((link) => Object.values(link)));
  return projectIds.filter((projectId) => !managed.has(projectId));
}

/** Refuses what may exist or lacks something, else gives warnings. `replacing` is no match of its successor. */
function checkCreate(task: ObjectTask, values: FieldValues, replacing: Found | null) {
  const { context, definition, entry } = task;
  const { address } = entry;
  const lacking = lackingForCreate(definition, entry, context.desired.profile);
  if (lacking !== null) return refuse(task, 'missing-for-create', lacking);
  const there = context.unheld(definition);
  if (there === null) {
    const why = `the list of ${definition.kind} objects of ${context.organization} cannot be read, so nobody can tell whether it exists`;
    return leaveUnknown(task, null, why);
  }
  if (entry.allowDuplicate) return [];
  const others = there.filter(({ id }) => id !== replacing?.id);
  const { same, renamed } = possibleMatches(definition, values, others);
  if (same.length > 0) {
    const [what, exist] =
      same.length === 1 ? ['an object that looks', 'exists'] : [`${same.length} objects that look`, 'exist'];
    const message = `${what} the same ${exist}: ${same.map(describeMatch).join('; ')}. To adopt it, add this line: \`id: ${same[0]?.id ?? ''}\`. To have another one beside it: \`allowDuplicate: true\``;
    return refuse(task, 'possible-match', message);
  }
  return renamed.map((found) => {
    const { name = null } = found.values;
    const shown = JSON.stringify(typeof name === 'string' ? name.slice(0, 100) : name);
    const message = `${address} will be created; ${describeMatch(found)}, has the same provider and URLs under the name ${shown}. If it is the same, add \`id: ${found.id}\``;
    return warning(entry, 'similar-object', message);
  });
}

/** Unmanaged objects that look the same, as applies make that share no ledger. */
export function duplicatesOf(task: ObjectTask, found: Found): readonly Issue[] {
  const { definition, entry } = task;
  if (entry.allowDuplicate) return [];
  const { same } = possibleMatches(definition, found.values, task.context.unheld(definition) ?? []);
  return same.map((other) => {
    const message = `${describeMatch(other)}, looks the same as ${entry.address} (${found.id}) and is not managed here; another apply may have created it. Delete one of them, or accept it with \`allowDuplicate: true\``;
    return warning(entry, 'duplicate-object', message);
  });
}

/** Refuses what a create of this address left that this ledger does not know: another apply may be making it. An `id:` line adopts it. */
export function refuseLeftovers(task: ObjectTask): PlannedObject | null {
  const { context, entry } = task;
  const prefix = noncePrefix(context.organization, entry.address);
  const leftovers = (context.unheld(task.definition) ?? []).filter(({ id, values: { name } }) => {
    const isUnknown = typeof name === 'string' && !context.temporaryNames.has(name);
    return isUnknown && name.startsWith(prefix) && id !== entry.id;
  });
  if (leftovers.length === 0) return null;
  const names = leftovers.map(({ id, values }) => `${id} (${String(values.name)})`).join(', ');
  const isWritable = Object.keys(entry.secrets).some((field) => !isCreateOnly(task, field));
  const write = isWritable ? ' and write its secrets with --write-secrets' : '';
  const message = `an interrupted apply left ${names}, which no ledger here knows. If no other apply is running: adopt it with \`id: ${leftovers[0]?.id ?? ''}\`${write}, or delete it in the service`;
  return refuse(task, 'interrupted-elsewhere', message);
}

/** The only one of that name, as the entry says in every field, that no other entry may mean. */
export function certainMatch({ context, definition, entry, wanted }: ObjectTask): Found | undefined {
  const there = context.found(definition) ?? [];
  const others = context.objectEntries.filter((one) => one !== entry);
  const free = there.filter(({ id }) => !context.keyOfId.has(id) && others.every((one) => one.id !== id));
  const isEqual = ({ values }: Found) =>
    diff(definition, wanted, values, context.desired.profile).length === 0;
  const matches = possibleMatches(definition, wanted, free).same.filter(isEqual);
  const mayBeMeant = others.filter(
    (one) => possibleMatches(definition, plainValues(one.inputs), matches).same.length > 0,
  );
  const isClear = matches.length === 1 && mayBeMeant.every(({ id }) => id !== undefined);
  return isClear && typeof wanted.name === 'string' && !entry.allowDuplicate ? matches[0] : undefined;
}
