/** What has to be looked at to plan: no list that no entry, ledger item or guard needs. Pure. */
import type { Manifests } from '../manifest/desired';
import type { Expectation } from '../observation/evidence';
import type { ObservationNeeds } from '../observation/observe';
import { definitionOf, isReference, type Key, type ListRef, type Registry } from '../resources/kind';

import type { Ledger, LedgerObject } from './ledger/ledger';
import { pairInKey } from './ledger-key';

/** The lists and objects that the manifests, the ledger and what it has not finished call for. */
export function observationNeeds(desired: Manifests, ledger: Ledger, registry: Registry): ObservationNeeds {
  const { organization } = desired;
  const expected: Expectation[] = [];
  const forced: ListRef[] = [];
  for (const entry of desired.entries) {
    const definition = definitionOf(entry.kind, registry);
    if (definition.pair.length === 0) {
      const { id } = entry;
      forced.push(...definition.listedIn({ organization }));
      if (id !== undefined) expected.push({ definition, key: { organization, id }, id });
    } else expected.push({ definition, key: { organization, ...plainIds(definition.pair, entry.inputs) } });
  }
  for (const set of desired.sets) {
    const definition = definitionOf(set.kind, registry);
    forced.push(...definition.listedIn({ organization, ...plainIds(definition.pair, set.fixed) }));
  }
  for (const object of Object.values(ledger.objects)) {
    expected.push(...inLedger(definitionOf(object.kind, registry), organization, object));
  }
  for (const { kind } of [...Object.values(ledger.pending), ...ledger.tombstones]) {
    const definition = definitionOf(kind, registry);
    if (definition.pair.length === 0) forced.push(...definition.listedIn({ organization }));
  }
  for (const [key, { kind }] of Object.entries(ledger.pending)) {
    const definition = definitionOf(kind, registry);
    if (definition.pair.length === 0) continue;
    expected.push({ definition, key: { organization, ...pairInKey(definition.pair, key) } });
  }
  return { expected, forced };
}

function inLedger(
  definition: Expectation['definition'],
  organization: string,
  object: LedgerObject,
): readonly Expectation[] {
  const { id, replaces } = object;
  if (definition.pair.length > 0) {
    return [{ definition, key: { organization, ...plainIds(definition.pair, object.values) }, id }];
  }
  const ids = replaces === undefined ? [id] : [id, replaces];
  return ids.map((one) => ({ definition, key: { organization, id: one }, id: one }));
}

/** The ids among the fields of a pair; references to objects are left out, they are shown by the list of their kind. */
function plainIds(pair: readonly string[], values: Readonly<Record<string, unknown>>): Key {
  const ids = pair.flatMap((field): [string, string][] => {
    const value = values[field];
    return typeof value === 'string' && !isReference(value) ? [[field, value]] : [];
  });
  return Object.fromEntries(ids);
}
