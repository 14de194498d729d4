// Decides what a caller may do, by the grants of the caller's token.

import type {
  Grant,
  OAuthClientRecord,
  OrganizationRecord,
  TokenRecord,
  WorkspaceRecord,
} from '../store/records';
import type { Store } from '../store/store';
import { notFound } from './refusal';

/** The value, where it is there and the caller may. Otherwise throws 404: the API does not tell the two apart. */
export function allowed<Value>(value: Value | undefined, may: (value: Value) => boolean): Value {
  if (value === undefined || !may(value)) throw notFound();
  return value;
}

/** One caller's permissions. Methods that return a record throw 404. */
export class Access {
  constructor(
    private readonly store: Store,
    private readonly token: TokenRecord,
  ) {}

  /** The organization, when the caller may manage its VCS settings. */
  organizationOfClients(name: string): OrganizationRecord {
    return allowed(this.store.read('organizations', name), () => this.#managesVcs(name));
  }

  /** The organization, when the token names it at all. */
  organization(name: string): OrganizationRecord {
    return allowed(this.store.read('organizations', name), () => this.#grant(name) !== undefined);
  }

  /** The client, when the caller may manage its organization's VCS settings. */
  client(client: OAuthClientRecord | undefined): OAuthClientRecord {
    return allowed(client, ({ organization }) => this.#managesVcs(organization));
  }

  administeredWorkspace(id: string): WorkspaceRecord {
    return allowed(this.store.read('workspaces', id), () => this.#level(id) === 'admin');
  }

  readableWorkspace(id: string): WorkspaceRecord {
    return allowed(this.store.read('workspaces', id), () => this.readsRuns(id));
  }

  /** Whether the caller may read runs of the workspace; an admin may. False when there is none. */
  readsRuns(workspaceId: string): boolean {
    return this.#level(workspaceId) !== undefined;
  }

  #grant(organization: string): Grant | undefined {
    return this.token.grants.find((entry) => entry.organization === organization)?.grant;
  }

  #managesVcs(organization: string): boolean {
    const grant = this.#grant(organization);
    return grant === 'owner' || grant?.manageVcsSettings === true;
  }

  #level(workspaceId: string) {
    const workspace = this.store.read('workspaces', workspaceId);
    const grant = workspace && this.#grant(workspace.organization);
    if (grant === 'owner') return 'admin';
    return grant && Object.hasOwn(grant.workspaces, workspaceId) ? grant.workspaces[workspaceId] : undefined;
  }
}
