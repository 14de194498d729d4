/** Things that other services make and that fields name by id: what their ids begin with and what their aliases are called. */

export interface ExternalKind {
  /** For people: `agent pool`. */
  readonly noun: string;
  /** What the API's ids begin with, before the dash. */
  readonly prefix: string;
  /** Member of a manifest's `aliases` that names such ids. */
  readonly aliases: 'workspaces' | 'projects' | 'agentPools';
}

/** By the name a field's `refersTo` uses; kinds of the registry are not in here. */
export const externalKinds: Readonly<Record<'workspace' | 'project' | 'agentPool', ExternalKind>> = {
  workspace: { noun: 'workspace', prefix: 'ws', aliases: 'workspaces' },
  project: { noun: 'project', prefix: 'prj', aliases: 'projects' },
  agentPool: { noun: 'agent pool', prefix: 'apool', aliases: 'agentPools' },
};

/** The external kind a field refers to; undefined for an organization or a kind of the registry. */
export function externalKind(refersTo: string): ExternalKind | undefined {
  return Object.hasOwn(externalKinds, refersTo)
    ? externalKinds[refersTo as keyof typeof externalKinds]
    : undefined;
}
