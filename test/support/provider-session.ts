/** The providers of one process as the SDK's provider program has them, with an environment of their own. */
import { linkMethods, projectAttachmentType, runTriggerType } from '../../provider/links';
import { bindMethods } from '../../provider/methods';
import { oauthClientMethods, oauthClientType } from '../../provider/oauth-client';
import { Session } from '../../provider/session';
import { inboundType, outboundType, setMethods } from '../../provider/trigger-sets';

/** By their kind: the five providers of one session, and the lines that it printed. */
export function providersFor(address: string, config: Readonly<Record<string, string>> = {}) {
  const printed: string[] = [];
  const environment = { variable: () => undefined, folder: () => __dirname };
  const session = new Session(environment, (line) => printed.push(line));
  const settings: Readonly<Record<string, string>> = {
    'tether:address': address,
    'tether:token': 'owner-token',
    'tether:rate': '100000',
    ...config,
  };
  const get = (name: string) => settings[name];
  session.configure({ config: { get, require: (name) => get(name) ?? '' } });
  return {
    session,
    printed,
    OAuthClient: bindMethods(session, oauthClientType, oauthClientMethods),
    ProjectAttachment: bindMethods(session, projectAttachmentType, linkMethods),
    RunTrigger: bindMethods(session, runTriggerType, linkMethods),
    InboundRunTriggers: bindMethods(session, inboundType, setMethods),
    OutboundRunTriggers: bindMethods(session, outboundType, setMethods),
  };
}

export type Providers = ReturnType<typeof providersFor>;
