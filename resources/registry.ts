/** The kinds there are. A further kind is one more line here. */
import { kindNamed, type Registry, type ResourceDefinition } from './kind';
import { oauthClient } from './oauth-client';
import { projectAttachment } from './project-attachment';
import { runTrigger } from './run-trigger';

export type { Registry } from './kind';

/** In the order in which things are created: what others need comes first. */
export const registry: Registry = [oauthClient, projectAttachment, runTrigger];

/** The definition of a kind; throws on one that is not in the registry. */
export function definitionOf(kind: string, kinds: Registry = registry): ResourceDefinition {
  return kindNamed(kind, kinds);
}
