/** The objects that a ledger holds or manifests declare, with their addresses and what to look for. Pure. */
import type { Manifests } from '../manifest/desired';
import type { Expectation } from '../observation/evidence';
import { definitionOf, isReference } from '../resources/kind';
import { suggestion } from '../resources/names';
import { registry } from '../resources/registry';
import type { Ledger } from './ledger/ledger';
import { keyText, parseKey } from './plan/plan';

export interface Target {
  readonly address: string;
  readonly kind: string;
  /** Its key and its id, by which it may be named too. */
  readonly spellings: readonly string[];
  /** Absent for an object that is neither made nor adopted yet. */
  readonly expected?: Expectation;
}

/** Each once, in the order of the addresses. `nameOf` returns the alias or name of an id. */
export function targetsOf(
  ledger: Ledger,
  manifests: Manifests,
  nameOf: (id: string) => string,
): readonly Target[] {
  const targets = new Map(recordedTargets(ledger, manifests, nameOf).map((one) => [one.spellings[0], one]));
  for (const target of declaredTargets(ledger, manifests)) {
    const [key] = target.spellings;
    if (!targets.has(key)) targets.set(key, target);
  }
  return [...targets.values()].sort((one, two) => (one.address < two.address ? -1 : 1));
}

function recordedTargets(
  { objects }: Ledger,
  { organization }: Manifests,
  nameOf: (id: string) => string,
): readonly Target[] {
  const clientNames = new Map(
    Object.entries(objects).flatMap(([key, { id = '' }]) => {
      const [kind, name = ''] = parseKey(key);
      return definitionOf(kind, registry).pair.length === 0 ? [[id, name] as const] : [];
    }),
  );
  const partOf = (id: string) => clientNames.get(id) ?? nameOf(id);
  return Object.entries(objects).map(([key, { id, createdAt }]) => {
    const [kind, ...parts] = parseKey(key);
    const definition = definitionOf(kind, registry);
    const isLink = definition.pair.length > 0;
    const ends = Object.fromEntries(definition.pair.map((end, index) => [end, parts[index] ?? '']));
    const expected = {
      definition,
      key: { organization, ...(isLink || id === undefined ? ends : { id }) },
      ...(id !== undefined && { id }),
      ...(createdAt !== undefined && { createdAt }),
    };
    const address = isLink ? [kind, ...parts.map(partOf)].join('/') : key;
    return { address, kind, spellings: [key, ...(id === undefined ? [] : [id])], expected };
  });
}

function declaredTargets({ objects }: Ledger, { entries, organization }: Manifests): readonly Target[] {
  return entries.map(({ kind, address, inputs, id }) => {
    const definition = definitionOf(kind, registry);
    if (definition.pair.length === 0) {
      const expected = id === undefined ? {} : { expected: { definition, key: { organization, id }, id } };
      return { address, kind, spellings: [address, ...(id === undefined ? [] : [id])], ...expected };
    }
    const ends = definition.pair.flatMap((end) => {
      const value = inputs[end];
      const endId = isReference(value) ? objects[value.address]?.id : value;
      return endId === undefined ? [] : [[end, String(endId)] as const];
    });
    if (ends.length < definition.pair.length) return { address, kind, spellings: [address] };
    const key = keyText([kind, ...ends.map(([, endId]) => endId)]);
    const expected = { definition, key: { organization, ...Object.fromEntries(ends) } };
    return { address, kind, spellings: [key], expected };
  });
}

/** The named targets, or all where there are no names; and a sentence for each name that is not known. */
export function chooseTargets(targets: readonly Target[], names: readonly string[]) {
  const isNamed = ({ address, spellings }: Target, name: string) =>
    address === name || spellings.includes(name);
  const known = targets.map(({ address }) => address);
  const unknown = names.filter((name) => !targets.some((target) => isNamed(target, name)));
  return {
    chosen: names.length === 0 ? targets : targets.filter((one) => names.some((name) => isNamed(one, name))),
    unknown: unknown.map(
      (name) =>
        `${name} is neither in the manifests nor in the ledger${suggestion(name, known, 'the addresses')}`,
    ),
  };
}
