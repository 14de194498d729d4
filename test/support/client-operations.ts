/** Every operation of the client, with a fitting response. All but the creates may be repeated after a lost response. */
import type { Api } from '../../client/api';
import { empty, json, type Reply } from './scripted-server';
import { oauthClientResource, pageDocument, runTriggerResource } from './wire-documents';

export interface ClientOperation {
  readonly call: (api: Api) => Promise<unknown>;
  readonly good: Reply;
}

/** The smallest valid create of an OAuth client. */
export const leastOAuthClient = {
  serviceProvider: 'provider_a',
  httpUrl: 'https://a.test',
  apiUrl: 'https://b.test',
};

const client = { data: oauthClientResource('oc-1') };

type Endpoints = Pick<Api, 'oauthClients' | 'runTriggers' | 'names'>;

/** The names of all operations, such as `oauthClients.list`. A new one does not compile until it has an entry here. */
type OperationName = {
  [Endpoint in keyof Endpoints]: `${Endpoint}.${string & keyof Endpoints[Endpoint]}`;
}[keyof Endpoints];

const affected = { 'affected-workspaces': ['app'], 'affected-workspaces-count': 1 };

export const clientOperations: Readonly<Record<OperationName, ClientOperation>> = {
  'oauthClients.list': { call: (api) => api.oauthClients.list('acme'), good: json(200, { data: [] }) },
  'oauthClients.read': { call: (api) => api.oauthClients.read('oc-1'), good: json(200, client) },
  'oauthClients.affectedWorkspaces': {
    call: (api) => api.oauthClients.affectedWorkspaces('oc-1'),
    good: json(200, {
      data: { ...client.data, attributes: { ...client.data.attributes, ...affected } },
    }),
  },
  'oauthClients.create': {
    call: (api) => api.oauthClients.create('acme', leastOAuthClient),
    good: json(201, client),
  },
  'oauthClients.update': {
    call: (api) => api.oauthClients.update('oc-1', { name: 'n' }),
    good: json(200, client),
  },
  'oauthClients.delete': { call: (api) => api.oauthClients.delete('oc-1'), good: empty },
  'oauthClients.attach': { call: (api) => api.oauthClients.attach('oc-1', ['prj-1']), good: empty },
  'oauthClients.detach': { call: (api) => api.oauthClients.detach('oc-1', ['prj-1']), good: empty },
  'runTriggers.list': {
    call: (api) => api.runTriggers.list('ws-app', 'inbound'),
    good: json(200, pageDocument([])),
  },
  'runTriggers.read': {
    call: (api) => api.runTriggers.read('rt-1'),
    good: json(200, { data: runTriggerResource('rt-1') }),
  },
  'runTriggers.create': {
    call: (api) => api.runTriggers.create('ws-app', 'ws-network'),
    good: json(201, { data: runTriggerResource('rt-1') }),
  },
  'runTriggers.delete': { call: (api) => api.runTriggers.delete('rt-1'), good: empty },
  'names.list': { call: (api) => api.names.list('acme', 'workspaces'), good: json(200, pageDocument([])) },
  'names.search': {
    call: (api) => api.names.search('acme', 'projects', 'payments'),
    good: json(200, pageDocument([])),
  },
};
