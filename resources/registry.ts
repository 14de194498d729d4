/** Lists the kinds. Another kind is one more line here. */
import type { ResourceDefinition } from './kind';
import { oauthClient } from './oauth-client';
import { projectAttachment } from './project-attachment';
import { runTrigger } from './run-trigger';

/** Objects are created in this order, so what others need comes first. */
export const registry: readonly ResourceDefinition[] = [oauthClient, projectAttachment, runTrigger];

const byKind = new Map(registry.map((definition) => [definition.kind, definition]));

/** Throws for an unknown kind, which a checked manifest, plan or ledger never has. */
export function findDefinition(kind: string): ResourceDefinition {
  const definition = byKind.get(kind);
  if (definition === undefined) throw new Error(`there is no kind ${kind}`);
  return definition;
}

/** The fields such as `projectIds`, which are exact sets of links. A link has the `owner` in its field `end`, and a member in `far`. */
export const setFields = registry.flatMap(({ kind: owner, fields }) =>
  Object.entries(fields).flatMap(([field, { exactSetOf: kind }]) => {
    if (kind === undefined) return [];
    const link = findDefinition(kind);
    const end = link.pair.find((name) => link.fields[name]?.refersTo === owner) ?? '';
    const far = link.pair.find((name) => name !== end) ?? '';
    return [{ owner, field, kind, end, far }];
  }),
);
