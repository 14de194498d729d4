// Decides what a caller may do, by the grants of the caller's token.

import type { OAuthClientRecord, TokenRecord } from '../store/records';
import type { Store } from '../store/store';
import { notFound } from './refusal';

// The API does not tell "is not there" and "you may not" apart.
function allowed<Value>(value: Value | undefined, may: (value: Value) => boolean): Value {
  if (value === undefined || !may(value)) throw notFound();
  return value;
}

/** One caller's permissions. What returns a record throws 404. */
export class Access {
  constructor(
    private readonly store: Store,
    private readonly token: TokenRecord,
  ) {}

  /** For who may manage its VCS settings. */
  organizationOfClients(name: string) {
    return allowed(this.store.read('organizations', name), () => this.#managesVcs(name));
  }

  /** For every token that names it. */
  organization(name: string) {
    return allowed(this.store.read('organizations', name), () => this.#grant(name) !== undefined);
  }

  /** For who may manage its organization's VCS settings. */
  client(client: OAuthClientRecord | undefined) {
    return allowed(client, ({ organization }) => this.#managesVcs(organization));
  }

  administeredWorkspace(id: string) {
    return allowed(this.store.read('workspaces', id), () => this.#level(id) === 'admin');
  }

  readableWorkspace(id: string) {
    return allowed(this.store.read('workspaces', id), () => this.readsRuns(id));
  }

  administeredTrigger(id: string) {
    return allowed(
      this.store.read('runTriggers', id),
      ({ workspaceId }) => this.#level(workspaceId) === 'admin',
    );
  }

  readableTrigger(id: string) {
    return allowed(
      this.store.read('runTriggers', id),
      ({ workspaceId, sourceableId }) => this.readsRuns(workspaceId) || this.readsRuns(sourceableId),
    );
  }

  /** Admins may too. False when there is no such workspace. */
  readsRuns(workspaceId: string): boolean {
    return this.#level(workspaceId) !== undefined;
  }

  #grant(organization: string) {
    return this.token.grants.find((entry) => entry.organization === organization)?.grant;
  }

  #managesVcs(organization: string) {
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
