/** Stops a run that cannot see its organization: a wrong name or a missing permission, never "everything is gone". */
import type { Manifests } from '../manifest/desired';
import type { Observed } from '../observation/evidence';

/** The organization could not be seen; `message` is one sentence with what to check. */
export class OrganizationUnseen extends Error {
  override readonly name = 'OrganizationUnseen';
}

/** Throws when a list of the organization is among those that are `needed` and answered "not found". */
export function refuseUnseen(manifests: Manifests, observed: Observed, needed: ReadonlySet<string>): void {
  const { organization } = manifests;
  const unseen = Object.values(observed.lists).some(
    ({ state, ref }) =>
      state === 'unreadable' && ref.owner === `organization ${organization}` && needed.has(ref.name),
  );
  if (!unseen) return;
  throw new OrganizationUnseen(
    `organization ${organization}: not found, or the token may not manage its VCS settings (the service does not tell which). Check the name in the manifest, the address, and the token's permissions; nothing was planned`,
  );
}
