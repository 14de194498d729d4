/** Names the ends of links, so that links with an end in common can be found. */
import { findDefinition } from '../../resources/registry';
import type { LedgerKey } from './plan';

/** Returns a text such as `RunTrigger workspaceId ws-app`. */
export function endName(kind: string, field: string, id: string | undefined): string {
  return `${kind} ${field} ${id}`;
}

/** Returns the names of both ends of a link, and none for a client. */
export function endNames([kind, ...ids]: LedgerKey): readonly string[] {
  return findDefinition(kind).pair.map((field, index) => endName(kind, field, ids[index]));
}
