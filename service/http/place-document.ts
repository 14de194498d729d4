// Writes projects and workspaces as JSON API resources.

import type { ProjectRecord, WorkspaceRecord } from '../store/records';

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
