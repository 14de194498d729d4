/** Plans the removal of what interrupted applies left: replaced objects, objects under a temporary name, records of creates. Pure. */
import type { ObjectApproval } from '../../manifest/desired';
import type { ResourceDefinition } from '../../resources/kind';
import type { LedgerObject } from '../ledger/ledger';
import { pairInKey } from '../ledger-key';
import type { Context } from './context';
import type { ObjectStates, ObjectTask } from './object-task';
import type { Step } from './plan';
import { type About, buildStep, type Findings, leaveAlone, stepId, type Why } from './steps';

/**
 * The delete of what an object replaced and an interrupted apply left; while nobody can see that (`unknown`), nothing else
 * is planned in its place. `approve`: more happens than the end of what was approved, so it needs approval once more.
 */
export function planPredecessor(
  { context, definition, about }: Pick<ObjectTask, 'context' | 'definition' | 'about'>,
  { replaces: id }: LedgerObject,
  because: string,
  needs: readonly string[],
  approve: ObjectApproval['action'] | null,
): Findings {
  if (id === undefined) return {};
  const { address } = about;
  const observation = context.observe(definition, { id });
  if (observation.state === 'unknown') {
    return leaveAlone(address, `whether ${id}, which it replaced, still exists: ${observation.why}`);
  }
  const isThere = observation.state === 'present';
  const step = buildStep('delete', about, ['replaced', because], {
    detail: `replaced ${id}`,
    objectId: id,
    needs,
    ...(isThere ? { observed: observation.found.values } : {}),
    ...(isThere && approve !== null ? { approval: context.approval(approve, address, id) } : {}),
  });
  return { steps: [step] };
}

const leftNothing: Why = [
  'interrupted',
  'its creation was interrupted, left nothing, and is not wanted any more',
];

/** The removal of what unfinished creates left, where no step goes on with it. `wanted`: ledger keys of wanted links. */
export function planCleanup(
  context: Context,
  states: ObjectStates,
  wanted: ReadonlySet<string>,
): readonly Step[] {
  const { pending } = context.ledger;
  // A create goes on with what an interrupted one began, unless another object moves to its address.
  const continued = new Set(
    [...states].flatMap(([key, { step }]) => (step !== undefined && !context.isMovedTo(key) ? key : [])),
  );
  const { steps: found, names } = foundLeftovers(context, states);
  const rest = Object.entries(pending).flatMap(([key, intent]) => {
    if (continued.has(key) || wanted.has(key) || names.has(intent.nonce)) return [];
    const definition = context.definition(intent.kind);
    return definition.pair.length === 0
      ? unfinishedObject(context, states, definition, key, intent.nonce)
      : unfinishedLink(context, definition, key);
  });
  // The oldest under a name that a create goes on with is taken up, and so no longer looked for.
  const sought = new Set([...continued].flatMap((key) => pending[key]?.nonce ?? []));
  return [...found.filter(({ key }) => !sought.delete(key)), ...rest];
}

/**
 * The end of each object that still has exactly a temporary name of ours and that nothing holds, adopts, or names by its id;
 * and the names of all that nothing holds or adopts: their creates left something.
 */
function foundLeftovers(context: Context, states: ObjectStates) {
  const named = new Set(context.objectEntries.map(({ id }) => id));
  const adopted = new Set([...states.values()].map(({ id }) => id));
  const names = new Set<string>();
  const why = [
    'late-arrival',
    'a create whose answer was lost made it; it still has the temporary name of our journal',
  ] as const;
  const steps = context.registry
    .filter((definition) => definition.pair.length === 0)
    .flatMap((definition) =>
      (context.found(definition) ?? []).flatMap(({ id, values }) => {
        const { name } = values;
        if (typeof name !== 'string' || !context.temporaryNames.has(name)) return [];
        if (context.keyOfId.has(id) || adopted.has(id)) return [];
        names.add(name);
        if (named.has(id)) return [];
        const { kind } = definition;
        const about = { kind, address: `${kind}/${id}`, key: name };
        return cleanupStep(id, about, why, { objectId: id, observed: values });
      }),
    );
  return { steps, names };
}

/** A create that left nothing to be seen: only the ledger has to forget it. */
function unfinishedObject(
  context: Context,
  states: ObjectStates,
  definition: ResourceDefinition,
  key: string,
  nonce: string,
): readonly Step[] {
  const isSeen = context.found(definition) !== null;
  // A wanted address that no step goes on with has a problem; its create goes on once that is solved.
  const isStopped = states.has(key) && context.ledger.objects[key] === undefined;
  if (!isSeen || (isStopped && !context.isMovedTo(key))) return [];
  return [cleanupStep(key, { kind: definition.kind, address: key, key: nonce }, leftNothing)];
}

/** A link that an interrupted create may have made, and that nobody wants any more. */
function unfinishedLink(context: Context, definition: ResourceDefinition, key: string): readonly Step[] {
  const ids = pairInKey(definition.pair, key);
  const observation = context.observe(definition, ids);
  if (observation.state === 'unknown') return [];
  const about = { kind: definition.kind, address: context.addressOf(key), key };
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
