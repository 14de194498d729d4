/** Plans a replacement: a new object with everything the manifest leaves out carried over, then the old one destroyed. Pure. */

import { carriedOver } from '../../resources/diff';
import { type DesiredValues, type FieldValues, type Found, isReference } from '../../resources/kind';
import type { LedgerObject } from '../ledger/ledger';
import { plainInputs, reasonOf, risksOf } from './changes';
import { approvalFor } from './checks';
import { linkEntries, observationIn } from './context';
import { checkCreate, type HeldTask, type ObjectTask, type PlannedObject, secretNotes } from './create';
import type { PlannedChange } from './plan';
import { buildStep, type Findings } from './steps';

/** The replace step and the delete of the old object, which comes last; both hang on one approval. `causes` are why it cannot be an update. */
export function planReplace(
  task: HeldTask,
  found: Found,
  causes: readonly PlannedChange[],
  besides: readonly PlannedChange[],
): PlannedObject {
  const { context, entry, held, about, moveNeeds } = task;
  const { address } = entry;
  const carried = carriedFields(task, found);
  const { refused, warnings } = checkCreate(task, { ...carried, ...plainInputs(entry) }, found);
  if (refused !== null) return refused;
  // The ledger remembers one old object for each address, so an earlier one goes first.
  const earlier = planPredecessor(task, held, {
    because: `${found.id} took its place, and is replaced in turn`,
    approve: 'replace',
    needs: moveNeeds,
  });
  if (earlier.isUnknown) {
    const why = `what ${address} replaced cannot be seen`;
    return { ...earlier, warnings, object: { state: 'stopped', id: found.id, why } };
  }
  const changes = [...causes, ...besides];
  const approval = approvalFor(context, 'replace', address, found.id);
  const old = { objectId: found.id, observed: found.values, approval };
  const replace = buildStep('replace', about, reasonOf(causes), {
    ...old,
    changes: [...changes, ...Object.entries(carried).map(([field, from]) => ({ field, from, to: from }))],
    risks: [...new Set([...risksOf(changes), ...lostSecrets(task, found)])],
    needs: [...moveNeeds, ...earlier.steps.map((step) => step.id)],
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
    steps: [...earlier.steps, replace, destroy],
    warnings,
    notes: secretNotes(task),
    object: { state: 'pending', id: found.id, step: replace.id },
  };
}

/** How an old object goes. */
interface Ending {
  readonly because: string;
  /** Set where more happens than the end of what was approved, so that it needs approval once more. */
  readonly approve: 'destroy' | 'replace' | null;
  readonly needs: readonly string[];
}

interface PlannedEnding extends Pick<Findings, 'steps' | 'undetermined'> {
  /** Nobody can see the old object: nothing else is to be planned in its place. */
  readonly isUnknown?: true;
}

/** The delete of what `object` replaced and an interrupted apply left. */
export function planPredecessor(
  { context, definition, about }: Pick<ObjectTask, 'context' | 'definition' | 'about'>,
  { replaces: id }: LedgerObject,
  { because, approve, needs }: Ending,
): PlannedEnding {
  if (id === undefined) return { undetermined: [], steps: [] };
  const observation = observationIn(context, definition, { id }, id);
  if (observation.state === 'unknown') {
    const why = `whether ${id}, which it replaced, still exists: ${observation.why}`;
    return { undetermined: [{ address: about.address, why }], steps: [], isUnknown: true };
  }
  const isThere = observation.state === 'present';
  const step = buildStep('delete', about, ['replaced', because], {
    detail: `replaced ${id}`,
    objectId: id,
    needs,
    ...(isThere ? { observed: observation.found.values } : {}),
    ...(isThere && approve !== null ? { approval: approvalFor(context, approve, about.address, id) } : {}),
  });
  return { undetermined: [], steps: [step] };
}

/** What the manifest leaves out; projects only where links of ours do not bring them anyway. */
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
function unmanagedEnds(
  { context, entry }: ObjectTask,
  id: string,
  projectIds: readonly string[],
): readonly string[] {
  const isOfThis = (link: DesiredValues): boolean =>
    Object.values(link).some((value) =>
      isReference(value) ? value.address === entry.address : value === id,
    );
  if (context.desired.sets.some((set) => isOfThis(set.fixed))) return [];
  const links = [
    ...linkEntries(context).map(({ inputs }) => inputs),
    ...Object.values(context.ledger.objects).map(({ values }) => values),
  ];
  const managed = new Set(links.flatMap((link) => (isOfThis(link) ? Object.values(link) : [])));
  return projectIds.filter((projectId) => !managed.has(projectId));
}

/** What the old object had and the new one cannot be given, because nobody can read it. */
function lostSecrets({ entry }: ObjectTask, { outputs: { oauthTokenIds } }: Found): readonly string[] {
  const isConnected = Array.isArray(oauthTokenIds) && oauthTokenIds.length > 0;
  return isConnected && !('oauthTokenString' in entry.secrets)
    ? [
        'the new client is not connected until a person opens its connect path: the manifest has no oauthTokenString',
      ]
    : [];
}
