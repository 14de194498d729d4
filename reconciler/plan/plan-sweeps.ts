/** Plans the removal of what unfinished creates left: objects under a temporary name of ours, and intents nobody goes on with. Pure. */
import { foundAll } from '../../observation/observe';
import type { ResourceDefinition } from '../../resources/kind';
import type { PendingIntent } from '../ledger/ledger';
import { pairInKey } from '../observation-needs';
import { type Context, definitionFor, linkAddress, observationIn } from './context';
import { bareStep, type Draft } from './draft';
import { heldIds, knownNonces } from './look-alikes';
import type { Step } from './plan';

/** Adds the sweeps, but none for what a create of this plan takes up again. `wanted`: ledger keys of wanted links. */
export function planSweeps(context: Context, draft: Draft, wanted: ReadonlySet<string>): void {
  const continued = new Set(draft.steps.filter((step) => goesOn(context, step)).map((step) => step.key));
  const resumed = new Set([...continued].flatMap((key) => context.ledger.pending[key]?.nonce ?? []));
  const swept = sweepLateArrivals(context, draft, resumed);
  for (const [key, intent] of Object.entries(context.ledger.pending)) {
    if (continued.has(key) || swept.has(intent.nonce)) continue;
    const definition = definitionFor(context, intent);
    if (definition.pair.length > 0) {
      if (!wanted.has(key)) sweepLink(context, draft, definition, key);
    } else sweepIntent(context, draft, definition, key, intent);
  }
}

/** What a create left is taken up by a create; what a link's left is the link, whoever finds it. */
function goesOn(context: Context, step: Step): boolean {
  if (step.action === 'create' || step.action === 'replace') return !isTakenOver(context, step.key);
  return step.action === 'adopt' && definitionFor(context, step).pair.length > 0;
}

/** Objects that are still named exactly a temporary name of ours; returns the names for which there was one. */
function sweepLateArrivals(
  context: Context,
  draft: Draft,
  resumed: ReadonlySet<string>,
): ReadonlySet<string> {
  const nonces = knownNonces(context);
  const held = new Set([...heldIds(context), ...adopted(draft)]);
  const seen = new Set<string>();
  for (const definition of context.registry.filter((one) => one.pair.length === 0)) {
    const all = foundAll(context.observed, definition, { organization: context.organization }) ?? [];
    for (const found of all) {
      const name = found.values.name;
      if (typeof name !== 'string' || !nonces.has(name) || held.has(found.id)) continue;
      const isFirst = !seen.has(name);
      seen.add(name);
      if (resumed.has(name) && isFirst) continue;
      draft.steps.push({
        ...sweepStep(definition, found.id),
        address: `${definition.kind}/${found.id}`,
        key: name,
        objectId: found.id,
        reason: 'late-arrival',
        because: 'a create whose answer was lost made it; it still has the temporary name of our journal',
        observed: found.values,
      });
    }
  }
  return seen;
}

/** Ids that this plan makes ours. */
function adopted(draft: Draft): readonly string[] {
  return draft.steps.flatMap((step) => (step.action === 'adopt' ? (step.objectId ?? []) : []));
}

/** A link that an interrupted create may have made, and that nobody wants any more. */
function sweepLink(context: Context, draft: Draft, definition: ResourceDefinition, key: string): void {
  const ids = pairInKey(definition.pair, key);
  const observation = observationIn(context, definition, ids);
  if (observation.state === 'undetermined') return;
  const there = observation.state === 'present' ? observation.found : null;
  if (there !== null && heldIds(context).has(there.id)) return;
  draft.steps.push({
    ...sweepStep(definition, key),
    address: linkAddress(context, definition, ids),
    key,
    ...(there === null ? {} : { objectId: there.id, observed: there.values }),
    reason: 'interrupted',
    because:
      there === null
        ? 'its creation was interrupted, left nothing, and is not wanted any more'
        : 'an interrupted create of ours made it, and it is not wanted any more',
    managed: ids,
  });
}

/** An unfinished create that left nothing to be seen and that no step goes on with: only the ledger has to forget it. */
function sweepIntent(
  context: Context,
  draft: Draft,
  definition: ResourceDefinition,
  key: string,
  intent: PendingIntent,
): void {
  const isSeen = foundAll(context.observed, definition, { organization: context.organization }) !== null;
  const isStopped = context.ledger.objects[key] === undefined && isWanted(context, key);
  const isFree = isTakenOver(context, key) || !isStopped;
  if (!isSeen || !isFree) return;
  draft.steps.push({
    ...sweepStep(definition, key),
    address: key,
    key: intent.nonce,
    reason: 'interrupted',
    because: 'its creation was interrupted, left nothing, and is not wanted any more',
  });
}

/** True for an address that another object moves to: a create begun there ends first, and a new one begins anew. */
function isTakenOver(context: Context, key: string): boolean {
  return context.claims.byAddress.get(key)?.movedFrom !== undefined;
}

function sweepStep(definition: ResourceDefinition, what: string) {
  return {
    ...bareStep,
    id: `sweep ${what}`,
    action: 'sweep',
    kind: definition.kind,
  } as const satisfies Partial<Step>;
}

function isWanted(context: Context, address: string): boolean {
  return context.desired.entries.some((entry) => entry.address === address);
}
