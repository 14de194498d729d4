/** The kinds there are. A further kind is one more line here. */
import type { Registry } from './kind';
import { oauthClient } from './oauth-client';
import { projectAttachment } from './project-attachment';
import { runTrigger } from './run-trigger';

/** In the order in which things are created: what others need comes first. */
export const registry: Registry = [oauthClient, projectAttachment, runTrigger];
