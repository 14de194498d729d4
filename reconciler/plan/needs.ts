/** What has to be observed for a plan, or for drift: no list that nothing needs. Pure. */
import type { Manifests } from '../../manifest/desired';
import type { Expectation } from '../../observation/evidence';
import {
  type DesiredValues,
  definitionOf,
  isReference,
  type Key,
  type ListRef,
  type Registry,
} from '../../resources/kind';
import type { Ledger } from '../ledger/ledger';
import { endsOf } from './inputs';
import { keyText, parseKey } from './plan';

export interface ObservationNeeds {
  readonly expected: readonly Expectation[];
  readonly forced: readonly ListRef[];
}

export function observationNeeds(
  { organization, entries, sets }: Pick<Manifests, 'organization' | 'entries' | 'sets'>,
  ledger: Ledger,
  registry: Registry,
): ObservationNeeds {
  const expected: Expectation[] = [];
  const forced: ListRef[] = [];
  const expect = (kind: string, ends: Key, id: string | undefined, createdAt?: string): void => {
    const definition = definitionOf(kind, registry);
    const key = { organization, ...ends };
    expected.push({
      definition,
      key,
      ...(id !== undefined && { id }),
      ...(createdAt !== undefined && { createdAt }),
    });
  };
  const force = (kind: string, ends: Key = {}): void => {
    forced.push(...definitionOf(kind, registry).listedIn({ organization, ...ends }));
  };
  const adopted = new Map(
    entries.flatMap(({ address, id }) => (id === undefined ? [] : [[address, id] as const])),
  );
  /** The ends as ids; null where one is not made yet or not known. */
  const plain = (values: DesiredValues): Key | null => {
    const ends: Record<string, string> = {};
    for (const field in values) {
      const value = values[field];
      const id = isReference(value)
        ? (ledger.objects[value.address]?.id ?? adopted.get(value.address))
        : value;
      if (typeof id !== 'string') return null;
      ends[field] = id;
    }
    return ends;
  };
  const seen = new Set<string>();
  for (const { kind, id, inputs } of entries) {
    const { pair } = definitionOf(kind, registry);
    if (pair.length === 0) {
      force(kind);
      if (id !== undefined) expect(kind, { id }, id);
      continue;
    }
    const ends = plain(Object.fromEntries(pair.map((field) => [field, inputs[field] ?? null])));
    if (ends === null) continue;
    const text = keyText([kind, ...pair.map((field) => ends[field] ?? '')]);
    seen.add(text);
    const object = ledger.objects[text];
    expect(kind, ends, object?.id, object?.createdAt);
  }
  for (const { kind, fixed } of sets) {
    const ends = plain(fixed);
    if (ends !== null) force(kind, ends);
  }
  for (const [text, { id, createdAt, retiring = [] }] of Object.entries(ledger.objects)) {
    const key = parseKey(text);
    const definition = definitionOf(key[0], registry);
    if (definition.pair.length > 0) {
      if (!seen.has(text)) expect(key[0], endsOf(definition, key), id, createdAt);
      continue;
    }
    force(key[0]);
    for (const one of [id, ...retiring]) {
      if (one !== undefined) expect(key[0], { id: one }, one, one === id ? createdAt : undefined);
    }
  }
  for (const text of Object.keys(ledger.pending)) force(parseKey(text)[0]);
  return { expected, forced: [...new Map(forced.map((ref) => [ref.name, ref])).values()] };
}
