/** Plans what exact sets cover and nobody wants: it goes, managed and unmanaged alike. Pure. */
import type { DesiredEntry, ExactSet } from '../../manifest/desired';
import { type Found, isReference } from '../../resources/kind';
import { ledgerKey } from '../ledger-key';
import { endText } from './bindings';
import { allLinks, type Context, definitionFor, linkAddress } from './context';
import { type ObjectStates, presentId } from './object-task';
import type { Step } from './plan';
import { buildStep, type Findings, joinFindings } from './steps';

export interface PlannedSets extends Findings {
  /** Ids of links that are dealt with here. */
  readonly planned: ReadonlySet<string>;
  /** Ids of the delete steps, each with the addresses that its set lists. */
  readonly listedBeside: ReadonlyMap<string, ReadonlySet<string>>;
  /** Whether no set that has members today lists anything. */
  readonly emptiesSets: boolean;
}

/** `wanted`: ledger keys of wanted links. `unsettled`: addresses that have a problem or are unknown. */
export function planSets(
  context: Context,
  states: ObjectStates,
  wanted: ReadonlySet<string>,
  unsettled: readonly string[],
): PlannedSets {
  const planned = new Set<string>();
  const listedBeside = new Map<string, ReadonlySet<string>>();
  const parts: Partial<Findings>[] = [];
  const listedBy = listedIndex(context.linkEntries);
  let emptiesSets = true;
  for (const set of context.desired.sets) {
    const covered = coveredBy(context, states, set);
    if (typeof covered === 'string') {
      parts.push({ undetermined: [{ address: set.label, why: covered }] });
      continue;
    }
    const listed = listedBy(set);
    emptiesSets &&= covered.length === 0 || listed.size === 0;
    const waitsFor = unsettled.find((address) => listed.has(address));
    for (const found of covered) {
      const definition = definitionFor(context, set);
      const key = ledgerKey(definition, found.values);
      if (wanted.has(key) || planned.has(found.id)) continue;
      planned.add(found.id);
      const address = linkAddress(context, definition, found.values);
      if (waitsFor !== undefined) {
        // A mistyped id looks like this: what it should have named must not go before it is put right.
        const why = `${set.label} do not list it; it goes once ${waitsFor}, which they list, can be planned (is its id mistyped?)`;
        parts.push({ undetermined: [{ address, why }] });
        continue;
      }
      const step = setDelete(set, found, address, key, context.ledger.objects[key]?.id === found.id);
      listedBeside.set(step.id, listed);
      parts.push({ steps: [step] });
    }
  }
  return { ...joinFindings(parts), planned, listedBeside, emptiesSets };
}

function setDelete(
  { kind, label, file }: ExactSet,
  { id, values }: Found,
  address: string,
  key: string,
  isManaged: boolean,
): Step {
  const why = isManaged
    ? (['removed-from-manifest', `its line is gone from ${label}`] as const)
    : (['not-in-exact-set', `${label} must be exactly what the manifest lists`] as const);
  return buildStep('delete', { kind, address, key, file, protect: false }, why, {
    detail: id,
    objectId: id,
    managed: values,
    observed: values,
    ...(isManaged ? {} : { foreign: true }),
  });
}

/** The links in the set today, or why nobody can tell; none where what it is around is yet to be made. */
function coveredBy(context: Context, states: ObjectStates, set: ExactSet): readonly Found[] | string {
  const ids: Record<string, string> = {};
  for (const [field, value] of Object.entries(set.fixed)) {
    const state = isReference(value) ? states.get(value.address) : undefined;
    if (state?.state === 'stopped') return `it waits: ${state.why ?? 'what it is around is not planned'}`;
    const id = isReference(value) ? presentId(states, value.address) : value;
    if (typeof id !== 'string') return [];
    ids[field] = id;
  }
  return allLinks(context, definitionFor(context, set), ids) ?? 'what the exact set covers cannot be read';
}

/** Finds the addresses of what a set lists. */
function listedIndex(links: readonly DesiredEntry[]): (set: ExactSet) => ReadonlySet<string> {
  const listed = new Map<string, Set<string>>();
  const nameOf = (kind: string, field: string, end: ExactSet['fixed'][string]): string =>
    `${kind} ${field} ${endText(end)}`;
  for (const { kind, inputs, address } of links) {
    for (const [field, end] of Object.entries(inputs)) {
      const name = nameOf(kind, field, end);
      listed.set(name, (listed.get(name) ?? new Set<string>()).add(address));
    }
  }
  return ({ kind, fixed }) => {
    const [[field, end] = ['', '']] = Object.entries(fixed);
    return listed.get(nameOf(kind, field, end)) ?? new Set();
  };
}
