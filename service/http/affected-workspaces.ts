// Tells which workspaces use a client: an ability beyond the API text that a profile may have.

import type { Profile } from '../profile';
import { workspacesUsing } from '../rules/oauth-clients';
import type { World } from '../rules/world';
import type { OAuthClientRecord } from '../store/records';
import type { Schema } from './operation';

/** The query parameter of Show that asks for it. */
export const affectedParameter = 'show_affected_workspaces';

const mostNames = 25;

/** The parameter's schema, where the profile has the ability. */
export function affectedQuery({ capabilities }: Profile): Record<string, Schema> {
  if (!capabilities.affectedWorkspaces) return {};
  return {
    [affectedParameter]: { enum: ['true', 'false'], description: 'Names the workspaces that use it.' },
  };
}

/** The resource with the names of at most 25 workspaces that use the client, and how many there are. */
export function withAffected<Resource extends { attributes: object }>(
  world: World,
  client: OAuthClientRecord,
  resource: Resource,
) {
  if (!world.profile.capabilities.affectedWorkspaces) return resource;
  const names = workspacesUsing(world, client).map(({ name }) => name);
  const affected = {
    'affected-workspaces': names.slice(0, mostNames),
    'affected-workspaces-count': names.length,
  };
  return { ...resource, attributes: { ...resource.attributes, ...affected } };
}
