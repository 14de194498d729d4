/** Decides what a caller may do from the grants of the caller's token. */
import type { OAuthClientRecord, RunTriggerRecord, Store, TokenRecord } from '../store';
import { notFound } from './refusal';

// The API answers 404 both for a missing object and for a missing permission.
function refuseUnless<Value>(value: Value | undefined, isAllowed: boolean): Value {
  if (value === undefined || !isAllowed) throw notFound();
  return value;
}

export type Access = ReturnType<typeof createAccess>;

/** The permissions of one caller. Methods that return a record throw 404. */
export function createAccess(store: Store, { grants }: TokenRecord) {
  const grantIn = (organization: string | undefined) =>
    organization !== undefined && Object.hasOwn(grants, organization) ? grants[organization] : undefined;
  const managesVcs = (organization: string | undefined) => {
    const grant = grantIn(organization);
    return grant === 'owner' || grant?.manageVcsSettings === true;
  };
  const levelIn = (workspaceId = '') => {
    const grant = grantIn(store.read('workspaces', workspaceId)?.organization);
    if (grant === 'owner') return 'admin';
    const levels = new Map(Object.entries(grant?.workspaces ?? {}));
    return levels.get(workspaceId) ?? undefined;
  };
  const readsRuns = (workspaceId = '') => levelIn(workspaceId) !== undefined;
  const trigger = (id: string, may: (trigger: RunTriggerRecord) => boolean) => {
    const record = store.read('runTriggers', id);
    return refuseUnless(record, record !== undefined && may(record));
  };
  return {
    readsRuns,
    /** Every token with a grant in the organization may use this. */
    organization: (name: string) => refuseUnless(store.read('organizations', name), !!grantIn(name)),
    /** Only tokens that manage the organization's VCS settings may use this and `client`. */
    organizationOfClients: (name: string) =>
      refuseUnless(store.read('organizations', name), managesVcs(name)),
    client: (client: OAuthClientRecord | undefined) => refuseUnless(client, managesVcs(client?.organization)),
    administeredWorkspace: (id: string) =>
      refuseUnless(store.read('workspaces', id), levelIn(id) === 'admin'),
    readableWorkspace: (id: string) => refuseUnless(store.read('workspaces', id), readsRuns(id)),
    administeredTrigger: (id: string) => trigger(id, ({ workspaceId }) => levelIn(workspaceId) === 'admin'),
    readableTrigger: (id: string) =>
      trigger(id, ({ workspaceId, sourceableId }) => readsRuns(workspaceId) || readsRuns(sourceableId)),
  };
}
