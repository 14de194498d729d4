/** Projects, workspaces and agent pools. Some profiles have lists of them, which the API text does not mention. */
import type { Access } from '../rules/access';
import { string } from '../schema';
import type { PlaceRecord, Tables, WorkspaceRecord } from '../store';
import type { World } from '../world';
import { type Operation, operation, relationTo } from './operation';
import { cutPage, pagingQuery } from './paging';

// The API text shows only their id and type.
export function projectResource({ id, name, organization }: PlaceRecord) {
  const relationships = { organization: relationTo('organizations', organization) };
  return { id, type: 'projects', attributes: { name }, relationships };
}

export function workspaceResource({ id, name, organization, projectId }: WorkspaceRecord) {
  const relationships = {
    organization: relationTo('organizations', organization),
    project: relationTo('projects', projectId),
  };
  return { id, type: 'workspaces', attributes: { name }, relationships };
}

function agentPoolResource({ id, name }: PlaceRecord) {
  return { id, type: 'agent-pools', attributes: { name } };
}

export function lookupOperations(world: World): Operation[] {
  if (!world.profile.capabilities.lookupByName) return [];
  const lookup = <Table extends 'workspaces' | 'projects' | 'agentPools'>(
    table: Table,
    type: string,
    parameter: string,
    matches: (place: Tables[Table], text: string, access: Access) => boolean,
    toResource: (place: Tables[Table]) => object,
  ) =>
    operation({
      id: `list-${type}`,
      method: 'GET',
      path: `/organizations/:organization_name/${type}`,
      query: { ...pagingQuery(world.behaviours), [parameter]: string },
      responseType: type,
      isList: true,
      find: (access, name) => access.organization(name),
      run: ({ name }, call) => {
        const text = String(call.query[parameter] ?? '');
        const all = world.store.list(table, 'organization', name);
        const matching = all.filter((place) => matches(place, text, call.access));
        const { items, members } = cutPage(world, call, matching);
        return { data: items.map(toResource), ...members };
      },
    });
  const contains = ({ name }: PlaceRecord, part: string) => name.toLowerCase().includes(part.toLowerCase());
  const isReadable = (workspace: WorkspaceRecord, part: string, access: Access) =>
    contains(workspace, part) && access.readsRuns(workspace.id);
  return [
    lookup('workspaces', 'workspaces', 'search[name]', isReadable, workspaceResource),
    lookup('projects', 'projects', 'q', contains, projectResource),
    lookup('agentPools', 'agent-pools', 'q', contains, agentPoolResource),
  ];
}
