/** The providers of one process as the SDK's provider program has them, with an environment of their own. */
import { LinkProvider } from '../../provider/links';
import { OAuthClientProvider } from '../../provider/oauth-client';
import { Session } from '../../provider/session';
import { TriggerSetProvider } from '../../provider/trigger-sets';
import { projectAttachment } from '../../resources/project-attachment';
import { runTrigger } from '../../resources/run-trigger';

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
    OAuthClient: new OAuthClientProvider(session),
    ProjectAttachment: new LinkProvider(session, projectAttachment),
    RunTrigger: new LinkProvider(session, runTrigger),
    InboundRunTriggers: new TriggerSetProvider(session, 'inbound'),
    OutboundRunTriggers: new TriggerSetProvider(session, 'outbound'),
  };
}

export type Providers = ReturnType<typeof providersFor>;
