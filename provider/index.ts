/** Entry point `tether-iac/provider`. Every state names these exports, so their names never change. */
import { inert, plain } from '../client/text';
import { findDefinition } from '../resources/registry';
import { LinkProvider } from './links';
import { OAuthClientProvider } from './oauth-client';
import { Session } from './session';
import { TriggerSetProvider } from './trigger-sets';

const environment = { variable: (name: string) => process.env[name], folder: () => process.cwd() };
const session = new Session(environment, (line) => void process.stdout.write(`${inert(plain(line))}\n`));

export const oauthClient = new OAuthClientProvider(session);
export const projectAttachment = new LinkProvider(session, findDefinition('ProjectAttachment'));
export const runTrigger = new LinkProvider(session, findDefinition('RunTrigger'));
export const inboundRunTriggers = new TriggerSetProvider(session, 'inbound');
export const outboundRunTriggers = new TriggerSetProvider(session, 'outbound');
