/** The exact bytes of every operation on OAuth clients. */
import assert from 'node:assert/strict';
import { answerOnce, client, proves, type WireCase } from '../support/exact-wire';
import { offline } from '../support/offline';
import { oauthClientDocument, oauthClientResource } from '../support/wire-documents';

const one = '/api/v2/oauth-clients/oc-1';
const all = '/api/v2/organizations/acme/oauth-clients';
const urls = { httpUrl: 'https://git.example.com', apiUrl: 'https://git.example.com/api' };
const sentUrls = { 'http-url': urls.httpUrl, 'api-url': urls.apiUrl };
const links = (type: string, ...ids: string[]) => ({ data: ids.map((id) => ({ id, type })) });

const shown = { status: 200, document: { data: oauthClientResource('oc-1') } };
const answered = { ...shown, result: oauthClientDocument('oc-1') };
const created = { ...answered, status: 201, method: 'POST', path: all };
const patched = { ...answered, method: 'PATCH', path: one };
const done = { status: 204, result: undefined };

const cases: readonly WireCase[] = [
  {
    name: 'lists OAuth clients without paging parameters',
    call: () => client.oauthClients.list('acme'),
    status: 200,
    document: { data: [oauthClientResource('oc-1'), oauthClientResource('oc-2')] },
    method: 'GET',
    path: all,
    result: [oauthClientDocument('oc-1'), oauthClientDocument('oc-2')],
  },
  {
    ...answered,
    name: 'reads an OAuth client',
    call: () => client.oauthClients.read('oc-1'),
    method: 'GET',
    path: one,
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
    path: `${one}?show_affected_workspaces=true`,
    result: { count: 31, names: ['app', 'docs'], client: oauthClientDocument('oc-1') },
  },
  {
    ...created,
    name: 'creates an OAuth client with only what must be given',
    call: () => client.oauthClients.create('acme', { serviceProvider: 'provider_a', ...urls }),
    body: {
      data: { type: 'oauth-clients', attributes: { 'service-provider': 'provider_a', ...sentUrls } },
    },
  },
  {
    ...created,
    name: 'creates an OAuth client with everything',
    call: () =>
      client.oauthClients.create('acme', {
        ...{ serviceProvider: 'provider_c_server', name: null, key: 'key-1', ...urls },
        ...{ secret: 'secret-1', privateKey: 'private-1', oauthTokenString: 'string-1' },
        ...{ rsaPublicKey: 'public-1', organizationScoped: false },
        ...{ projectIds: ['prj-1', 'prj-2'], agentPoolId: 'apool-1' },
      }),
    body: {
      data: {
        type: 'oauth-clients',
        attributes: {
          ...{ 'service-provider': 'provider_c_server', name: null, key: 'key-1', ...sentUrls },
          ...{ secret: 'secret-1', 'private-key': 'private-1', 'oauth-token-string': 'string-1' },
          ...{ 'rsa-public-key': 'public-1', 'organization-scoped': false },
        },
        relationships: {
          projects: links('projects', 'prj-1', 'prj-2'),
          'agent-pool': { data: { id: 'apool-1', type: 'agent-pools' } },
        },
      },
    },
  },
  {
    ...created,
    name: 'creates an OAuth client without agent pool by leaving it out',
    call: () =>
      client.oauthClients.create('acme', {
        ...{ serviceProvider: 'provider_a', ...urls, projectIds: [], agentPoolId: null },
      }),
    body: {
      data: {
        type: 'oauth-clients',
        attributes: { 'service-provider': 'provider_a', ...sentUrls },
        relationships: { projects: { data: [] } },
      },
    },
  },
  {
    ...patched,
    name: 'updates an OAuth client and clears what is null',
    call: () =>
      client.oauthClients.update('oc-1', {
        ...{ name: null, key: 'key-2', secret: 'secret-2', rsaPublicKey: 'public-2' },
        ...{ oauthTokenString: 'string-2', organizationScoped: true, projectIds: [], agentPoolId: null },
      }),
    body: {
      data: {
        type: 'oauth-clients',
        id: 'oc-1',
        attributes: {
          ...{ name: null, key: 'key-2', secret: 'secret-2', 'oauth-token-string': 'string-2' },
          ...{ 'rsa-public-key': 'public-2', 'organization-scoped': true },
        },
        relationships: { projects: { data: [] }, 'agent-pool': { data: null } },
      },
    },
  },
  {
    ...patched,
    name: 'updates only the agent pool of an OAuth client',
    call: () => client.oauthClients.update('oc-1', { agentPoolId: 'apool-2' }),
    body: {
      data: {
        ...{ type: 'oauth-clients', id: 'oc-1', attributes: {} },
        relationships: { 'agent-pool': { data: { id: 'apool-2', type: 'agent-pools' } } },
      },
    },
  },
  {
    ...done,
    name: 'deletes an OAuth client',
    call: () => client.oauthClients.delete('oc-1'),
    method: 'DELETE',
    path: one,
  },
  {
    ...done,
    name: 'attaches projects to an OAuth client',
    call: () => client.oauthClients.attach('oc-1', ['prj-1', 'prj-2']),
    method: 'POST',
    path: `${one}/relationships/projects`,
    body: links('projects', 'prj-1', 'prj-2'),
  },
  {
    ...done,
    name: 'detaches projects from an OAuth client, with a body on a DELETE',
    call: () => client.oauthClients.detach('oc-1', ['prj-1']),
    method: 'DELETE',
    path: `${one}/relationships/projects`,
    body: links('projects', 'prj-1'),
  },
];

describe('OAuth clients on the wire', () => {
  offline();

  for (const exchange of cases) proves(exchange);

  it('sends nothing when there is nothing to attach or detach', async () => {
    const sent = answerOnce(500);
    await client.oauthClients.attach('oc-1', []);
    await client.oauthClients.detach('oc-1', []);
    assert.deepEqual(sent, []);
  });
});
