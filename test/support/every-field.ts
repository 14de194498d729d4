/** One Pulumi resource for each field of each kind, with two values of it: what the matrix of tests on the engine is made of. */
import type { Input } from '@pulumi/pulumi';
import {
  InboundRunTriggers,
  OAuthClient,
  type OAuthClientArgs,
  OutboundRunTriggers,
  ProjectAttachment,
  RunTrigger,
} from '../../provider/pulumi';
import { inboundSet, outboundSet } from '../../provider/resource-types';
import { definitionOf, type Field } from '../../resources/kind';
import { registry } from '../../resources/registry';
import type { SeedObject } from '../../service';
import { besideClientValue, clientValues } from './client-values';

/** Fields by kind, from the definitions. */
export const fieldsByKind: Readonly<Record<string, Readonly<Record<string, Field>>>> = {
  OAuthClient: definitionOf('OAuthClient', registry).fields,
  ProjectAttachment: definitionOf('ProjectAttachment', registry).fields,
  RunTrigger: definitionOf('RunTrigger', registry).fields,
  InboundRunTriggers: inboundSet.fields,
  OutboundRunTriggers: outboundSet.fields,
};

/** Both values of every field; the two clients are those that attachments are for. */
export const valuesByKind = {
  OAuthClient: clientValues,
  ProjectAttachment: {
    oauthClientId: [
      { oauthClientId: 'one', projectId: 'prj-1' },
      { oauthClientId: 'two', projectId: 'prj-1' },
    ],
    projectId: [
      { oauthClientId: 'one', projectId: 'prj-2' },
      { oauthClientId: 'one', projectId: 'prj-3' },
    ],
  },
  RunTrigger: {
    workspaceId: [
      { workspaceId: 'ws-1', sourceableId: 'ws-2' },
      { workspaceId: 'ws-3', sourceableId: 'ws-2' },
    ],
    sourceableId: [
      { workspaceId: 'ws-1', sourceableId: 'ws-4' },
      { workspaceId: 'ws-1', sourceableId: 'ws-5' },
    ],
  },
  InboundRunTriggers: {
    workspaceId: [
      { workspaceId: 'ws-6', sourceableIds: ['ws-7'] },
      { workspaceId: 'ws-8', sourceableIds: ['ws-7'] },
    ],
    sourceableIds: [
      { workspaceId: 'ws-9', sourceableIds: ['ws-10'] },
      { workspaceId: 'ws-9', sourceableIds: ['ws-10', 'ws-11'] },
    ],
  },
  OutboundRunTriggers: {
    sourceableId: [
      { sourceableId: 'ws-12', workspaceIds: ['ws-13'] },
      { sourceableId: 'ws-14', workspaceIds: ['ws-13'] },
    ],
    workspaceIds: [
      { sourceableId: 'ws-15', workspaceIds: ['ws-16'] },
      { sourceableId: 'ws-15', workspaceIds: ['ws-16', 'ws-17'] },
    ],
  },
} as const;

const names = (prefix: string, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}-${index + 1}`, {}]));

/** The service that has all of these; profile `hcp-terraform`, whose clients take every field. */
export const everyFieldSeed: SeedObject = {
  organizations: {
    acme: {
      agentPools: { 'apool-dmz': {}, 'apool-lab': {} },
      projects: names('prj', 3),
      workspaces: names('ws', 17),
    },
    other: {},
  },
  tokens: { 'owner-token': { acme: 'owner', other: 'owner' } },
};

/** What a test adds to the clients by their names, and how each field's value is given; as it is when left out. */
export interface Manner {
  readonly more?: (name: string) => Partial<OAuthClientArgs>;
  readonly give?: <Value>(value: Value) => Input<Value>;
}

/** The arguments of the client that is about the field. */
export function clientArgs(field: string, value: unknown): OAuthClientArgs {
  return {
    organization: 'acme',
    name: `c-${field}`,
    serviceProvider: 'github',
    httpUrl: 'https://git.example.com',
    apiUrl: 'https://git.example.com/api',
    deletionProtection: false,
    ...besideClientValue[field],
    [field]: value,
  };
}

/** Declares all of them, with the first or the second value of their field. */
export function declareEveryField(which: 0 | 1, { more = () => ({}), give = (value) => value }: Manner = {}) {
  const shared = (name: string) =>
    new OAuthClient(name, { ...clientArgs('name', name), organizationScoped: false, ...more(name) });
  const clients = { one: shared('one'), two: shared('two') };
  for (const [field, values] of Object.entries(valuesByKind.OAuthClient)) {
    new OAuthClient(field, { ...clientArgs(field, give(values[which])), ...more(field) });
  }
  for (const [field, values] of Object.entries(valuesByKind.ProjectAttachment)) {
    const { oauthClientId, projectId } = values[which];
    new ProjectAttachment(field, { oauthClientId: clients[oauthClientId].id, projectId: give(projectId) });
  }
  for (const [field, values] of Object.entries(valuesByKind.RunTrigger)) {
    const { workspaceId, sourceableId } = values[which];
    new RunTrigger(field, { workspaceId: give(workspaceId), sourceableId: give(sourceableId) });
  }
  for (const [field, values] of Object.entries(valuesByKind.InboundRunTriggers)) {
    const { workspaceId, sourceableIds } = values[which];
    new InboundRunTriggers(field, { workspaceId: give(workspaceId), sourceableIds: give(sourceableIds) });
  }
  for (const [field, values] of Object.entries(valuesByKind.OutboundRunTriggers)) {
    const { sourceableId, workspaceIds } = values[which];
    new OutboundRunTriggers(field, { sourceableId: give(sourceableId), workspaceIds: give(workspaceIds) });
  }
}
