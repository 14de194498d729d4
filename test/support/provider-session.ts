/** The providers of one process as the SDK's provider program has them, with an environment of their own. */
import { links } from '../../provider/links';
import { oauthClients } from '../../provider/oauth-client';
import { Session } from '../../provider/session';
import { triggerSets } from '../../provider/trigger-sets';
import { projectAttachment } from '../../resources/project-attachment';
import { runTrigger } from '../../resources/run-trigger';

/** By their kind: the five providers of one session, and the lines that it showed. */
export function providersFor(address: string, config: Readonly<Record<string, string>> = {}) {
  const said: string[] = [];
  const session = new Session({
    variable: () => undefined,
    folder: () => __dirname,
    say: (line) => said.push(line),
  });
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
    said,
    OAuthClient: oauthClients(session),
    ProjectAttachment: links(session, projectAttachment),
    RunTrigger: links(session, runTrigger),
    InboundRunTriggers: triggerSets(session, 'workspaceId', 'sourceableId'),
    OutboundRunTriggers: triggerSets(session, 'sourceableId', 'workspaceId'),
  };
}

export type Providers = ReturnType<typeof providersFor>;
