/** Declares the selected stack: connections, the projects that may use them, and triggers. */
import { declareConnections } from './connections';
import { readSettings } from './settings';
import { declareTriggers } from './triggers';

/** Declares everything, and returns the outputs of the stack. */
export function infra() {
  const settings = readSettings();
  const connections = declareConnections(settings);
  declareTriggers(settings);
  return {
    // Enter this URL at the VCS provider. Then open the connect path once to finish connecting.
    githubCallback: connections.github.callbackUrl,
    githubConnect: connections.github.connectPath,
    gitlabId: connections.gitlab.id,
  };
}
