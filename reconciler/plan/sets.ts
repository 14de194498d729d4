/** Plans what exact sets cover and nobody wants: it goes, managed and unmanaged alike. Pure. */
import type { DesiredEntry, ExactSet } from '../../manifest/desired';
import { definitionOf, type Found, isReference } from '../../resources/kind';
import { ledgerKey } from '../ledger-key';
import { allLinks, type Context, endText, linkAddress } from './context';
import { type PlannedLinks, presentId } from './links';
import type { PlannedObjects } from './objects';
import type { Step } from './plan';
import { buildStep, type Findings, joinFindings } from './steps';

export interface PlannedSets extends Findings {
  /** Ids of links that are dealt with here. */
  readonly planned: ReadonlySet<string>;
  /** Ids of the delete steps, each with the addresses that its set lists. */
  readonly listedBeside: ReadonlyMap<string, ReadonlySet<string>>;
  /** Whether something is in a set today that lists something, so that it is not emptied. */
  readonly keepSome: boolean;
}

/** A delete for every link that an exact set covers and that nobody wants. */
export function planSets(context: Context, objects: PlannedObjects, links: PlannedLinks): PlannedSets {
  const planned = new Set<string>();
  const listedBeside = new Map<string, ReadonlySet<string>>();
  const parts: Partial<Findings>[] = [];
  const listedBy = listedIndex(context.desired.entries);
  const unsettled = [
    ...[objects, links].flatMap((one) => one.undetermined),
    ...[objects, links].flatMap((one) => one.problems),
  ];
  let keepSome = false;
  for (const set of context.desired.sets) {
    const covered = coveredBy(context, objects, set);
    if (typeof covered === 'string') {
      parts.push({ undetermined: [{ address: set.label, why: covered }] });
      continue;
    }
    const listed = listedBy(set);
    keepSome ||= covered.length > 0 && listed.size > 0;
    const waitsFor = unsettled.find(({ address }) => listed.has(address))?.address;
    for (const found of covered) {
      const definition = definitionOf(set.kind, context.registry);
      const key = ledgerKey(definition, found.values);
      if (links.wanted.has(key) || planned.has(found.id)) continue;
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
  return { ...joinFindings(parts), planned, listedBeside, keepSome };
}

function setDelete(
  { kind, label, file }: ExactSet,
  found: Found,
  address: string,
  key: string,
  isManaged: boolean,
): Step {
  const why = isManaged
    ? (['removed-from-manifest', `its line is gone from ${label}`] as const)
    : (['not-in-exact-set', `${label} must be exactly what the manifest lists`] as const);
  return buildStep('delete', { kind, address, key, file, protect: false }, why, {
    detail: found.id,
    objectId: found.id,
    managed: found.values,
    observed: found.values,
    ...(isManaged ? {} : { foreign: true }),
  });
}

/** The links that the set covers today, or why nobody can tell; none where the object it is around is yet to be made. */
function coveredBy(context: Context, objects: PlannedObjects, set: ExactSet): readonly Found[] | string {
  const ids: Record<string, string> = {};
  for (const [field, value] of Object.entries(set.fixed)) {
    const state = isReference(value) ? objects.objects.get(value.address) : undefined;
    if (state?.state === 'stopped') return `it waits: ${state.why ?? 'what it is around is not planned'}`;
    const id = isReference(value) ? presentId(objects, value.address) : value;
    if (typeof id !== 'string') return [];
    ids[field] = id;
  }
  const definition = definitionOf(set.kind, context.registry);
  return allLinks(context, definition, ids) ?? 'what the exact set covers cannot be read';
}

/** Finds the addresses of what a set lists. */
function listedIndex(entries: readonly DesiredEntry[]): (set: ExactSet) => ReadonlySet<string> {
  const listed = new Map<string, Set<string>>();
  const nameOf = (kind: string, field: string, end: ExactSet['fixed'][string]): string =>
    `${kind} ${field} ${endText(end)}`;
  for (const { kind, inputs, address } of entries) {
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
