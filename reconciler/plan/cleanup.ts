/** Plans the removal of what interrupted applies left: replaced objects, objects under a temporary name, records of creates. Pure. */
import type { ObjectApproval } from '../../manifest/desired';
import type { ResourceDefinition } from '../../resources/kind';
import type { LedgerObject, PendingIntent } from '../ledger/ledger';
import { pairInKey } from '../ledger-key';
import { allObjects, type Context, definitionFor, linkAddress, observationIn } from './context';
import { approvalFor, type ObjectStates, type ObjectTask } from './object-task';
import type { Step } from './plan';
import { type About, buildStep, type Findings, stepId, type Why } from './steps';

/** How an old object goes. */
interface Ending {
  readonly because: string;
  /** Set where more happens than the end of what was approved, so that it needs approval once more. */
  readonly approve: ObjectApproval['action'] | null;
  readonly needs: readonly string[];
}

export interface PlannedEnding extends Pick<Findings, 'steps' | 'undetermined'> {
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

const leftNothing = [
  'interrupted',
  'its creation was interrupted, left nothing, and is not wanted any more',
] as const;

/** The removal of what unfinished creates left, where no step goes on with it. `wanted`: ledger keys of wanted links. */
export function planCleanup(
  context: Context,
  states: ObjectStates,
  wanted: ReadonlySet<string>,
): readonly Step[] {
  const { pending } = context.ledger;
  // A create goes on with what an interrupted one began, unless another object moves to its address.
  const continued = new Set(
    [...states].flatMap(([key, { state }]) => (state === 'pending' && !isMovedTo(context, key) ? key : [])),
  );
  const continuedNames = new Set([...continued].flatMap((key) => pending[key]?.nonce ?? []));
  const found = foundLeftovers(context);
  const foundNames = new Set(found.map((step) => step.key));
  const rest = Object.entries(pending).flatMap(([key, intent]) => {
    if (continued.has(key) || wanted.has(key) || foundNames.has(intent.nonce)) return [];
    const definition = definitionFor(context, intent);
    return definition.pair.length === 0
      ? unfinishedObject(context, states, definition, key, intent)
      : unfinishedLink(context, definition, key);
  });
  // Of several under one name the oldest is taken up.
  const taken = new Set<string>();
  const late = found.filter(({ key }) => {
    if (!continuedNames.has(key) || taken.has(key)) return true;
    taken.add(key);
    return false;
  });
  return [...late, ...rest];
}

/** An object that still has exactly a temporary name of ours, and that neither the ledger holds nor an `id:` line names. */
function foundLeftovers(context: Context): readonly Step[] {
  const named = new Set(context.objectEntries.map(({ id }) => id));
  const why = [
    'late-arrival',
    'a create whose answer was lost made it; it still has the temporary name of our journal',
  ] as const;
  return context.registry
    .filter((definition) => definition.pair.length === 0)
    .flatMap((definition) =>
      (allObjects(context, definition) ?? []).flatMap(({ id, values }) => {
        const { name } = values;
        if (typeof name !== 'string' || !context.temporaryNames.has(name)) return [];
        if (context.keyOfId.has(id) || named.has(id)) return [];
        const { kind } = definition;
        const about = { kind, address: `${kind}/${id}`, key: name };
        return cleanupStep(id, about, why, { objectId: id, observed: values });
      }),
    );
}

/** A create that left nothing to be seen: only the ledger has to forget it. */
function unfinishedObject(
  context: Context,
  states: ObjectStates,
  definition: ResourceDefinition,
  key: string,
  { nonce }: PendingIntent,
): readonly Step[] {
  const isSeen = allObjects(context, definition) !== null;
  // A wanted address that no step goes on with has a problem; its create goes on once that is solved.
  const isStopped = states.has(key) && context.ledger.objects[key] === undefined;
  if (!isSeen || (isStopped && !isMovedTo(context, key))) return [];
  return [cleanupStep(key, { kind: definition.kind, address: key, key: nonce }, leftNothing)];
}

/** A link that an interrupted create may have made, and that nobody wants any more. */
function unfinishedLink(context: Context, definition: ResourceDefinition, key: string): readonly Step[] {
  const ids = pairInKey(definition.pair, key);
  const observation = observationIn(context, definition, ids);
  if (observation.state === 'unknown') return [];
  const about = { kind: definition.kind, address: linkAddress(context, definition, ids), key };
  if (observation.state === 'missing') return [cleanupStep(key, about, leftNothing, { managed: ids })];
  const { id, values } = observation.found;
  if (context.keyOfId.has(id)) return [];
  const why = [
    'interrupted',
    'an interrupted create of ours made it, and it is not wanted any more',
  ] as const;
  return [cleanupStep(key, about, why, { managed: ids, objectId: id, observed: values })];
}

/** `what`: the id of an object, or the ledger key of a create that left none. */
function cleanupStep(
  what: string,
  about: Pick<About, 'kind' | 'address' | 'key'>,
  why: Why,
  more: Partial<Step> = {},
): Step {
  const id = stepId('cleanup', what);
  return buildStep('cleanup', { ...about, file: null, protect: false }, why, { id, ...more });
}

/** True for an address that another object moves to: a create begun there ends first, and a new one begins anew. */
function isMovedTo({ bindings }: Context, key: string): boolean {
  return bindings.byAddress.get(key)?.movedFrom !== undefined;
}
