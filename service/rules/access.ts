// Decides what a caller may do, by the grants of the caller's token.

import type { OAuthClientRecord, Store, TokenRecord } from '../store';
import { notFound } from './refusal';

// The API does not tell "is not there" and "you may not" apart.
function allowed<Value>(value: Value | undefined, may: (value: Value) => boolean): Value {
  if (value === undefined || !may(value)) throw notFound();
  return value;
}

export type Access = ReturnType<typeof accessOf>;

/** One caller's permissions. What returns a record throws 404. */
export function accessOf(store: Store, { grants }: TokenRecord) {
  const grantIn = (organization: string) =>
    Object.hasOwn(grants, organization) ? grants[organization] : undefined;
  const managesVcs = (organization: string) => {
    const grant = grantIn(organization);
    return grant === 'owner' || grant?.manageVcsSettings === true;
  };
  const levelOf = (workspaceId: string) => {
    const workspace = store.read('workspaces', workspaceId);
    const grant = workspace && grantIn(workspace.organization);
    if (grant === 'owner') return 'admin';
    return grant && Object.hasOwn(grant.workspaces, workspaceId) ? grant.workspaces[workspaceId] : undefined;
  };
  const administers = (workspaceId: string) => levelOf(workspaceId) === 'admin';
  /** Admins may too. False when there is no such workspace. */
  const readsRuns = (workspaceId: string) => levelOf(workspaceId) !== undefined;
  return {
    readsRuns,
    /** Open to every token that names the organization. */
    organization: (name: string) =>
      allowed(store.read('organizations', name), () => grantIn(name) !== undefined),
    /** This and the next are for tokens that manage the organization's VCS settings. */
    organizationOfClients: (name: string) =>
      allowed(store.read('organizations', name), () => managesVcs(name)),
    client: (client: OAuthClientRecord | undefined) =>
      allowed(client, ({ organization }) => managesVcs(organization)),
    administeredWorkspace: (id: string) => allowed(store.read('workspaces', id), () => administers(id)),
    readableWorkspace: (id: string) => allowed(store.read('workspaces', id), () => readsRuns(id)),
    administeredTrigger: (id: string) =>
      allowed(store.read('runTriggers', id), ({ workspaceId }) => administers(workspaceId)),
    readableTrigger: (id: string) =>
      allowed(
        store.read('runTriggers', id),
        ({ workspaceId, sourceableId }) => readsRuns(workspaceId) || readsRuns(sourceableId),
      ),
  };
}
