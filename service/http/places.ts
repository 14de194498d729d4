// Projects, workspaces and agent pools, and lists of them, which a profile may have beyond the API text.

import type { Access } from '../rules/access';
import { choice, list, object, string } from '../schema';
import type { ProjectRecord, WorkspaceRecord } from '../store/records';
import type { World } from '../world';
import { documentOf, type Operation, operation, relationTo } from './operation';
import { pageOf, pagingMembers, pagingQuery } from './paging';

// The API text shows no more of either than id and type.
export function projectResource({ id, name, organization }: ProjectRecord) {
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

const resource = object({
  id: string,
  type: choice('projects', 'workspaces', 'agent-pools'),
  attributes: object({ name: string }),
});

export function lookupOperations(world: World): Operation[] {
  const { behaviours, profile, store } = world;
  if (!profile.capabilities.lookupByName) return [];
  const lookup = <Place extends { name: string }>(
    what: string,
    id: string,
    [parameter, description]: readonly [string, string],
    found: (organization: string, asked: string, access: Access) => Place[],
    resourceOf: (place: Place) => object,
  ) =>
    operation({
      id,
      method: 'GET',
      path: `/organizations/:organization_name/${what}`,
      query: { ...pagingQuery(behaviours), [parameter]: { ...string, description } },
      answer: documentOf(list(resource), [], pagingMembers),
      find: (access, name) => access.organization(name),
      run: ({ name }, call) => {
        const all = found(name, String(call.query[parameter] ?? ''), call.access);
        const { items, members } = pageOf(world, call, all);
        return { data: items.map(resourceOf), ...members };
      },
    });
  const containing = 'Only names that contain this text.';
  return [
    lookup(
      'workspaces',
      'listWorkspaces',
      ['search[name]', containing],
      (of, part, access) =>
        store
          .list('workspaces', 'organization', of)
          .filter(({ id, name }) => name.includes(part) && access.readsRuns(id)),
      workspaceResource,
    ),
    lookup(
      'projects',
      'listProjects',
      ['filter[names]', 'Only these names, separated by commas.'],
      (of, names) =>
        store
          .list('projects', 'organization', of)
          .filter(({ name }) => names === '' || names.split(',').includes(name)),
      projectResource,
    ),
    lookup(
      'agent-pools',
      'listAgentPools',
      ['q', containing],
      (of, part) => store.list('agentPools', 'organization', of).filter(({ name }) => name.includes(part)),
      ({ id, name }) => ({ id, type: 'agent-pools', attributes: { name } }),
    ),
  ];
}
