/** Entry point `tether-iac/provider`. Every state names these exports, so their names never change. */
import * as attachment from '../resources/project-attachment';
import * as trigger from '../resources/run-trigger';
import { processSurroundings } from './account';
import { links } from './links';
import { oauthClients } from './oauth-client';
import { Session } from './session';
import { triggerSets } from './trigger-sets';

const session = new Session(processSurroundings);

export const oauthClient = oauthClients(session);
export const projectAttachment = links(session, attachment.projectAttachment);
export const runTrigger = links(session, trigger.runTrigger);
export const inboundRunTriggers = triggerSets(session, 'workspaceId', 'sourceableId');
export const outboundRunTriggers = triggerSets(session, 'sourceableId', 'workspaceId');
