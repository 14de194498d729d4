/** Plans what exact sets cover and nobody wants: it goes, managed and unmanaged alike. */
import type { ExactSet } from '../../manifest/desired';
import { renderPosition } from '../../manifest/issues';
import { grouped } from '../../resources/groups';
import { addressesIn, type DesiredValues, type Found } from '../../resources/kind';
import { ledgerKey, pairOf } from '../ledger-key';
import type { Context } from './context';
import { type ObjectStates, stableId } from './object-task';
import { buildStep, type Findings, joinFindings, leaveAlone, type Why } from './steps';

/** `wanted`: ledger keys. `unsettled`: addresses that have a problem or are unknown. */
export function planSets(
  context: Context,
  states: ObjectStates,
  wanted: ReadonlySet<string>,
  unsettled: ReadonlySet<string>,
) {
  /** Ids of links dealt with here. */
  const planned = new Set<string>();
  /** Ids of the delete steps, each with the addresses that its set lists. */
  const listedBeside = new Map<string, readonly string[]>();
  const parts: Findings[] = [];
  const around = (kind: string, end: DesiredValues) => JSON.stringify([kind, end]);
  const listedAround = grouped(
    (context.desired.sets.length === 0 ? [] : context.linkEntries).flatMap(({ kind, inputs, address }) =>
      Object.entries(inputs).map(([field, value]) => [around(kind, { [field]: value }), address] as const),
    ),
  );
  /** Whether no set that has members today lists anything. */
  let emptiesSets = true;
  for (const set of context.desired.sets) {
    const { kind, label, file, at } = set;
    const covered = coveredBy(context, states, set);
    if (typeof covered === 'string') {
      parts.push(leaveAlone(label, covered));
      continue;
    }
    const definition = context.definition(kind);
    const listed = listedAround.get(around(kind, set.fixed)) ?? [];
    emptiesSets &&= covered.length === 0 || listed.length === 0;
    const waitsFor = listed.find((address) => unsettled.has(address));
    for (const { id, values } of covered) {
      const key = ledgerKey(definition, values);
      if (wanted.has(key) || planned.has(id)) continue;
      planned.add(id);
      const address = context.addressOf(key);
      if (waitsFor !== undefined) {
        // What a mistyped id should have named must not go before it is put right.
        const why = `${label} do not list it; it goes once ${waitsFor}, which they list, can be planned (is its id mistyped?)`;
        parts.push(leaveAlone(address, why));
        continue;
      }
      const isManaged = context.ledger.objects[key]?.id === id;
      const why: Why = isManaged
        ? ['removed-from-manifest', `no longer listed under ${label}`]
        : ['not-in-exact-set', `not listed under ${label}, the exact set at ${renderPosition(at)}`];
      const step = buildStep('delete', { kind, address, key, file }, why, {
        detail: id,
        objectId: id,
        managed: values,
        observed: values,
        ...(isManaged ? {} : { unmanaged: true }),
      });
      listedBeside.set(step.id, listed);
      parts.push({ steps: [step] });
    }
  }
  return { ...joinFindings(parts), planned, listedBeside, emptiesSets };
}

/** The links in the set today, or why nobody can tell; none around what is yet to be made. */
function coveredBy(context: Context, states: ObjectStates, set: ExactSet): readonly Found[] | string {
  const [why] = addressesIn(set.fixed).flatMap((owner) => states.get(owner)?.why ?? []);
  if (why !== undefined) return `it waits: ${why}`;
  const definition = context.definition(set.kind);
  const ids = pairOf(definition, set.fixed, (owner) => stableId(states, owner));
  if (Object.keys(ids).length === 0) return [];
  const observation = context.observe(definition, ids);
  return context.found(definition, ids) ?? (observation.state === 'unknown' ? observation.why : []);
}
