// Projects, workspaces and agent pools, and lists of them, which a profile may have beyond the API text.

import type { Access } from '../rules/access';
import { string } from '../schema';
import type { PlaceRecord, Tables, WorkspaceRecord } from '../store';
import type { World } from '../world';
import { type Operations, operation, relationTo } from './operation';
import { pageOf, pagingQuery } from './paging';

// The API text shows no more of either than id and type.
export function projectResource({ id, name, organization }: PlaceRecord) {
  return {
    id,
    type: 'projects',
    attributes: { name },
    relationships: { organization: relationTo('organizations', organization) },
  };
}

export function workspaceResource({ id, name, organization, projectId }: WorkspaceRecord) {
  return {
    id,
    type: 'workspaces',
    attributes: { name },
    relationships: {
      organization: relationTo('organizations', organization),
      project: relationTo('projects', projectId),
    },
  };
}

export function lookupOperations(world: World): Operations {
  const { behaviours, profile, store } = world;
  if (!profile.capabilities.lookupByName) return {};
  const lookup = <Table extends 'workspaces' | 'projects' | 'agentPools'>(
    [table, what]: readonly [Table, string],
    [parameter, description]: readonly [string, string],
    matches: (place: Tables[Table], asked: string, access: Access) => boolean,
    resourceOf: (place: Tables[Table]) => object,
  ) =>
    operation({
      method: 'GET',
      path: `/organizations/:organization_name/${what}`,
      query: { ...pagingQuery(behaviours), [parameter]: { ...string, description } },
      answer: what,
      isList: true,
      find: (access, name) => access.organization(name),
      run: ({ name }, call) => {
        const asked = String(call.query[parameter] ?? '');
        const all = store.list(table, 'organization', name);
        const found = all.filter((place) => matches(place, asked, call.access));
        const { items, members } = pageOf(world, call, found);
        return { data: items.map(resourceOf), ...members };
      },
    });
  const containing = 'Only names that contain this text.';
  return {
    listWorkspaces: lookup(
      ['workspaces', 'workspaces'],
      ['search[name]', containing],
      ({ id, name }, part, access) => name.includes(part) && access.readsRuns(id),
      workspaceResource,
    ),
    listProjects: lookup(
      ['projects', 'projects'],
      ['filter[names]', 'Only these names, separated by commas.'],
      ({ name }, names) => names === '' || names.split(',').includes(name),
      projectResource,
    ),
    listAgentPools: lookup(
      ['agentPools', 'agent-pools'],
      ['q', containing],
      ({ name }, part) => name.includes(part),
      ({ id, name }) => ({ id, type: 'agent-pools', attributes: { name } }),
    ),
  };
}
