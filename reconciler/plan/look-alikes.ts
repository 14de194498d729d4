/** Clients that might be the wanted one although the ledger does not say so. Pure. */
import { foundAll } from '../../observation/observe';
import { sameImmutables } from '../../resources/diff';
import type { FieldValues, Found, ResourceDefinition } from '../../resources/kind';
import { isNonce, noncePrefix } from '../../resources/names';

import type { Context } from './context';

export interface LookAlikes {
  /** Same name and same immutable readable fields. */
  readonly same: readonly Found[];
  /** Same immutable readable fields under another name. */
  readonly renamed: readonly Found[];
  /** Left by a create of this address that neither ledger nor journal knows. */
  readonly interrupted: readonly Found[];
}

/** Objects that no entry of this ledger holds and that look like `wanted`; null when the list could not be read. */
export function lookAlikes(
  context: Context,
  definition: ResourceDefinition,
  address: string,
  wanted: FieldValues,
): LookAlikes | null {
  const all = foundAll(context.observed, definition, { organization: context.organization });
  if (all === null) return null;
  const held = new Set([...heldIds(context)].filter((id) => !isLetGo(context, id)));
  const nonces = knownNonces(context);
  const prefix = noncePrefix(context.organization, address);
  const free = all.filter((found) => !held.has(found.id));
  const interrupted = free.filter((found) => {
    const name = found.values.name;
    return typeof name === 'string' && name.startsWith(prefix) && !nonces.has(name);
  });
  const alike = free.filter(
    (found) => !hasTemporaryName(found) && sameImmutables(definition, wanted, found.values),
  );
  const name = wanted.name ?? null;
  return {
    same: alike.filter((found) => (found.values.name ?? null) === name),
    renamed: alike.filter((found) => (found.values.name ?? null) !== name),
    interrupted,
  };
}

/** True for an object that this plan forgets: it stays, and afterwards nobody holds it. */
function isLetGo(context: Context, id: string): boolean {
  const { claims, desired, ledger } = context;
  return desired.forget.some(
    ({ address }) => ledger.objects[address]?.id === id && !claims.claimedKeys.has(address),
  );
}

/** Ids that some ledger entry holds or still has to destroy. */
export function heldIds(context: Context): ReadonlySet<string> {
  const held = new Set<string>();
  for (const object of Object.values(context.ledger.objects)) {
    held.add(object.id);
    if (object.replaces !== undefined) held.add(object.replaces);
  }
  return held;
}

/** Temporary names that the ledger or its journal knows. */
export function knownNonces(context: Context): ReadonlySet<string> {
  return new Set([
    ...Object.values(context.ledger.pending).map((one) => one.nonce),
    ...context.ledger.tombstones.map((one) => one.nonce),
  ]);
}

/** True for an object that a create of ours, or of another apply, has not given its name yet. */
export function hasTemporaryName(found: Found): boolean {
  return isNonce(found.values.name);
}
