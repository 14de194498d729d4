/** The lists of the API that are read whole, and what one holds. */
import type { OAuthClientDocument, ReadApi, RunTriggerDocument, TriggerDirection } from '../client/api';

export type ListRef =
  | { readonly list: 'oauthClients'; readonly organization: string }
  | { readonly list: 'runTriggers'; readonly workspaceId: string; readonly direction: TriggerDirection };

/** A list as it was read, whole. */
export type ListContents =
  | { readonly list: 'oauthClients'; readonly items: readonly OAuthClientDocument[] }
  | { readonly list: 'runTriggers'; readonly items: readonly RunTriggerDocument[] };

/** Reads one item that such a list should show, as a list of its own. Throws `ApiError`. */
export async function readItem(api: ReadApi, ref: ListRef, id: string): Promise<ListContents> {
  return ref.list === 'oauthClients'
    ? { list: 'oauthClients', items: [await api.oauthClients.read(id)] }
    : { list: 'runTriggers', items: [await api.runTriggers.read(id)] };
}

/** What both show together. */
export function joined(one: ListContents, other: ListContents): ListContents {
  return { ...one, items: [...one.items, ...other.items] } as ListContents;
}

/** One text per list, for maps, messages and evidence: `run triggers of ws-app (inbound)`. */
export function listName(ref: ListRef): string {
  return ref.list === 'oauthClients'
    ? `OAuth clients of ${ref.organization}`
    : `run triggers of ${ref.workspaceId} (${ref.direction})`;
}

/** Reads the list whole. Throws `ApiError`. */
export async function readList(api: ReadApi, ref: ListRef): Promise<ListContents> {
  return ref.list === 'oauthClients'
    ? { list: 'oauthClients', items: await api.oauthClients.list(ref.organization) }
    : { list: 'runTriggers', items: await api.runTriggers.list(ref.workspaceId, ref.direction) };
}
