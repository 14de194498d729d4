/** Lists the kinds. A further kind is one more line here. */
import type { Registry } from './kind';
import { oauthClient } from './oauth-client';
import { projectAttachment } from './project-attachment';
import { runTrigger } from './run-trigger';

/** Objects are created in this order, so what others need comes first. */
export const registry: Registry = [oauthClient, projectAttachment, runTrigger];
