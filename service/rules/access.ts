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

/** Answers questions about one caller's permissions; what is not allowed looks like what is not there. */
export class Access {
  constructor(
    private readonly store: Store,
    private readonly token: TokenRecord,
  ) {}

  /** The organization, when the caller may manage its VCS settings. Throws 404. */
  organizationOfClients(name: string): OrganizationRecord {
    const organization = this.store.read('organizations', name);
    if (!organization || !this.#managesVcs(name)) throw notFound();
    return organization;
  }

  /** The organization, when the token names it at all. Throws 404. */
  organization(name: string): OrganizationRecord {
    const organization = this.store.read('organizations', name);
    if (!organization || !this.#grant(name)) throw notFound();
    return organization;
  }

  /** The client, when it is given and the caller may manage its organization's VCS settings. Throws 404. */
  client(client: OAuthClientRecord | undefined): OAuthClientRecord {
    if (!client || !this.#managesVcs(client.organization)) throw notFound();
    return client;
  }

  /** The workspace, when the caller is an admin of it. Throws 404. */
  administeredWorkspace(id: string): WorkspaceRecord {
    const workspace = this.store.read('workspaces', id);
    if (!workspace || !this.administers(workspace)) throw notFound();
    return workspace;
  }

  /** The workspace, when the caller may read its runs. Throws 404. */
  readableWorkspace(id: string): WorkspaceRecord {
    const workspace = this.store.read('workspaces', id);
    if (!workspace || !this.readsRuns(workspace)) throw notFound();
    return workspace;
  }

  /** Whether the caller is an admin of the workspace. */
  administers(workspace: WorkspaceRecord): boolean {
    return this.#level(workspace) === 'admin';
  }

  /** Whether the caller may read runs of the workspace; an admin may. */
  readsRuns(workspace: WorkspaceRecord): boolean {
    return this.#level(workspace) !== undefined;
  }

  #grant(organization: string): Grant | undefined {
    return this.token.grants.find((entry) => entry.organization === organization)?.grant;
  }

  #managesVcs(organization: string): boolean {
    const grant = this.#grant(organization);
    return grant === 'owner' || grant?.manageVcsSettings === true;
  }

  #level({ id, organization }: WorkspaceRecord) {
    const grant = this.#grant(organization);
    if (grant === 'owner') return 'admin';
    return grant && Object.hasOwn(grant.workspaces, id) ? grant.workspaces[id] : undefined;
  }
}
