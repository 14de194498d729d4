// Lists of workspaces and projects by name: an ability beyond the API text that a profile may have.

import { ordered } from '../rules/list-order';
import type { World } from '../rules/world';
import type { Operation, Schema } from './operation';
import { pageOf } from './paging';
import { projectResource, workspaceResource } from './place-document';
import { pagingQuery } from './request-schemas';
import { placeListDocument } from './response-schemas';

const searchQuery: Record<string, Schema> = {
  'search[name]': { type: 'string', description: 'Only names that contain this text.' },
};
const namesQuery: Record<string, Schema> = {
  'filter[names]': { type: 'string', description: 'Only these names, separated by commas.' },
};

// Places have no age here, so lists of them are by id.
const timeless = { createdAt: '' };

/** The lookups, where the profile has them; none otherwise. */
export function lookupOperations({ behaviours, profile }: World): Operation[] {
  if (!profile.capabilities.lookupByName) return [];
  const tag = 'Lookups';
  const success = { status: 200, body: placeListDocument } as const;
  const refusals = [400, 404, ...(behaviours['page-size-over'] === '422' ? [422 as const] : [])] as const;
  return [
    {
      id: 'listWorkspaces',
      summary: 'List the workspaces of an organization that the caller may read',
      tag,
      method: 'GET',
      path: '/organizations/:organization_name/workspaces',
      query: { ...pagingQuery(behaviours), ...searchQuery },
      success,
      refusals,
      run: (world, call) => {
        const { name: organization } = call.access.organization(call.params.organization_name);
        const { query } = call.accepted();
        const wanted = String(query['search[name]'] ?? '');
        const found = world.store
          .list('workspaces', 'organization', organization)
          .filter((workspace) => workspace.name.includes(wanted) && call.access.readsRuns(workspace));
        const places = ordered(
          world,
          found.map((workspace) => ({ ...workspace, ...timeless })),
        );
        const { items, members } = pageOf(world, call, query, places);
        return { data: items.map(workspaceResource), ...members };
      },
    },
    {
      id: 'listProjects',
      summary: 'List the projects of an organization',
      tag,
      method: 'GET',
      path: '/organizations/:organization_name/projects',
      query: { ...pagingQuery(behaviours), ...namesQuery },
      success,
      refusals,
      run: (world, call) => {
        const { name: organization } = call.access.organization(call.params.organization_name);
        const { query } = call.accepted();
        const names = query['filter[names]'];
        const wanted = typeof names === 'string' ? new Set(names.split(',')) : undefined;
        const found = world.store
          .list('projects', 'organization', organization)
          .filter(({ name }) => wanted === undefined || wanted.has(name));
        const places = ordered(
          world,
          found.map((project) => ({ ...project, ...timeless })),
        );
        const { items, members } = pageOf(world, call, query, places);
        return { data: items.map(projectResource), ...members };
      },
    },
  ];
}
