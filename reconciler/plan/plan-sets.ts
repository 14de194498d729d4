/** Plans what exact sets cover and nobody wants: it goes, ours and foreign alike. Pure. */
import type { ExactSet } from '../../manifest/desired';
import { foundAll } from '../../observation/observe';
import { type DesiredValues, isReference, type Key } from '../../resources/kind';
import { definitionOf } from '../../resources/registry';
import { ledgerKey } from '../ledger-key';
import { type Context, linkAddress } from './context';
import { bareStep, type Draft } from './draft';
import { presentId } from './plan-links';

/** Adds a delete for every link that an exact set covers and that nobody wants; ours and foreign ones alike. */
export function planSets(context: Context, draft: Draft, wanted: ReadonlySet<string>): ReadonlySet<string> {
  const planned = new Set<string>();
  for (const set of context.desired.sets) {
    const definition = definitionOf(set.kind, context.registry);
    const stopped = stoppedEnd(draft, set);
    if (stopped !== null) {
      draft.undetermined.push({ address: set.label, why: `it waits: ${stopped}` });
      continue;
    }
    const fixed = fixedIds(draft, set);
    if (fixed === null) continue;
    const all = foundAll(context.observed, definition, { ...fixed, organization: context.organization });
    if (all === null) {
      draft.undetermined.push({ address: set.label, why: 'what the exact set covers cannot be read' });
      continue;
    }
    const listed = listedIn(context, set);
    if (all.length > 0 && listed.size > 0) draft.keptBySets.push(set.label);
    const unsettled = [...draft.undetermined, ...draft.problems].find((one) => listed.has(one.address));
    for (const found of all) {
      const key = ledgerKey(definition, found.values);
      if (wanted.has(key) || planned.has(found.id)) continue;
      const known = context.ledger.objects[key];
      const ours = known?.id === found.id;
      const address = linkAddress(context, definition, found.values);
      planned.add(found.id);
      if (unsettled !== undefined) {
        // A mistyped id looks like this: what it should have named must not go before it is put right.
        const why = `${set.label} do not list it; it goes once ${unsettled.address}, which they list, can be planned (is its id mistyped?)`;
        draft.undetermined.push({ address, why });
        continue;
      }
      const id = `delete ${address} (${found.id})`;
      draft.listedBeside.set(id, listed);
      draft.steps.push({
        ...bareStep,
        id,
        action: 'delete',
        kind: definition.kind,
        address,
        key,
        objectId: found.id,
        reason: ours ? 'removed-from-manifest' : 'not-in-exact-set',
        because: ours
          ? `its line is gone from ${set.label}`
          : `${set.label} must be exactly what the manifest lists`,
        managed: found.values,
        observed: found.values,
        ...(ours ? {} : { foreign: true as const }),
        file: set.file,
      });
    }
  }
  return planned;
}

/** Addresses of what the set lists. */
function listedIn(context: Context, set: ExactSet): ReadonlySet<string> {
  const fixed = Object.entries(set.fixed).map(([field, value]) => [field, textOf(value)] as const);
  return new Set(
    context.desired.entries
      .filter((entry) => entry.kind === set.kind)
      .filter((entry) => fixed.every(([field, end]) => textOf(entry.inputs[field]) === end))
      .map((entry) => entry.address),
  );
}

/** One end of a link: an id, or the address of what has it. */
function textOf(value: DesiredValues[string] | undefined): string {
  return isReference(value) ? value.address : String(value);
}

/** Why nothing of a set can be planned: the object it is around is stopped. */
function stoppedEnd(draft: Draft, set: ExactSet): string | null {
  const states = Object.values(set.fixed).map((value) =>
    isReference(value) ? draft.objects.get(value.address) : undefined,
  );
  const stopped = states.find((one) => one?.state === 'stopped');
  return stopped === undefined ? null : (stopped.why ?? 'what it is around is not planned');
}

/** The fixed end by id; null when it belongs to an object that does not exist yet, is replaced, or is not planned. */
function fixedIds(draft: Draft, set: ExactSet): Key | null {
  const ids: Record<string, string> = {};
  for (const [field, value] of Object.entries(set.fixed)) {
    const id = isReference(value) ? presentId(draft, value.address) : value;
    if (typeof id !== 'string') return null;
    ids[field] = id;
  }
  return ids;
}
