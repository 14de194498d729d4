/** A made-up fourth kind with a list of its own, as CONTRIBUTING.md tells to add one: its calls and its definition are all it is. */
import type { Api, Holding, Members, Perform, ReadApi } from '../../client/api';
import { deletion, readMembers, readResource, writeMembers } from '../../client/json-api';
import { createListReader } from '../../client/pages';
import {
  byAge,
  type Found,
  type Key,
  type ListRef,
  partOf,
  type ResourceDefinition,
} from '../../resources/kind';

const type = 'project-grants';

const members = {
  createdAt: { wire: 'created-at', shown: 'string' },
  workspaceId: { wire: 'workspace', shown: 'id' },
  projectId: { wire: 'project', shown: 'id', create: 'id', type: 'projects' },
} as const satisfies Members;

interface Grant extends Holding<typeof members, 'shown'> {
  readonly id: string;
}

/** Its endpoints. */
export function projectGrants(perform: Perform) {
  const one = (document: unknown): Grant => readMembers(readResource(document, type), members);
  const ofWorkspace = (workspaceId: string) => ['workspaces', workspaceId, type];
  return {
    list: (workspaceId: string): Promise<readonly Grant[]> =>
      createListReader(perform)({
        path: ofWorkspace(workspaceId),
        type,
        item: (resource) => readMembers(resource, members),
      }),
    read: (id: string): Promise<Grant> => perform({ method: 'GET', path: [type, id], read: one }),
    create: (workspaceId: string, projectId: string): Promise<Grant> =>
      perform({
        method: 'POST',
        path: ofWorkspace(workspaceId),
        ...writeMembers({ type }, members, { projectId }),
        read: one,
      }),
    delete: (id: string): Promise<void> => perform(deletion([type, id])),
  };
}

function grantsOf(workspaceId: string): ListRef<Grant> {
  return {
    name: `project grants of ${workspaceId}`,
    owner: `workspace ${workspaceId}`,
    type: 'project-grants',
    read: (api) => projectGrants(api.perform).list(workspaceId),
    readItem: (api, id) => projectGrants(api.perform).read(id),
  };
}

function found({ id, createdAt, workspaceId, projectId }: Grant): Found {
  return { id, values: { workspaceId, projectId }, outputs: { createdAt } };
}

function find(grants: readonly Grant[], key: Key): readonly Found[] {
  return grants
    .filter(({ projectId }) => key.projectId === undefined || key.projectId === projectId)
    .map(found)
    .sort(byAge);
}

async function create(api: Api, key: Key): Promise<Found> {
  const [workspaceId, projectId] = [partOf(key, 'workspaceId'), partOf(key, 'projectId')];
  return found(await projectGrants(api.perform).create(workspaceId, projectId));
}

export const projectGrant: ResourceDefinition = {
  kind: 'ProjectGrant',
  title: 'Project grants',
  doc: 'Workspaces of the project may read the state of the workspace.',
  idPrefix: 'grant',
  section: {
    name: 'projectGrants',
    form: 'links',
    ends: [
      { field: 'workspaceId', singular: 'workspace', plural: 'workspaces' },
      { field: 'projectId', singular: 'project', plural: 'projects' },
    ],
  },
  fields: {
    workspaceId: {
      type: 'string',
      doc: 'Whose state.',
      onChange: 'replace',
      required: true,
      refersTo: 'workspace',
      manifestName: 'workspace',
    },
    projectId: {
      type: 'string',
      doc: 'Who may read it.',
      onChange: 'replace',
      required: true,
      refersTo: 'project',
      manifestName: 'project',
    },
  },
  outputs: { createdAt: { type: 'string', doc: 'When it was made.' } },
  pair: ['workspaceId', 'projectId'],
  listType: 'project-grants',
  listedIn: (key) => (key.workspaceId === undefined ? [] : [grantsOf(key.workspaceId)]),
  find,
  read: async (api: ReadApi, id) => found(await projectGrants(api.perform).read(id)),
  create,
  delete: (api, id) => projectGrants(api.perform).delete(id),
};
