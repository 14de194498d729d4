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
import type { Ledger } from './ledger/ledger';
import { heldKey, ledgerKey, pairInKey, pairOf } from './ledger-key';

/** No list that no entry, ledger item, check or unfinished create needs. */
export function observationNeeds(desired: Manifests, ledger: Ledger, registry: Registry): ObservationNeeds {
  const { organization } = desired;
  const expected: Expectation[] = [];
  const forced: ListRef[] = [];
  const isDoubtful = doubtfulLinks(desired, ledger, registry);
  const expect = (definition: ResourceDefinition, ids: Key, id = ids.id): void => {
    const key = { organization, ...ids };
    if (id !== undefined) expected.push({ definition, key, id });
    else expected.push(isDoubtful(definition, ids) ? { definition, key } : { definition, key, isNew: true });
  };
  const force = (definition: ResourceDefinition, ids: Key = {}): void => {
    forced.push(...definition.listedIn({ organization, ...ids }));
  };
  for (const { kind, id, inputs } of desired.entries) {
    const definition = definitionOf(kind, registry);
    if (definition.pair.length > 0) expect(definition, pairOf(definition, inputs));
    else force(definition);
    if (id !== undefined) expect(definition, { id });
  }
  for (const { kind, fixed } of desired.sets) {
    const definition = definitionOf(kind, registry);
    force(definition, pairOf(definition, fixed));
  }
  for (const object of Object.values(ledger.objects)) {
    const definition = definitionOf(object.kind, registry);
    expect(definition, heldKey(definition, object), object.id);
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
function doubtfulLinks({ entries, sets }: Manifests, ledger: Ledger, registry: Registry) {
  const endsOf = (kind: string, ids: DesiredValues) =>
    Object.entries(ids).map(([field, id]) => `${kind} ${field} ${String(id)}`);
  const held = Object.entries(ledger.objects);
  const wanted = new Set(
    (held.length === 0 ? [] : entries).flatMap(({ kind, inputs }) => {
      const definition = definitionOf(kind, registry);
      return definition.pair.length > 0 ? ledgerKey(definition, pairOf(definition, inputs)) : [];
    }),
  );
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
