/** Entry point `tether-iac/provider`: what the engine's provider process loads. These names are in every state: they never change. */
import { links } from './links';
import { oauthClients } from './oauth-clients';
import { Session } from './session';
import { inboundSet, outboundSet } from './set-kinds';
import { sets } from './sets';
import { processSurroundings } from './surroundings';

const session = new Session(processSurroundings);

/** OAuth clients. */
export const oauthClient = oauthClients(session);
/** Single attachments of projects. */
export const projectAttachment = links(session, 'ProjectAttachment');
/** Single run triggers. */
export const runTrigger = links(session, 'RunTrigger');
/** All triggers into one workspace. */
export const inboundRunTriggers = sets(session, inboundSet);
/** All triggers out of one workspace. */
export const outboundRunTriggers = sets(session, outboundSet);
