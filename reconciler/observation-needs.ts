/** What has to be looked at to plan. Pure. */
import type { Manifests } from '../manifest/desired';
import type { Expectation } from '../observation/evidence';
import type { ObservationNeeds } from '../observation/observe';
import {
  type DesiredValues,
  definitionOf,
  type Key,
  type ListRef,
  type Registry,
  type ResourceDefinition,
} from '../resources/kind';
import type { Ledger, LedgerObject } from './ledger/ledger';
import { heldKey, ledgerKey, pairInKey, pairOf } from './ledger-key';

/** No list that no entry, ledger item, check or unfinished create needs. */
export function observationNeeds(desired: Manifests, ledger: Ledger, registry: Registry): ObservationNeeds {
  const { organization } = desired;
  const expected: Expectation[] = [];
  const forced: ListRef[] = [];
  const held = Object.entries(ledger.objects);
  /** Of each entry, empty for what is no link; none where the ledger holds nothing. */
  const keys = (held.length === 0 ? [] : desired.entries).map(({ kind, inputs }) => {
    const definition = definitionOf(kind, registry);
    return definition.pair.length === 0 ? '' : ledgerKey(definition, pairOf(definition, inputs));
  });
  /** Ledger keys of the links that it holds and a line wants. */
  const wanted = new Set(keys.filter((key) => key in ledger.objects));
  const isDoubtful = doubtfulLinks(desired, ledger, wanted, held);
  /** Whether what the ledger has of a link asks for all that its line does. */
  const isHeld = ({ shownBy }: ResourceDefinition, key: string) => shownBy === undefined && wanted.has(key);
  const expect = (definition: ResourceDefinition, ids: Key, id = ids.id, isWanted = false): void => {
    const key = { ...ids, organization };
    if (isWanted && id !== undefined) expected.push({ definition, key, id, isWanted });
    else if (id !== undefined) expected.push({ definition, key, id });
    else expected.push(isDoubtful(definition, ids) ? { definition, key } : { definition, key, isNew: true });
  };
  const force = (definition: ResourceDefinition, ids: Key = {}): void => {
    forced.push(...definition.listedIn({ organization, ...ids }));
  };
  for (const [index, { kind, id, inputs }] of desired.entries.entries()) {
    const definition = definitionOf(kind, registry);
    if (definition.pair.length === 0) force(definition);
    else if (!isHeld(definition, keys[index] ?? '')) expect(definition, pairOf(definition, inputs));
    if (id !== undefined) expect(definition, { id });
  }
  for (const { kind, fixed } of desired.sets) {
    const definition = definitionOf(kind, registry);
    force(definition, pairOf(definition, fixed));
  }
  for (const [key, object] of held) {
    const definition = definitionOf(object.kind, registry);
    expect(definition, heldKey(definition, object), object.id, isHeld(definition, key));
    if (object.replaces !== undefined) expect(definition, { id: object.replaces });
  }
  for (const [key, { kind }] of Object.entries(ledger.pending)) {
    const definition = definitionOf(kind, registry);
    if (definition.pair.length > 0) expect(definition, pairInKey(definition.pair, key));
    else force(definition);
  }
  for (const { kind } of ledger.tombstones) {
    const definition = definitionOf(kind, registry);
    if (definition.pair.length === 0) force(definition);
  }
  return { expected, forced };
}

/**
 * Tells of which wanted links the create must not be what decides: those that we made or may have made, those of exact sets, and those
 * with an end in common with what would go, in place of which they may be meant.
 */
function doubtfulLinks(
  { sets }: Manifests,
  ledger: Ledger,
  wanted: ReadonlySet<string>,
  held: readonly [string, LedgerObject][],
) {
  const endsOf = (kind: string, ids: DesiredValues) =>
    Object.entries(ids).map(([field, id]) => `${kind} ${field} ${String(id)}`);
  const going = held.filter(([key]) => !wanted.has(key));
  const ends = new Set([
    ...sets.flatMap(({ kind, fixed }) => endsOf(kind, fixed)),
    ...going.flatMap(([, { kind, values }]) => endsOf(kind, values)),
  ]);
  const late = new Set(ledger.tombstones.map(({ nonce }) => nonce));
  const isAny = held.length + Object.keys(ledger.pending).length + late.size > 0;
  const isOurs = (key: string) => key in ledger.objects || key in ledger.pending || late.has(key);
  return (definition: ResourceDefinition, ids: Key) =>
    (isAny && isOurs(ledgerKey(definition, ids))) ||
    (ends.size > 0 && endsOf(definition.kind, ids).some((end) => ends.has(end)));
}
