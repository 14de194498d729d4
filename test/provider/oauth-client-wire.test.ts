/** The exact requests of each method of the OAuth client's provider. */
import assert from 'node:assert/strict';
import { exchanging, newProviders, offline } from '../support/golden-exchange';
import { oauthClientResource } from '../support/wire-documents';

const list = '/organizations/acme/oauth-clients';
const resource = oauthClientResource('oc-1');
const inputs = {
  organization: 'acme',
  name: 'GitHub',
  serviceProvider: 'provider_a',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
  oauthTokenString: 'canary',
  organizationScoped: true,
  projectIds: ['prj-1'],
  agentPoolId: 'apool-1',
};
const state = {
  ...inputs,
  address: 'https://service.test/api/v2',
  createdAt: '2024-01-02T03:04:05.678Z',
  managed: 'name,oauthTokenString,organizationScoped,projectIds,agentPoolId',
};

describe('the requests for an OAuth client', () => {
  offline();

  it('are none for check and diff', async () => {
    const { OAuthClient } = newProviders();
    await exchanging([], () => OAuthClient.check({}, inputs));
    assert.deepEqual(await exchanging([], () => OAuthClient.diff('oc-1', state, inputs)), {
      replaces: [],
      changes: false,
    });
  });

  it('are a list and one POST for create', async () => {
    const body = {
      data: {
        type: 'oauth-clients',
        attributes: {
          name: 'GitHub',
          'service-provider': 'provider_a',
          'http-url': 'https://git.example.com',
          'api-url': 'https://git.example.com/api/v3',
          'oauth-token-string': 'canary',
          'organization-scoped': true,
        },
        relationships: {
          projects: { data: [{ id: 'prj-1', type: 'projects' }] },
          'agent-pool': { data: { id: 'apool-1', type: 'agent-pools' } },
        },
      },
    };
    const made = await exchanging(
      [
        { method: 'GET', path: list, status: 200, answer: { data: [] } },
        { method: 'POST', path: list, body, status: 201, answer: { data: resource } },
      ],
      () => newProviders().OAuthClient.create(inputs),
    );
    assert.equal(made.id, 'oc-1');
    assert.equal(made.outs?.callbackUrl, 'https://host.test/auth/oc-1/callback');
  });

  it('are one list for read, and a Show of what it lacks', async () => {
    const found = await exchanging(
      [{ method: 'GET', path: list, status: 200, answer: { data: [resource] } }],
      () => newProviders().OAuthClient.read('oc-1', state),
    );
    assert.deepEqual([found.id, found.inputs], ['oc-1', inputs]);
    const old = { ...state, createdAt: '2023-01-02T03:04:05.678Z' };
    const gone = await exchanging(
      [
        { method: 'GET', path: list, status: 200, answer: { data: [] } },
        { method: 'GET', path: '/oauth-clients/oc-1', status: 404, answer: { errors: [] } },
      ],
      () => newProviders().OAuthClient.read('oc-1', old),
    );
    assert.deepEqual(gone, {});
  });

  it('are a Show and one PATCH for update: what differs, and always the agent pool', async () => {
    const { OAuthClient } = newProviders();
    // A service may leave out whose client it is.
    const relationships = { organization: undefined };
    const shown = oauthClientResource('oc-1', { relationships });
    const renamed = oauthClientResource('oc-1', { relationships, attributes: { name: 'Renamed' } });
    const body = {
      data: {
        type: 'oauth-clients',
        id: 'oc-1',
        attributes: { name: 'Renamed', secret: 'canary' },
        relationships: { 'agent-pool': { data: { id: 'apool-1', type: 'agent-pools' } } },
      },
    };
    const news = { ...inputs, name: 'Renamed', secret: 'canary' };
    const updated = await exchanging(
      [
        { method: 'GET', path: '/oauth-clients/oc-1', status: 200, answer: { data: shown } },
        { method: 'PATCH', path: '/oauth-clients/oc-1', body, status: 200, answer: { data: renamed } },
      ],
      () => OAuthClient.update('oc-1', state, news),
    );
    assert.deepEqual([updated.outs?.name, updated.outs?.organization], ['Renamed', 'acme']);
  });

  it('are one DELETE for delete; where that answers 404, a Show and the list prove that it is gone', async () => {
    const { OAuthClient } = newProviders();
    const path = '/oauth-clients/oc-1';
    await exchanging([{ method: 'DELETE', path, status: 204 }], () => OAuthClient.delete('oc-1', state));
    const none = { status: 404, answer: { errors: [] } };
    const exchanges = [
      { method: 'DELETE', path, ...none },
      { method: 'GET', path, ...none },
      { method: 'GET', path: list, status: 200, answer: { data: [] } },
    ] as const;
    await exchanging(exchanges, () => OAuthClient.delete('oc-1', state));
  });
});
