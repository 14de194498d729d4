/** Reads the stack's configuration with types. */
import { Config, type Output } from '@pulumi/pulumi';

/** Names of workspaces. The API only uses their ids. */
export type Workspace = 'network' | 'dns' | 'cluster' | 'database' | 'app' | 'jobs' | 'web';

export interface Settings {
  readonly organization: string;
  readonly protectClients: boolean;
  readonly workspaces: Readonly<Record<Workspace, string>>;
  readonly projects: Readonly<Record<'payments' | 'web', string>>;
  /** A secret of the stack, set with `pulumi config set --secret githubToken`. */
  readonly githubToken: Output<string>;
  readonly gitlabToken: Output<string>;
}

export function readSettings(): Settings {
  const config = new Config();
  return {
    organization: config.require('organization'),
    protectClients: config.requireBoolean('protectClients'),
    workspaces: config.requireObject('workspaces'),
    projects: config.requireObject('projects'),
    githubToken: config.requireSecret('githubToken'),
    gitlabToken: config.requireSecret('gitlabToken'),
  };
}
