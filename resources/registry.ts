/** The kinds there are. A further kind is one more line here. */
import type { ResourceDefinition } from './kind';
import { oauthClient } from './oauth-client';
import { projectAttachment } from './project-attachment';
import { runTrigger } from './run-trigger';

export type Registry = readonly ResourceDefinition[];

/** In the order in which things are created: what others need comes first. */
export const registry: Registry = [oauthClient, projectAttachment, runTrigger];

/** The definition of a kind; throws on a kind that is not in the registry, which a checked plan or ledger never holds. */
export function definitionOf(kind: string, kinds: Registry = registry): ResourceDefinition {
  const definition = kinds.find((one) => one.kind === kind);
  if (definition === undefined) throw new Error(`there is no kind ${kind}`);
  return definition;
}
