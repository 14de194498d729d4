/** The exact bytes of every operation on OAuth clients. */

import assert from 'node:assert/strict';
import { answerOnce, client, proves, type WireCase, withoutNetwork } from '../support/exact-wire';
import { oauthClientDocument, oauthClientResource } from '../support/wire-documents';

const cases: readonly WireCase[] = [
  {
    name: 'lists OAuth clients without paging parameters',
    call: () => client.oauthClients.list('acme'),
    status: 200,
    document: { data: [oauthClientResource('oc-1'), oauthClientResource('oc-2')] },
    method: 'GET',
    path: '/api/v2/organizations/acme/oauth-clients',
    result: [oauthClientDocument('oc-1'), oauthClientDocument('oc-2')],
  },
  {
    name: 'reads an OAuth client',
    call: () => client.oauthClients.read('oc-1'),
    status: 200,
    document: { data: oauthClientResource('oc-1') },
    method: 'GET',
    path: '/api/v2/oauth-clients/oc-1',
    result: oauthClientDocument('oc-1'),
  },
  {
    name: 'asks which workspaces use an OAuth client',
    call: () => client.oauthClients.affectedWorkspaces('oc-1'),
    status: 200,
    document: {
      data: oauthClientResource('oc-1', {
        attributes: { 'affected-workspaces': ['app', 'docs'], 'affected-workspaces-count': 31 },
      }),
    },
    method: 'GET',
    path: '/api/v2/oauth-clients/oc-1?show_affected_workspaces=true',
    result: { count: 31, names: ['app', 'docs'], client: oauthClientDocument('oc-1') },
  },
  {
    name: 'creates an OAuth client with only what must be given',
    call: () =>
      client.oauthClients.create('acme', {
        serviceProvider: 'provider_a',
        httpUrl: 'https://git.example.com',
        apiUrl: 'https://git.example.com/api/v3',
      }),
    status: 201,
    document: { data: oauthClientResource('oc-1') },
    method: 'POST',
    path: '/api/v2/organizations/acme/oauth-clients',
    body: {
      data: {
        type: 'oauth-clients',
        attributes: {
          'service-provider': 'provider_a',
          'http-url': 'https://git.example.com',
          'api-url': 'https://git.example.com/api/v3',
        },
      },
    },
    result: oauthClientDocument('oc-1'),
  },
  {
    name: 'creates an OAuth client with everything',
    call: () =>
      client.oauthClients.create('acme', {
        serviceProvider: 'provider_c_server',
        name: null,
        key: 'key-1',
        httpUrl: 'https://git.example.com',
        apiUrl: 'https://git.example.com/api',
        secret: 'secret-1',
        privateKey: 'private-1',
        oauthTokenString: 'string-1',
        rsaPublicKey: 'public-1',
        organizationScoped: false,
        projectIds: ['prj-1', 'prj-2'],
        agentPoolId: 'apool-1',
      }),
    status: 201,
    document: { data: oauthClientResource('oc-1') },
    method: 'POST',
    path: '/api/v2/organizations/acme/oauth-clients',
    body: {
      data: {
        type: 'oauth-clients',
        attributes: {
          'service-provider': 'provider_c_server',
          name: null,
          key: 'key-1',
          'http-url': 'https://git.example.com',
          'api-url': 'https://git.example.com/api',
          secret: 'secret-1',
          'private-key': 'private-1',
          'oauth-token-string': 'string-1',
          'rsa-public-key': 'public-1',
          'organization-scoped': false,
        },
        relationships: {
          projects: {
            data: [
              { id: 'prj-1', type: 'projects' },
              { id: 'prj-2', type: 'projects' },
            ],
          },
          'agent-pool': { data: { id: 'apool-1', type: 'agent-pools' } },
        },
      },
    },
    result: oauthClientDocument('oc-1'),
  },
  {
    name: 'creates an OAuth client without agent pool by leaving it out',
    call: () =>
      client.oauthClients.create('acme', {
        serviceProvider: 'provider_a',
        httpUrl: 'h',
        apiUrl: 'a',
        projectIds: [],
        agentPoolId: null,
      }),
    status: 201,
    document: { data: oauthClientResource('oc-1') },
    method: 'POST',
    path: '/api/v2/organizations/acme/oauth-clients',
    body: {
      data: {
        type: 'oauth-clients',
        attributes: { 'service-provider': 'provider_a', 'http-url': 'h', 'api-url': 'a' },
        relationships: { projects: { data: [] } },
      },
    },
    result: oauthClientDocument('oc-1'),
  },
  {
    name: 'updates an OAuth client and clears what is null',
    call: () =>
      client.oauthClients.update('oc-1', {
        name: null,
        key: 'key-2',
        secret: 'secret-2',
        rsaPublicKey: 'public-2',
        oauthTokenString: 'string-2',
        organizationScoped: true,
        projectIds: [],
        agentPoolId: null,
      }),
    status: 200,
    document: { data: oauthClientResource('oc-1') },
    method: 'PATCH',
    path: '/api/v2/oauth-clients/oc-1',
    body: {
      data: {
        type: 'oauth-clients',
        id: 'oc-1',
        attributes: {
          name: null,
          key: 'key-2',
          secret: 'secret-2',
          'oauth-token-string': 'string-2',
          'rsa-public-key': 'public-2',
          'organization-scoped': true,
        },
        relationships: { projects: { data: [] }, 'agent-pool': { data: null } },
      },
    },
    result: oauthClientDocument('oc-1'),
  },
  {
    name: 'updates only the agent pool of an OAuth client',
    call: () => client.oauthClients.update('oc-1', { agentPoolId: 'apool-2' }),
    status: 200,
    document: { data: oauthClientResource('oc-1') },
    method: 'PATCH',
    path: '/api/v2/oauth-clients/oc-1',
    body: {
      data: {
        type: 'oauth-clients',
        id: 'oc-1',
        attributes: {},
        relationships: { 'agent-pool': { data: { id: 'apool-2', type: 'agent-pools' } } },
      },
    },
    result: oauthClientDocument('oc-1'),
  },
  {
    name: 'deletes an OAuth client',
    call: () => client.oauthClients.delete('oc-1'),
    status: 204,
    method: 'DELETE',
    path: '/api/v2/oauth-clients/oc-1',
    result: undefined,
  },
  {
    name: 'attaches projects to an OAuth client',
    call: () => client.oauthClients.attach('oc-1', ['prj-1', 'prj-2']),
    status: 204,
    method: 'POST',
    path: '/api/v2/oauth-clients/oc-1/relationships/projects',
    body: {
      data: [
        { id: 'prj-1', type: 'projects' },
        { id: 'prj-2', type: 'projects' },
      ],
    },
    result: undefined,
  },
  {
    name: 'detaches projects from an OAuth client, with a body on a DELETE',
    call: () => client.oauthClients.detach('oc-1', ['prj-1']),
    status: 204,
    method: 'DELETE',
    path: '/api/v2/oauth-clients/oc-1/relationships/projects',
    body: { data: [{ id: 'prj-1', type: 'projects' }] },
    result: undefined,
  },
  {
    name: 'encodes every part of a path that comes from outside',
    call: () => client.oauthClients.list('a/../b?c#d e%'),
    status: 200,
    document: { data: [] },
    method: 'GET',
    path: '/api/v2/organizations/a%2F..%2Fb%3Fc%23d%20e%25/oauth-clients',
    result: [],
  },
];

describe('OAuth clients on the wire', () => {
  withoutNetwork();

  for (const one of cases) proves(one);

  it('sends nothing when there is nothing to attach or detach', async () => {
    const sent = answerOnce(500);
    await client.oauthClients.attach('oc-1', []);
    await client.oauthClients.detach('oc-1', []);
    assert.deepEqual(sent, []);
  });
});
