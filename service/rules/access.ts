/** Decides what a caller may do from the grants of the caller's token. */
import type { OAuthClientRecord, RunTriggerRecord, Store, TokenRecord } from '../store';
import { notFound } from './refusal';

// The API answers 404 both for a missing object and for a missing permission.
function allowed<Value>(value: Value | undefined, isAllowed: boolean): Value {
  if (value === undefined || !isAllowed) throw notFound();
  return value;
}

export type Access = ReturnType<typeof accessOf>;

/** The permissions of one caller. Methods that return a record throw 404. */
export function accessOf(store: Store, { grants }: TokenRecord) {
  const grantIn = (organization: string | undefined) =>
    organization !== undefined && Object.hasOwn(grants, organization) ? grants[organization] : undefined;
  const managesVcs = (organization: string | undefined) => {
    const grant = grantIn(organization);
    return grant === 'owner' || grant?.manageVcsSettings === true;
  };
  const levelOf = (workspaceId = '') => {
    const grant = grantIn(store.read('workspaces', workspaceId)?.organization);
    if (grant === 'owner') return 'admin';
    const levels = new Map(Object.entries(grant?.workspaces ?? {}));
    return levels.get(workspaceId) ?? undefined;
  };
  const readsRuns = (workspaceId = '') => levelOf(workspaceId) !== undefined;
  const trigger = (id: string, may: (trigger: RunTriggerRecord) => boolean) => {
    const record = store.read('runTriggers', id);
    return allowed(record, record !== undefined && may(record));
  };
  return {
    readsRuns,
    /** Every token with a grant in the organization may use this. */
    organization: (name: string) => allowed(store.read('organizations', name), !!grantIn(name)),
    /** This and the next are for tokens that manage the organization's VCS settings. */
    organizationOfClients: (name: string) => allowed(store.read('organizations', name), managesVcs(name)),
    client: (client: OAuthClientRecord | undefined) => allowed(client, managesVcs(client?.organization)),
    administeredWorkspace: (id: string) => allowed(store.read('workspaces', id), levelOf(id) === 'admin'),
    readableWorkspace: (id: string) => allowed(store.read('workspaces', id), readsRuns(id)),
    administeredTrigger: (id: string) => trigger(id, ({ workspaceId }) => levelOf(workspaceId) === 'admin'),
    readableTrigger: (id: string) =>
      trigger(id, ({ workspaceId, sourceableId }) => readsRuns(workspaceId) || readsRuns(sourceableId)),
  };
}
