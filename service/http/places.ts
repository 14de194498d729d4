// Projects and workspaces, and lists of them, which a profile may have beyond the API text.

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
  type: choice('projects', 'workspaces'),
  attributes: object({ name: string }),
});

export function lookupOperations(world: World): Operation[] {
  const { behaviours, profile, store } = world;
  if (!profile.capabilities.lookupByName) return [];
  const lookup = {
    method: 'GET',
    answer: documentOf(list(resource), [], pagingMembers),
    find: (access: Access, name: string) => access.organization(name),
  } as const;
  return [
    operation({
      ...lookup,
      id: 'listWorkspaces',
      summary: 'List the workspaces of an organization that the caller may read',
      path: '/organizations/:organization_name/workspaces',
      query: {
        ...pagingQuery(behaviours),
        'search[name]': { ...string, description: 'Only names that contain this text.' },
      },
      run: (organization, call) => {
        const part = String(call.query['search[name]'] ?? '');
        const found = store
          .list('workspaces', 'organization', organization.name)
          .filter(({ id, name }) => name.includes(part) && call.access.readsRuns(id));
        const { items, members } = pageOf(world, call, found);
        return { data: items.map(workspaceResource), ...members };
      },
    }),
    operation({
      ...lookup,
      id: 'listProjects',
      summary: 'List the projects of an organization',
      path: '/organizations/:organization_name/projects',
      query: {
        ...pagingQuery(behaviours),
        'filter[names]': { ...string, description: 'Only these names, separated by commas.' },
      },
      run: (organization, call) => {
        const names = call.query['filter[names]'];
        const found = store
          .list('projects', 'organization', organization.name)
          .filter(({ name }) => typeof names !== 'string' || names.split(',').includes(name));
        const { items, members } = pageOf(world, call, found);
        return { data: items.map(projectResource), ...members };
      },
    }),
  ];
}
