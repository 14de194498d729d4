/** Plans the creation of an object, unless something out there may already be it. Pure. */
import type { DesiredEntry } from '../../manifest/desired';
import { describeMatch, possibleMatches } from '../../resources/diff';
import type { FieldValues, Found, Issue, ResourceDefinition, SecretSource } from '../../resources/kind';
import { noncePrefix } from '../../resources/names';
import { missingForCreate } from '../../resources/violations';
import type { LedgerObject } from '../ledger/ledger';
import { plainInputs } from './changes';
import { allObjects, type Context } from './context';
import type { Plan, PlannedChange } from './plan';
import { type About, buildStep, type Findings } from './steps';

/** One wanted object with all that is known of it. */
export interface ObjectTask {
  readonly context: Context;
  readonly definition: ResourceDefinition;
  readonly entry: DesiredEntry;
  /** What the ledger holds of it; null where it holds nothing. */
  readonly held: LedgerObject | null;
  /** With the protection it has once the plan is applied: as its line says, else as the ledger remembers. */
  readonly about: About;
  /** The step that gives the object its new key, where it moves: all others of it need that one. */
  readonly moveNeeds: readonly string[];
  /** The addresses that have an id in this plan already, by that id. */
  readonly takenBy: ReadonlyMap<string, string>;
}

export type HeldTask = ObjectTask & { readonly held: LedgerObject };

/** How a wanted object stands, for the links that refer to it. */
export interface ObjectState {
  /** `present`: links can be compared by id. `pending`: it has no id until its step is done. `stopped`: it will not be made by this plan. */
  readonly state: 'present' | 'pending' | 'stopped';
  readonly id: string | null;
  /** The step that gives it its id. */
  readonly step?: string;
  readonly why?: string;
}

export interface PlannedObject extends Partial<Findings> {
  readonly object: ObjectState;
  /** The ledger has it, and it was proved absent. */
  readonly isMissing?: true;
}

/** Nothing of the address, and nothing that refers to it, is planned until this is solved. */
export function refuse(
  { entry: { address, at: ownAt }, held }: ObjectTask,
  rule: string,
  message: string,
  at: Issue['at'] = ownAt,
): PlannedObject {
  return {
    problems: [{ rule, severity: 'error', message, path: address, address, at }],
    object: { state: 'stopped', id: held?.id ?? null, why: `${address} has a problem` },
  };
}

/** Two addresses with one id, which only two `id:` lines can make. */
export function refuseTaken(task: ObjectTask, { id }: Found): PlannedObject | null {
  const holder = task.takenBy.get(id);
  if (holder === undefined) return null;
  const message = `${id} is taken by ${holder} in this plan: one object cannot be two addresses`;
  return refuse(task, 'id-claimed-twice', message, task.entry.idAt);
}

/** Nothing of the address, and nothing that refers to it, is planned because nobody can see what is there. */
export function leaveUnknown(
  { entry: { address } }: ObjectTask,
  id: string | null,
  why: string,
): PlannedObject {
  return {
    undetermined: [{ address, why }],
    object: { state: 'stopped', id, why: `${address} cannot be seen` },
  };
}

const because = {
  new: 'it is in the manifest and does not exist',
  gone: 'it is gone: the list and a look by id both say so',
  interrupted: 'its creation was interrupted; what it left is finished or made anew',
} as const;

/** The create step; a possible match, an unreadable list or a missing field stops the address instead. */
export function planCreate(task: ObjectTask, reason: keyof typeof because): PlannedObject {
  const { entry, about, moveNeeds } = task;
  const { refused, warnings } = checkCreate(task, plainInputs(entry), null);
  if (refused !== null) return refused;
  const { inputs, secrets } = entry;
  const changes = createChanges(task);
  const more = { changes, needs: moveNeeds, inputs, secrets, managed: inputs };
  const step = buildStep('create', about, [reason, because[reason]], more);
  return {
    steps: [step],
    warnings,
    notes: secretNotes(task),
    object: { state: 'pending', id: null, step: step.id },
  };
}

/** Whether something out there may be the wanted object, or something it needs is missing. `replacing` is no match of its successor. */
export function checkCreate(
  task: ObjectTask,
  wanted: FieldValues,
  replacing: Found | null,
): { readonly refused: PlannedObject | null; readonly warnings: readonly Issue[] } {
  const { context, definition, entry } = task;
  const { address } = entry;
  const refused = (planned: PlannedObject) => ({ refused: planned, warnings: [] });
  const missing = missingFields(task, wanted);
  if (missing.length > 0) {
    const names = missing.map((name) => `\`${name}\``).join(', ');
    const message = `${address} must be created, and ${names} is missing: add it to the manifest`;
    return refused(refuse(task, 'missing-for-create', message));
  }
  const there = unheld(context, definition);
  if (there === undefined) {
    const why = `the list of ${definition.kind} objects of ${context.organization} cannot be read, so nobody can tell whether it exists`;
    return refused(leaveUnknown(task, null, why));
  }
  if (entry.allowDuplicate) return { refused: null, warnings: [] };
  const others = there.filter((found) => found.id !== replacing?.id);
  const { same, renamed } = possibleMatches(definition, wanted, others);
  if (same.length > 0) {
    const [what, exist] =
      same.length === 1 ? ['an object that looks', 'exists'] : [`${same.length} objects that look`, 'exist'];
    const message = `${what} the same ${exist}: ${same.map(describeMatch).join('; ')}. To adopt it, add this line: \`id: ${same[0]?.id ?? ''}\`. To have another one beside it: \`allowDuplicate: true\``;
    return refused(refuse(task, 'look-alike', message));
  }
  return { refused: null, warnings: renamed.map((found) => similarObject(entry, found)) };
}

/** Warnings for unmanaged objects that look the same as a managed one: two applies that share no ledger make such. */
export function duplicatesOf({ context, definition, entry }: ObjectTask, found: Found): readonly Issue[] {
  if (entry.allowDuplicate) return [];
  const { same } = possibleMatches(definition, found.values, unheld(context, definition) ?? []);
  const { address: path, at } = entry;
  return same.map((other) => {
    const message = `${describeMatch(other)}, looks the same as ${path} (${found.id}) and is not managed here; another apply may have created it. Delete one of them, or accept it with \`allowDuplicate: true\``;
    return { rule: 'duplicate-object', severity: 'warning', message, path, at };
  });
}

/** Fields without which the service makes no such object. */
function missingFields({ context, definition, entry }: ObjectTask, wanted: FieldValues): readonly string[] {
  const given = new Set([...Object.keys(entry.inputs), ...Object.keys(entry.secrets)]);
  const required = Object.entries(definition.fields).flatMap(([name, field]) => {
    const isGiven = name in wanted || given.has(name) || field.refersTo === 'organization';
    return field.required && !isGiven ? [name] : [];
  });
  return [...required, ...missingForCreate(definition, plainInputs(entry), given, context.desired.profile)];
}

function similarObject({ address, at }: DesiredEntry, found: Found): Issue {
  const { name = null } = found.values;
  const shown = JSON.stringify(typeof name === 'string' ? name.slice(0, 100) : name);
  const message = `${address} will be created; ${describeMatch(found)}, has the same provider and URLs under the name ${shown}. If it is the same, add \`id: ${found.id}\``;
  return { rule: 'similar-object', severity: 'warning', message, path: address, at };
}

/** What creates of this address left that neither ledger nor journal knows: another apply may be making it. What the manifest names by its id is adopted. */
export function refuseLeftovers(task: ObjectTask): PlannedObject | null {
  const { context, definition, entry } = task;
  const prefix = noncePrefix(context.organization, entry.address);
  const leftovers = (unheld(context, definition) ?? []).filter(({ id, values: { name } }) => {
    const isUnknown = typeof name === 'string' && !context.temporaryNames.has(name);
    return isUnknown && name.startsWith(prefix) && id !== entry.id;
  });
  if (leftovers.length === 0) return null;
  const names = leftovers.map((found) => `${found.id} (${String(found.values.name)})`).join(', ');
  const message = `an interrupted apply left ${names}, which no ledger here knows. If no other apply is running: adopt it with \`id: ${leftovers[0]?.id ?? ''}\` and write its secrets with --write-secrets, or delete it in the service`;
  return refuse(task, 'interrupted-elsewhere', message);
}

/** Objects that no entry of this ledger holds, or none any more once this plan has let it go. */
function unheld(context: Context, definition: ResourceDefinition): readonly Found[] | undefined {
  const { bindings, desired, heldIds, ledger } = context;
  const letGo = new Set(
    desired.forget.flatMap(({ address }) => {
      const object = bindings.boundKeys.has(address) ? undefined : ledger.objects[address];
      return [object?.id, object?.replaces];
    }),
  );
  return allObjects(context, definition)?.filter(({ id }) => !heldIds.has(id) || letGo.has(id));
}

/** A create writes every secret, and a plan made without one would look as if apply could do without it too. */
export function secretNotes({ context, entry: { address, secrets } }: ObjectTask): Plan['notes'] {
  const known = context.secrets[address] ?? {};
  const needed = Object.entries(secrets)
    .filter(([field]) => (known[field] ?? 'not-compared') === 'not-compared')
    .map(([field, source]) => `${field} (${sourceText(source)})`);
  if (needed.length === 0) return [];
  const text = `apply needs what is not at hand here: ${needed.join(', ')}`;
  return [{ address, code: 'secret-needed', text }];
}

function sourceText(source: SecretSource): string {
  return 'fromEnv' in source ? `environment variable ${source.fromEnv}` : `file ${source.fromFile}`;
}

/** The fields a create writes, as changes from nothing. */
function createChanges({ context, definition, entry }: ObjectTask): readonly PlannedChange[] {
  const inputs = plainInputs(entry);
  return Object.entries(definition.fields).flatMap(([field, { manifestName }]): PlannedChange[] => {
    if (field in entry.secrets) {
      const known = context.secrets[entry.address]?.[field] ?? 'not-compared';
      return [{ field, secret: known === 'not-compared' ? 'not-compared' : 'new' }];
    }
    const to = inputs[field];
    return to === undefined || manifestName === null ? [] : [{ field, to }];
  });
}
