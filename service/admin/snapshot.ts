// What the store holds, for the assertions of tests.

import type { OAuthClientRecord, RunTriggerRecord, WorkspaceRecord } from '../store/records';
import type { Store } from '../store/store';

/** All clients and triggers, oldest first, and all workspaces by id. Secrets are SHA-256 digests in hex (see `digestSecret`), null for none. */
export interface Snapshot {
  readonly oauthClients: OAuthClientRecord[];
  readonly runTriggers: RunTriggerRecord[];
  readonly workspaces: WorkspaceRecord[];
}

/** Reads everything that callers can change. */
export function takeSnapshot(store: Store): Snapshot {
  const byAge = (one: { createdAt: string; id: string }, other: { createdAt: string; id: string }) =>
    `${one.createdAt} ${one.id}` < `${other.createdAt} ${other.id}` ? -1 : 1;
  return {
    oauthClients: store.all('oauthClients').sort(byAge),
    runTriggers: store.all('runTriggers').sort(byAge),
    workspaces: store.all('workspaces').sort((one, other) => (one.id < other.id ? -1 : 1)),
  };
}
