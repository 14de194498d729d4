/** Finds the objects of manifests and ledger, and the observations that they need. Pure. */
import type { Expectation } from '../observation/evidence';
import { type DesiredValues, isLink, isReference, type Key, type ListRef } from '../resources/kind';
import { externalKinds, isId, suggestion } from '../resources/names';
import { oauthClient } from '../resources/oauth-client';
import { findDefinition } from '../resources/registry';
import type { Facts } from './plan/facts';
import { keyText, type LedgerKey, parseKey, toEnds, toLedgerKey } from './plan/plan';

export interface Target {
  readonly address: string;
  readonly kind: string;
  /** The key in the ledger. */
  readonly key: string;
  /** It is null for an object that is not created or adopted yet. */
  readonly expected: Expectation | null;
}

/** Returns each object once. Declared objects come before those that are only recorded. */
export function findTargets(facts: Facts): readonly Target[] {
  const targets = new Map<string, Target>();
  const { recorded } = facts;
  for (const { kind, address, inputs } of facts.entries) {
    const definition = findDefinition(kind);
    const isLinkKind = isLink(kind);
    const ends = isLinkKind
      ? idsIn(facts, inputs, definition.pair)
      : idsIn(facts, { id: { address } }, ['id']);
    const key = ends !== null && isLinkKind ? keyText(toLedgerKey(definition, ends)) : address;
    // A client that is not recorded has the id of its line in `ends`.
    const expected = ends && facts.expectation(definition, ends, recorded.get(key)?.object ?? ends);
    targets.set(key, { address, kind, key, expected });
  }
  for (const [key, { definition, ends, object }] of recorded) {
    if (targets.has(key)) continue;
    const { kind } = definition;
    const address = isLink(kind) ? facts.linkAddress(definition, ends) : key;
    targets.set(key, { address, kind, key, expected: facts.expectation(definition, ends, object) });
  }
  return [...targets.values()];
}

/** A client has its recorded id, or else that of its `id:` line. Returns null if an object is unknown or not created yet. */
function idsIn(
  { recordedClients, clientEntries }: Facts,
  values: DesiredValues,
  fields: readonly string[],
): Key | null {
  const ids: Record<string, string> = {};
  for (const field of fields) {
    const value = values[field];
    const client = isReference(value)
      ? (recordedClients.get(value.address) ?? clientEntries.get(value.address))
      : { id: value };
    if (typeof client?.id !== 'string') return null;
    ids[field] = client.id;
  }
  return ids;
}

/** Returns the lists and ids that a plan or a drift report needs, and no others. */
export function observationNeeds(facts: Facts) {
  const { organization, recorded, inputs } = facts;
  const targets = findTargets(facts);
  const lineIds = facts.entries.flatMap(({ id }) => id ?? []);
  const old = [...facts.recordedClients.values()].flatMap(({ retiring = [] }) => retiring);
  const more = [...lineIds, ...old].map((id) => facts.expectation(oauthClient, { id }, { id }));
  // The list of clients is read anyway where a client or an attachment may be deleted.
  const lines = facts.forgetLines.flatMap(({ address }) => {
    const [kind, ...parts] = parseKey(address);
    const definition = findDefinition(kind);
    if (!isLink(kind) || definition.shownBy !== undefined) return [];
    const ids = definition.pair.map((field, index) => {
      const prefix = externalKinds[definition.fields[field]?.refersTo ?? '']?.prefix ?? '';
      const isShown = ([id, { name }]: readonly [string, { readonly name: string }]) =>
        name === parts[index] && isId(id, prefix);
      return [...inputs.manifests.namesById].find(isShown)?.[0] ?? parts[index] ?? '';
    });
    const key: LedgerKey = [kind, ...ids];
    return recorded.has(keyText(key)) ? [] : facts.expectation(definition, toEnds(definition, key));
  });
  const isAboutClients =
    targets.some(({ kind }) => kind === oauthClient.kind) || Object.keys(inputs.ledger.pending).length > 0;
  const forced: ListRef[] = isAboutClients ? [...oauthClient.listedIn({ organization })] : [];
  for (const { kind, fixed } of facts.sets) {
    const end = idsIn(facts, fixed, Object.keys(fixed));
    if (end !== null) forced.push(...findDefinition(kind).listedIn({ organization, ...end }));
  }
  return {
    expected: [...targets.flatMap(({ expected }) => expected ?? []), ...more, ...lines],
    forced: [...new Map(forced.map((ref) => [ref.name, ref])).values()],
  };
}

/** Returns the targets with these addresses, keys or ids, or all of them. Each unknown name gives a sentence. */
export function chooseTargets(targets: readonly Target[], names: readonly string[]) {
  const sorted = targets.toSorted((left, right) => (left.address < right.address ? -1 : 1));
  const addresses = sorted.map(({ address }) => address);
  // An end may be written as in the address or by its id.
  const isNamed = ({ address, key, expected }: Target, name: string) => {
    const [addressParts, keyParts, nameParts] = [address, key, name].map((text) => text.split('/'));
    const isSame = nameParts?.every(
      (part, index) => part === addressParts?.[index] || part === keyParts?.[index],
    );
    return name === expected?.id || (isSame && nameParts?.length === addressParts?.length);
  };
  const unknown = names.filter((name) => !sorted.some((target) => isNamed(target, name)));
  return {
    chosen: sorted.filter((target) => names.length === 0 || names.some((name) => isNamed(target, name))),
    unknown: unknown.map(
      (name) =>
        `${name} is neither in the manifests nor in the ledger${suggestion(name, addresses, 'the addresses')}`,
    ),
  };
}
