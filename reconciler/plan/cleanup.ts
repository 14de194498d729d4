/** Plans the end of what interrupted creates left: objects under a temporary name, links, records in the ledger. */
import type { ResourceDefinition } from '../../resources/kind';
import { pairInKey } from '../ledger-key';
import type { Context } from './context';
import type { ObjectStates } from './object-task';
import type { Step } from './plan';
import { type About, buildStep, stepId, type Why } from './steps';

const leftNothing: Why = [
  'interrupted',
  'its creation was interrupted, left nothing, and is not wanted any more',
];

/** What unfinished creates left, where no step goes on with it. `wanted`: ledger keys of wanted links. */
export function planCleanup(context: Context, states: ObjectStates, wanted: ReadonlySet<string>) {
  const { pending, objects } = context.ledger;
  // A create goes on with what an interrupted one began, unless another object moves to its address.
  const continued = new Set(
    [...states].flatMap(([key, { step }]) => (step !== undefined && !context.isMovedTo(key) ? key : [])),
  );
  const { steps: found, names } = foundLeftovers(context, states);
  const rest = Object.entries(pending).flatMap(([key, { kind, nonce }]) => {
    if (continued.has(key) || wanted.has(key) || names.has(nonce)) return [];
    const definition = context.definition(kind);
    if (context.isLink(kind)) return unfinishedLink(context, definition, key);
    // A wanted address without a step has a problem; its create goes on once that is solved.
    const isStopped = states.has(key) && objects[key] === undefined && !context.isMovedTo(key);
    const isOver = context.found(definition) !== null && !isStopped;
    return isOver ? cleanupStep(key, { kind, address: key, key: nonce }, leftNothing) : [];
  });
  // A create goes on with the oldest under its name.
  const sought = new Set([...continued].flatMap((key) => pending[key]?.nonce ?? []));
  return [...found.filter(({ key }) => !sought.delete(key)), ...rest];
}

/**
 * Ends each object that still has exactly a temporary name of ours and that nothing holds, adopts, or names by its id;
 * `names`: of all that nothing holds or adopts.
 */
function foundLeftovers(context: Context, states: ObjectStates) {
  const named = new Set(context.objectEntries.map(({ id }) => id));
  const adopted = new Set([...states.values()].map(({ id }) => id));
  const names = new Set<string>();
  const why: Why = [
    'late-arrival',
    'a create whose answer was lost made it; it still has the temporary name of our journal',
  ];
  const steps = context.registry
    .filter(({ pair }) => pair.length === 0)
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

/** A link that an interrupted create may have made. */
function unfinishedLink(context: Context, definition: ResourceDefinition, key: string) {
  const ids = pairInKey(definition.pair, key);
  const observation = context.observe(definition, ids);
  if (observation.state === 'unknown') return [];
  const about = { kind: definition.kind, address: context.addressOf(key), key };
  if (observation.state === 'missing') return [cleanupStep(key, about, leftNothing, { managed: ids })];
  const { id, values } = observation.found;
  if (context.keyOfId.has(id)) return [];
  const why: Why = ['interrupted', 'an interrupted create of ours made it, and it is not wanted any more'];
  return [cleanupStep(key, about, why, { managed: ids, objectId: id, observed: values })];
}

/** `what`: the id of an object, or the ledger key of a create that left none. */
function cleanupStep(what: string, about: About, why: Why, more: Partial<Step> = {}) {
  return buildStep('cleanup', about, why, { id: stepId('cleanup', what), ...more });
}
