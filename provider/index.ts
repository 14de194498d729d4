/** Entry point `tether-iac/provider`. Every state names these exports, so their names never change. */
import { projectAttachment as attachment } from '../resources/project-attachment';
import { runTrigger as trigger } from '../resources/run-trigger';
import { links } from './links';
import { oauthClients } from './oauth-client';
import { processSurroundings, Session } from './session';
import { inboundSet, outboundSet, triggerSets } from './trigger-sets';

const session = new Session(processSurroundings);

export const oauthClient = oauthClients(session);
export const projectAttachment = links(session, attachment);
export const runTrigger = links(session, trigger);
export const inboundRunTriggers = triggerSets(session, inboundSet);
export const outboundRunTriggers = triggerSets(session, outboundSet);
