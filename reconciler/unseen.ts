/** Stops a run that cannot see its organization: a wrong name or a missing permission, never "everything is gone". */
import type { Manifests } from '../manifest/desired';
import type { Observed } from '../observation/evidence';
import { listName } from '../resources/kind';

/** The organization could not be seen; `message` is one sentence with what to check. */
export class OrganizationUnseen extends Error {
  override readonly name = 'OrganizationUnseen';
}

/** Throws when its clients are among the lists that are `needed`, and their list answered "not found". */
export function refuseUnseen(manifests: Manifests, observed: Observed, needed: ReadonlySet<string>): void {
  const { organization } = manifests;
  const list = listName({ list: 'oauthClients', organization });
  const result = observed.lists[list];
  if (result === undefined || result.state === 'read' || !needed.has(list)) return;
  throw new OrganizationUnseen(
    `organization ${organization}: not found, or the token may not manage its VCS settings (the service does not tell which). Check the name in the manifest, the address, and the token's permissions; nothing was planned`,
  );
}
