/** How each write-only field of the manifests compares with the digest of what was last written. */
import type { Manifests } from '../manifest/desired';
import type { SecretSource } from '../resources/kind';
import { definitionOf, type Registry } from '../resources/registry';
import type { SecretStates } from './inputs';
import { matches } from './ledger/digest';
import type { Ledger, LedgerObject } from './ledger/ledger';
import { bindLedger } from './plan/bindings';

/** Looks up a secret; null when its value is not at hand. Never throws for a missing one. */
export type SecretLookup = (source: SecretSource) => Promise<string | null>;

/**
 * States by address and field. Without a digest it is `unverified` where the object was there before us, and `new` where the
 * entry had no such field at the last apply; a value that cannot be looked up is `not-compared`, unless it is `new`.
 */
export async function compareSecrets(
  manifests: Manifests,
  ledger: Ledger,
  lookup: SecretLookup,
  registry: Registry,
): Promise<SecretStates> {
  const objectKinds = registry.filter((one) => one.pair.length === 0);
  const { byAddress } = bindLedger(manifests, ledger, objectKinds);
  const states: Record<string, SecretStates[string]> = {};
  for (const entry of manifests.entries) {
    if (definitionOf(entry.kind, registry).pair.length > 0) continue;
    const object = byAddress.get(entry.address)?.object;
    const fields: Record<string, SecretStates[string][string]> = {};
    for (const [field, source] of Object.entries(entry.secrets)) {
      fields[field] = await stateOf(await lookup(source), field, object);
    }
    states[entry.address] = fields;
  }
  return states;
}

async function stateOf(
  value: string | null,
  field: string,
  object: LedgerObject | undefined,
): Promise<SecretStates[string][string]> {
  const digest = object?.digests[field];
  if (object !== undefined && digest === undefined && !object.unverified?.includes(field)) return 'new';
  if (value === null) return 'not-compared';
  if (digest === undefined) return 'unverified';
  return (await matches(value, digest)) ? 'same' : 'changed';
}
