/** Declares triggers: layers and single links from small tables, and exact sets for complete lists. */
import * as tether from 'tether-iac/pulumi';
import type { Settings, Workspace } from './settings';

/** A run of any workspace in a layer triggers all workspaces of the next layer. */
const layers: readonly (readonly Workspace[])[] = [['network'], ['cluster', 'database'], ['app']];

/** The web team's single links beside the layers. */
const links: readonly { readonly source: Workspace; readonly target: Workspace }[] = [
  { source: 'web', target: 'app' },
];

/** Exactly these workspaces trigger the jobs. */
const jobSources: readonly Workspace[] = ['app', 'database'];

/** DNS triggers exactly these workspaces. */
const dnsTargets: readonly Workspace[] = ['web'];

export function declareTriggers({ workspaces }: Settings): void {
  const betweenLayers = layers
    .slice(1)
    .flatMap((targets, index) =>
      targets.flatMap((target) => (layers[index] ?? []).map((source) => ({ source, target }))),
    );
  for (const { source, target } of [...betweenLayers, ...links]) {
    new tether.RunTrigger(`${source}-to-${target}`, {
      workspaceId: workspaces[target],
      sourceableId: workspaces[source],
    });
  }
  new tether.InboundRunTriggers('jobs', {
    workspaceId: workspaces.jobs,
    sourceableIds: jobSources.map((name) => workspaces[name]),
  });
  new tether.OutboundRunTriggers('dns', {
    sourceableId: workspaces.dns,
    workspaceIds: dnsTargets.map((name) => workspaces[name]),
  });
}
