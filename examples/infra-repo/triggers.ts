/** What triggers what: layers from a table, exact sets where a list is wholly ours, and the web team's own manifest. */
import * as tether from 'tether-iac/pulumi';
import type { Settings, Workspace } from './settings';

/** A run of any workspace in a layer triggers all of the next. */
const layers: readonly (readonly Workspace[])[] = [['network'], ['cluster', 'database'], ['app']];

/** Exactly these set off the jobs. */
const jobSources: readonly Workspace[] = ['app', 'database'];

/** Exactly these are set off by DNS. */
const dnsTargets: readonly Workspace[] = ['web'];

export function declareTriggers({ workspaces, organization }: Settings): void {
  for (const [index, targets] of layers.slice(1).entries()) {
    for (const source of layers[index] ?? []) {
      for (const target of targets) {
        new tether.RunTrigger(`${source}-to-${target}`, {
          workspaceId: workspaces[target],
          sourceableId: workspaces[source],
        });
      }
    }
  }
  new tether.InboundRunTriggers('jobs', {
    workspaceId: workspaces.jobs,
    sourceableIds: jobSources.map((name) => workspaces[name]),
  });
  new tether.OutboundRunTriggers('dns', {
    sourceableId: workspaces.dns,
    workspaceIds: dnsTargets.map((name) => workspaces[name]),
  });
  new tether.Manifest('web', { path: `web/${organization}.tether.yaml` });
}
