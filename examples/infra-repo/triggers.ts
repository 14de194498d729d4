/** What triggers what: layers and single links from small tables, exact sets where a list is wholly ours. */
import * as tether from 'tether-iac/pulumi';
import type { Settings, Workspace } from './settings';

/** A run of any workspace in a layer triggers all of the next. */
const layers: readonly (readonly Workspace[])[] = [['network'], ['cluster', 'database'], ['app']];

/** Single links beside the layers: the web team's. */
const links: readonly { readonly source: Workspace; readonly target: Workspace }[] = [
  { source: 'web', target: 'app' },
];

/** Exactly these set off the jobs. */
const jobSources: readonly Workspace[] = ['app', 'database'];

/** Exactly these are set off by DNS. */
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
