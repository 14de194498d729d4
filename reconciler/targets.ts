/** Finds the objects of manifests and ledger, and the observations that they need. Pure. */
import type { Expectation } from '../observation/evidence';
import { type DesiredValues, isReference, type Key, type ListRef } from '../resources/kind';
import { suggestion } from '../resources/names';
import { definitionOf } from '../resources/registry';
import type { Facts } from './plan/facts';
import { keyOf, keyText } from './plan/plan';

export interface Target {
  readonly address: string;
  readonly kind: string;
  /** The key in the ledger. */
  readonly key: string;
  /** It is absent for an object that is not created or adopted yet. */
  readonly expected?: Expectation;
}

/** Returns each object once. Declared objects come before those that are only recorded. */
export function targetsOf(facts: Facts): readonly Target[] {
  const targets = new Map<string, Target>();
  const add = (address: string, key: string, expected: Expectation): void => {
    targets.set(key, { address, kind: expected.definition.kind, key, expected });
  };
  for (const { kind, address, inputs } of facts.entries) {
    const definition = definitionOf(kind);
    const id = idAt(facts, address);
    const ends = facts.isLink(kind)
      ? idsIn(facts, inputs, definition.pair)
      : id === undefined
        ? null
        : { id };
    if (ends === null) {
      targets.set(address, { address, kind, key: address });
      continue;
    }
    const key = facts.isLink(kind) ? keyText(keyOf(definition, ends)) : address;
    const object = facts.isLink(kind)
      ? facts.recordedLinks.get(key)?.object
      : (facts.recordedClients.get(address) ?? ends);
    add(address, key, facts.expectation(definition, ends, object));
  }
  for (const [address, record] of facts.recordedClients) {
    add(address, address, facts.expectation(facts.clientKind, { id: record.id }, record));
  }
  for (const [key, { definition, ends, object }] of facts.recordedLinks) {
    if (targets.get(key)?.expected) continue;
    add(facts.linkAddress(definition, ends), key, facts.expectation(definition, ends, object));
  }
  return [...targets.values()];
}

/** Returns the recorded id of a client, or else the id of its `id:` line. */
function idAt({ recordedClients, clientEntries }: Facts, address: string): string | undefined {
  return recordedClients.get(address)?.id ?? clientEntries.get(address)?.id;
}

/** Returns null if a field refers to an object that is unknown or not created yet. */
function idsIn(facts: Facts, values: DesiredValues, fields: readonly string[]): Key | null {
  const ids: Record<string, string> = {};
  for (const field of fields) {
    const value = values[field];
    const id = isReference(value) ? idAt(facts, value.address) : value;
    if (typeof id !== 'string') return null;
    ids[field] = id;
  }
  return ids;
}

export type ObservationNeeds = ReturnType<typeof observationNeeds>;

/** Returns the lists and ids that a plan or a drift report needs, and no others. */
export function observationNeeds(facts: Facts) {
  const { clientKind, organization } = facts;
  const targets = targetsOf(facts);
  const named = facts.entries.flatMap(({ id }) => id ?? []);
  const old = [...facts.recordedClients.values()].flatMap(({ retiring = [] }) => retiring);
  const more = [...named, ...old].map((id) => facts.expectation(clientKind, { id }, { id }));
  const isAboutClients =
    targets.some(({ kind }) => kind === clientKind.kind) ||
    Object.keys(facts.inputs.ledger.pending).length > 0;
  const forced: ListRef[] = isAboutClients ? [...clientKind.listedIn({ organization })] : [];
  for (const { kind, fixed } of facts.sets) {
    const end = idsIn(facts, fixed, Object.keys(fixed));
    if (end !== null) forced.push(...definitionOf(kind).listedIn({ organization, ...end }));
  }
  return {
    expected: [...targets.flatMap(({ expected }) => expected ?? []), ...more],
    forced: [...new Map(forced.map((ref) => [ref.name, ref])).values()],
  };
}

/** Returns the targets with these addresses, keys or ids, or all of them. Each unknown name gives a sentence. */
export function chooseTargets(targets: readonly Target[], names: readonly string[]) {
  const sorted = targets.toSorted((one, two) => (one.address < two.address ? -1 : 1));
  const known = sorted.map(({ address }) => address);
  const isNamed = ({ address, key, expected }: Target, name: string) =>
    [address, key, expected?.id].includes(name);
  const unknown = names.filter((name) => !sorted.some((one) => isNamed(one, name)));
  return {
    chosen: sorted.filter((one) => names.length === 0 || names.some((name) => isNamed(one, name))),
    unknown: unknown.map(
      (name) =>
        `${name} is neither in the manifests nor in the ledger${suggestion(name, known, 'the addresses')}`,
    ),
  };
}
