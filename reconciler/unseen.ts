/** Stops a run that can see no organization at all: a wrong name or a missing permission, never "everything is gone". */
import type { Manifests } from '../manifest/desired';
import type { Observed } from '../observation/observed';
import { listName } from '../resources/lists';

/** None of the organizations could be seen; `message` is one sentence with what to check. */
export class OrganizationsUnseen extends Error {
  override readonly name = 'OrganizationsUnseen';
}

/** Throws when clients of at least one organization were asked for and every such list of `needed` answered "not found". */
export function refuseUnseen(manifests: Manifests, observed: Observed, needed: ReadonlySet<string>): void {
  const asked = manifests.organizations
    .map(({ organization }) => ({
      organization,
      result: observed.lists[listName({ list: 'oauthClients', organization })],
    }))
    .filter(({ result }) => result !== undefined && needed.has(listName(result.ref)));
  if (asked.length === 0 || asked.some(({ result }) => result?.state === 'read')) return;
  const names = asked.map(({ organization }) => organization).join(', ');
  throw new OrganizationsUnseen(
    `organization ${names}: not found, or the token may not manage its VCS settings (the service does not tell which). Check the name in the manifest, the address, and the token's permissions; nothing was planned`,
  );
}
