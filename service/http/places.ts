// Projects and workspaces: their resources, and lists of them by name, which a profile may have beyond the API text.

import { list, object, type Schema, text } from '../schema';
import type { ProjectRecord, WorkspaceRecord } from '../store/records';
import type { World } from '../world';
import { documentOf, type Operation } from './operation';
import { pageOf, pagingMembers, pagingQuery } from './paging';

/** The resource of a project. The API text shows no more than its id and type. */
export function projectResource({ id, name, organization }: ProjectRecord) {
  return {
    id,
    type: 'projects',
    attributes: { name },
    relationships: { organization: { data: { id: organization, type: 'organizations' } } },
  };
}

/** The resource of a workspace. The API text shows no more than its id and type. */
export function workspaceResource({ id, name, organization, projectId }: WorkspaceRecord) {
  return {
    id,
    type: 'workspaces',
    attributes: { name },
    relationships: {
      organization: { data: { id: organization, type: 'organizations' } },
      project: { data: projectId === null ? null : { id: projectId, type: 'projects' } },
    },
  };
}

const resource = object({
  id: text,
  type: { enum: ['projects', 'workspaces'] },
  attributes: object({ name: text }),
});
const searchQuery: Record<string, Schema> = {
  'search[name]': { type: 'string', description: 'Only names that contain this text.' },
};
const namesQuery: Record<string, Schema> = {
  'filter[names]': { type: 'string', description: 'Only these names, separated by commas.' },
};

/** The lookups, where the profile has them; none otherwise. */
export function lookupOperations(world: World): Operation[] {
  const { behaviours, profile } = world;
  if (!profile.capabilities.lookupByName) return [];
  const lookup = {
    method: 'GET',
    answer: documentOf(list(resource), [], pagingMembers),
  } as const;
  return [
    {
      ...lookup,
      id: 'listWorkspaces',
      summary: 'List the workspaces of an organization that the caller may read',
      path: '/organizations/:organization_name/workspaces',
      query: { ...pagingQuery(behaviours), ...searchQuery },
      run: (call) => {
        const { name: organization } = call.access.organization(call.parameter);
        const part = String(call.accepted().query['search[name]'] ?? '');
        const found = world.store
          .list('workspaces', 'organization', organization)
          .filter((workspace) => workspace.name.includes(part) && call.access.readsRuns(workspace.id));
        const { items, members } = pageOf(world, call, found);
        return { data: items.map(workspaceResource), ...members };
      },
    },
    {
      ...lookup,
      id: 'listProjects',
      summary: 'List the projects of an organization',
      path: '/organizations/:organization_name/projects',
      query: { ...pagingQuery(behaviours), ...namesQuery },
      run: (call) => {
        const { name: organization } = call.access.organization(call.parameter);
        const names = call.accepted().query['filter[names]'];
        const asked = typeof names === 'string' ? new Set(names.split(',')) : undefined;
        const found = world.store
          .list('projects', 'organization', organization)
          .filter(({ name }) => asked === undefined || asked.has(name));
        const { items, members } = pageOf(world, call, found);
        return { data: items.map(projectResource), ...members };
      },
    },
  ];
}
