/** What the stack that is selected consists of: connections, who may use them, and what triggers what. */
import { declareConnections } from './connections';
import { readSettings } from './settings';
import { declareTriggers } from './triggers';

/** Declares everything; returns the outputs of the stack. */
export function infra() {
  const settings = readSettings();
  const connections = declareConnections(settings);
  declareTriggers(settings);
  return {
    // The URL to enter at the VCS provider, and the path a person opens once to finish connecting.
    githubCallback: connections.github.callbackUrl,
    githubConnect: connections.github.connectPath,
    gitlabId: connections.gitlab.id,
  };
}
