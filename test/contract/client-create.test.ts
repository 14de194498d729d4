// Creating OAuth clients: what is needed, what is refused, and where the refusal points.

import assert from 'node:assert/strict';
import { agentPool, Caller, clientBody, projects } from '../support/api-caller';
import { proves, type StatementId } from './proves';

const path = '/organizations/acme/oauth-clients';

describe('creating an OAuth client', () => {
  let caller: Caller;
  beforeEach(async () => {
    caller = await Caller.start();
  });
  afterEach(() => caller.close());

  const attributes = '/data/attributes';
  const refused: [StatementId[], string, unknown, string[]][] = [
    [['create-client-422'], 'no body', undefined, ['']],
    [['create-client-422'], 'an array for the document', [], ['']],
    [['create-client-422'], 'no data', {}, ['/data']],
    [['create-client-422'], 'an array for data', { data: [] }, ['/data']],
    [['create-type'], 'no type', { data: { attributes: clientBody().data.attributes } }, ['/data/type']],
    [['create-type'], 'another type', { data: { ...clientBody().data, type: 'clients' } }, ['/data/type']],
    [
      ['create-provider', 'create-urls', 'error-422'],
      'no attributes at all',
      { data: { type: 'oauth-clients', attributes: {} } },
      [`${attributes}/service-provider`, `${attributes}/http-url`, `${attributes}/api-url`],
    ],
    [
      ['create-provider', 'provider-values'],
      'an unknown provider',
      clientBody({ 'service-provider': 'git' }),
      [`${attributes}/service-provider`],
    ],
    [['create-name'], 'a number for the name', clientBody({ name: 5 }), [`${attributes}/name`]],
    [['create-key'], 'a number for the key', clientBody({ key: 5 }), [`${attributes}/key`]],
    [['create-secret'], 'a list for the secret', clientBody({ secret: [] }), [`${attributes}/secret`]],
    [
      ['create-token'],
      'null for the token',
      clientBody({ 'oauth-token-string': null }),
      [`${attributes}/oauth-token-string`],
    ],
    [
      ['create-rsa-key'],
      'a number for the rsa key',
      clientBody({ 'rsa-public-key': 1 }),
      [`${attributes}/rsa-public-key`],
    ],
    [
      ['create-scope'],
      'a text for the scope',
      clientBody({ 'organization-scoped': 'true' }),
      [`${attributes}/organization-scoped`],
    ],
    [
      ['create-urls'],
      'texts that are no URLs',
      clientBody({ 'http-url': 'git', 'api-url': 'ftp://x' }),
      [`${attributes}/http-url`, `${attributes}/api-url`],
    ],
    [
      ['create-private-key', 'gap-required-secrets'],
      'no private key for provider_c_server',
      clientBody({ 'service-provider': 'provider_c_server' }),
      [`${attributes}/private-key`],
    ],
    [
      ['create-projects'],
      'an unknown project among known ones',
      clientBody({}, { projects: projects('prj-web', 'prj-none') }),
      ['/data/relationships/projects/data/1/id'],
    ],
    [
      ['create-projects'],
      'projects of another type',
      clientBody({}, { projects: { data: [{ id: 'prj-web', type: 'project' }] } }),
      ['/data/relationships/projects/data/0/type'],
    ],
    [
      ['gap-foreign-project'],
      'a project of another organization',
      clientBody({}, { projects: projects('prj-far') }),
      ['/data/relationships/projects/data/0/id'],
    ],
    [
      ['create-agent-pool'],
      'an agent pool without type',
      clientBody({}, { 'agent-pool': { data: { id: 'apool-dmz' } } }),
      ['/data/relationships/agent-pool/data/type'],
    ],
  ];
  for (const [ids, what, body, pointers] of refused) {
    proves(ids, `refuses ${what}, names the place and creates nothing`, async () => {
      const answer = await caller.send('POST', path, { body });
      assert.equal(answer.status, 422, answer.text);
      assert.deepEqual(answer.sources().sort(), [...pointers].sort());
      assert.deepEqual(caller.service.snapshot().oauthClients, []);
    });
  }

  proves(
    ['provider-values', 'data-center-provider', 'gap-data-center'],
    'takes the six providers',
    async () => {
      const listed = [
        'a',
        'a_enterprise',
        'b_hosted',
        'b_community_edition',
        'b_enterprise_edition',
        'c_server',
      ];
      for (const name of listed) {
        const body = { 'service-provider': `provider_${name}`, 'private-key': 'pk' };
        assert.equal((await caller.createClient(body)).status, 201, name);
      }
      for (const name of ['provider_d', 'data_center', 'provider_data_center', 'constructor', '__proto__']) {
        assert.equal((await caller.createClient({ 'service-provider': name })).status, 422, name);
      }
    },
  );

  proves(['urls'], 'takes URLs whose scheme is in capitals, as they are', async () => {
    const urls = { 'http-url': 'HTTPS://Git.Example.com', 'api-url': 'Http://git.example.com/api' };
    const created = await caller.createClient(urls);
    assert.deepEqual(
      [created.status, created.at('/data/attributes/http-url'), created.at('/data/attributes/api-url')],
      [201, urls['http-url'], urls['api-url']],
    );
  });

  proves(['create-private-key', 'create-secret'], 'keeps secrets as digests', async () => {
    await caller.createClient({ 'service-provider': 'provider_c_server', 'private-key': 'pk', secret: 's' });
    const [client] = caller.service.snapshot().oauthClients;
    assert.match(client?.privateKeyDigest ?? '', /^[0-9a-f]{64}$/);
    assert.match(client?.secretDigest ?? '', /^[0-9a-f]{64}$/);
    assert.notEqual(client?.privateKeyDigest, client?.secretDigest);
  });

  proves(['create-projects'], 'keeps each project once', async () => {
    const created = await caller.createClient(
      {},
      { projects: projects('prj-web', 'prj-payments', 'prj-web') },
    );
    assert.deepEqual(created.idsAt('/data/relationships/projects/data'), ['prj-web', 'prj-payments']);
  });

  proves(['create-agent-pool'], 'takes {} for no agent pool', async () => {
    for (const data of [{}, null]) {
      const created = await caller.createClient({}, { 'agent-pool': { data } });
      assert.equal(created.status, 201);
      assert.equal(created.at('/data/relationships/agent-pool/data'), null);
    }
  });

  for (const id of ['apool-none', 'nonsense', 'apool-far']) {
    proves(['gap-unknown-pool', 'gap-pool-before-shape'], `refuses the agent pool ${id}`, async () => {
      const answer = await caller.createClient({}, { 'agent-pool': agentPool(id) });
      assert.equal(answer.status, 422);
      const sentence = 'the provided agent pool does not exist or you are not authorized to use it';
      assert.equal(answer.at('/errors/0/detail'), sentence);
      assert.deepEqual(answer.sources(), ['/data/relationships/agent-pool/data/id']);
    });
  }

  proves(['gap-names-not-unique'], 'takes the same name and provider twice', async () => {
    const first = await caller.newClient({ name: 'Git' });
    const second = await caller.createClient({ name: 'Git' });
    assert.equal(second.status, 201);
    assert.notEqual(second.at('/data/id'), first);
  });

  proves(['gap-unlisted-attributes'], 'ignores attributes it does not know', async () => {
    const answer = await caller.createClient({ colour: 'red', id: 'oc-mine' });
    assert.equal(answer.status, 201);
    assert.equal(answer.at('/data/attributes/colour'), undefined);
    assert.notEqual(answer.at('/data/id'), 'oc-mine');
  });

  proves(['gap-scoped-with-projects'], 'takes projects for an organization-scoped client', async () => {
    const created = await caller.createClient(
      { 'organization-scoped': true },
      { projects: projects('prj-web') },
    );
    assert.equal(created.at('/data/attributes/organization-scoped'), true);
    assert.deepEqual(created.idsAt('/data/relationships/projects/data'), ['prj-web']);
  });
});
