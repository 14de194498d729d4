/** The exact requests by which no second OAuth client is made: adoption, refusal, replacement, a lost answer. */
import assert from 'node:assert/strict';
import { exchanging, newProviders, offline } from '../support/golden-exchange';
import { oauthClientResource } from '../support/wire-documents';

const list = '/organizations/acme/oauth-clients';
const none = { projects: { data: [] }, 'agent-pool': { data: null } };
const there = oauthClientResource('oc-1');
const inputs = {
  organization: 'acme',
  name: 'GitHub',
  serviceProvider: 'provider_a',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
};
const attributes = {
  name: 'GitHub',
  'service-provider': 'provider_a',
  'http-url': 'https://git.example.com',
  'api-url': 'https://git.example.com/api/v3',
};

describe('the requests that make no second OAuth client', () => {
  offline();

  it('are a Show and a PATCH of what differs for adoptId', async () => {
    const renamed = oauthClientResource('oc-1', { attributes: { name: 'Mine' } });
    const body = {
      data: {
        type: 'oauth-clients',
        id: 'oc-1',
        attributes: { name: 'Mine' },
        relationships: { 'agent-pool': { data: { id: 'apool-1', type: 'agent-pools' } } },
      },
    };
    const adopted = await exchanging(
      [
        { method: 'GET', path: '/oauth-clients/oc-1', status: 200, answer: { data: there } },
        { method: 'PATCH', path: '/oauth-clients/oc-1', body, status: 200, answer: { data: renamed } },
      ],
      () => newProviders().OAuthClient.create({ ...inputs, name: 'Mine', adoptId: 'oc-1' }),
    );
    assert.deepEqual(
      [adopted.id, adopted.outs?.name, adopted.outs?.managed],
      ['oc-1', 'Mine', 'name,adoptId'],
    );
  });

  it('are the list alone where a possible match stands in it', async () => {
    const error = await exchanging(
      [{ method: 'GET', path: list, status: 200, answer: { data: [there] } }],
      () =>
        newProviders()
          .OAuthClient.create(inputs)
          .catch((reason: unknown) => reason),
    );
    assert.match((error as Error).message, /write adoptId: 'oc-1'.*write allowDuplicate: \['oc-1'\]/);
  });

  it('carry over in the POST what the program leaves out, when the old client is replaced', async () => {
    const { OAuthClient } = newProviders();
    const state = {
      ...inputs,
      oauthTokenString: 'canary-1',
      address: 'https://service.test/api/v2',
      managed: 'name,oauthTokenString',
    };
    const news = { ...inputs, oauthTokenString: 'canary-2' };
    await OAuthClient.diff('oc-1', state, news);
    const body = {
      data: {
        type: 'oauth-clients',
        attributes: {
          'service-provider': 'provider_a',
          name: 'GitHub',
          'http-url': 'https://git.example.com',
          'api-url': 'https://git.example.com/api/v3',
          'organization-scoped': true,
          'oauth-token-string': 'canary-2',
        },
        relationships: {
          projects: { data: [{ id: 'prj-1', type: 'projects' }] },
          'agent-pool': { data: { id: 'apool-1', type: 'agent-pools' } },
        },
      },
    };
    const successor = await exchanging(
      [
        { method: 'GET', path: list, status: 200, answer: { data: [there] } },
        { method: 'POST', path: list, body, status: 201, answer: { data: oauthClientResource('oc-2') } },
      ],
      () => OAuthClient.create(news),
    );
    assert.equal(successor.id, 'oc-2');
  });

  it('are one POST and a list after a lost answer: the one client that it can have made is taken over', async () => {
    const providers = newProviders();
    const made = oauthClientResource('oc-2', { relationships: none });
    const other = oauthClientResource('oc-3', { relationships: none, attributes: { name: 'Other' } });
    const body = { data: { type: 'oauth-clients', attributes } };
    const taken = await exchanging(
      [
        { method: 'GET', path: list, status: 200, answer: { data: [] } },
        { method: 'POST', path: list, body },
        { method: 'GET', path: list, status: 200, answer: { data: [other, made] } },
      ],
      () => providers.OAuthClient.create(inputs),
    );
    assert.equal(taken.id, 'oc-2');
    assert.deepEqual(providers.said, ['oc-2 was taken over after a lost answer']);
  });

  it('are one POST that is not repeated after a certain refusal', async () => {
    const body = { data: { type: 'oauth-clients', attributes } };
    const errors = [{ status: '422', title: 'invalid', detail: 'the provider is unknown' }];
    const error = await exchanging(
      [
        { method: 'GET', path: list, status: 200, answer: { data: [] } },
        { method: 'POST', path: list, body, status: 422, answer: { errors } },
      ],
      () =>
        newProviders()
          .OAuthClient.create(inputs)
          .catch((reason: unknown) => reason),
    );
    assert.match((error as Error).message, /^POST \/organizations\/acme\/oauth-clients: refused \(422\)/);
    assert.equal((error as Error).stack, (error as Error).message);
  });
});
