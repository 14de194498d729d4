/** Entry point `tether-iac/provider`. Every state names these exports, so their names never change. */
import { inert } from '../client/text';
import { linkMethods, projectAttachmentType, runTriggerType } from './links';
import { bindMethods } from './methods';
import { oauthClientMethods, oauthClientType } from './oauth-client';
import { Session } from './session';
import { inboundType, outboundType, setMethods } from './trigger-sets';

const environment = { variable: (name: string) => process.env[name], folder: () => process.cwd() };
const session = new Session(environment, (line) => void process.stdout.write(`${inert(line)}\n`));

export const oauthClient = bindMethods(session, oauthClientType, oauthClientMethods);
export const projectAttachment = bindMethods(session, projectAttachmentType, linkMethods);
export const runTrigger = bindMethods(session, runTriggerType, linkMethods);
export const inboundRunTriggers = bindMethods(session, inboundType, setMethods);
export const outboundRunTriggers = bindMethods(session, outboundType, setMethods);
