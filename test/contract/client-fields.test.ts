/** The fields of OAuth clients, as create, show, update and lists give them, and who may see them. */
import assert from 'node:assert/strict';
import { agentPool, Caller, projects } from '../support/api-caller';
import { oauthClientResource } from '../support/wire-documents';

const list = '/organizations/acme/oauth-clients';
const everything = {
  name: 'Git',
  'http-url': 'HTTPS://Git.Example.com:8443/a%20b/?x=1#y',
  'api-url': 'https://git.example.com/api//v3/',
  key: ' key with spaces ',
  'rsa-public-key': 'ssh-rsa AAAA\r\nüß\n',
  'organization-scoped': false,
};

describe('the fields of an OAuth client', () => {
  const caller = Caller.startBeforeEach();

  it('are the same in create, show, list and an empty update', async () => {
    const relationships = {
      projects: projects('prj-web', 'prj-payments'),
      'agent-pool': agentPool('apool-dmz'),
    };
    const created = await caller.createClient({ ...everything, 'oauth-token-string': 'tok' }, relationships);
    const id = created.textAt('/data/id');
    const shown = await caller.read(`/oauth-clients/${id}`);
    assert.deepEqual([created.status, shown.status], [201, 200]);
    assert.deepEqual(shown.at('/data'), created.at('/data'));
    assert.deepEqual((await caller.read(list)).at('/data/0'), created.at('/data'));
    assert.deepEqual((await caller.updateClient(id, {})).at('/data'), created.at('/data'));
    const token = created.textAt('/data/relationships/oauth-tokens/data/0/id');
    const callbackId = created.textAt('/data/attributes/connect-path').split(/[/?]/)[2];
    assert.match(`${id} ${token}`, /^oc-\w{16} ot-\w{16}$/);
    assert.match(created.textAt('/data/attributes/created-at'), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(shown.at('/data'), {
      id,
      type: 'oauth-clients',
      attributes: {
        ...everything,
        'created-at': created.at('/data/attributes/created-at'),
        'service-provider': 'provider_a',
        'service-provider-display-name': 'Provider A',
        'callback-url': `${caller.service.url.replace('/api/v2', '')}/auth/${callbackId}/callback`,
        'connect-path': `/auth/${callbackId}?organization_id=acme`,
      },
      relationships: {
        ...relationships,
        organization: {
          data: { id: 'acme', type: 'organizations' },
          links: { related: '/api/v2/organizations/acme' },
        },
        'oauth-tokens': {
          data: [{ id: token, type: 'oauth-tokens' }],
          links: { related: `/api/v2/oauth-tokens/${token}` },
        },
        'agent-pool': { ...agentPool('apool-dmz'), links: { related: '/api/v2/agent-pools/apool-dmz' } },
      },
      links: { self: `/api/v2/oauth-clients/${id}` },
    });
  });

  it('that were left out have their defaults', async () => {
    const created = await caller.createClient();
    for (const name of ['name', 'key', 'rsa-public-key']) {
      assert.equal(created.at(`/data/attributes/${name}`), null);
    }
    assert.equal(created.at('/data/attributes/organization-scoped'), true);
    assert.deepEqual(created.listAt('/data/relationships/oauth-tokens/data'), []);
    assert.deepEqual(created.at('/data/relationships/projects'), { data: [] });
    assert.deepEqual(created.at('/data/relationships/agent-pool'), { data: null });
    assert.equal((await caller.createClient({ name: '' })).at('/data/attributes/name'), '');
  });

  it('never hold a secret', async () => {
    const secrets = { secret: 'S3CRET-a', 'oauth-token-string': 'S3CRET-b', 'private-key': 'S3CRET-c' };
    const created = await caller.createClient({ 'service-provider': 'provider_c_server', ...secrets });
    const id = created.textAt('/data/id');
    const answers = [
      created,
      await caller.read(`/oauth-clients/${id}?include=oauth_tokens,projects`),
      await caller.read(`${list}?include=oauth_tokens`),
      await caller.updateClient(id, { secret: 'S3CRET-d' }),
      await caller.updateClient(id, { secret: 5, name: 'S3CRET-e', 'organization-scoped': 'S3CRET-f' }),
      await caller.send('PATCH', `/oauth-clients/${id}`, { raw: '{"data": S3CRET-g' }),
    ];
    for (const { text } of answers) assert.doesNotMatch(text, /S3CRET/);
    assert.doesNotMatch(JSON.stringify(caller.service.snapshot()), /S3CRET/);
    const { attributes, relationships } = oauthClientResource('oc-1');
    const namesAt = (pointer: string) => Object.keys(Object(created.at(pointer))).sort();
    assert.deepEqual(namesAt('/data/attributes'), Object.keys(attributes).sort());
    assert.deepEqual(namesAt('/data/relationships'), Object.keys(relationships).sort());
  });

  it('bring along tokens and projects, each once', async () => {
    const [one, other] = [
      await caller.newClient({ 'oauth-token-string': 't' }, { projects: projects('prj-web') }),
      await caller.newClient({ 'oauth-token-string': 't' }, { projects: projects('prj-web') }),
    ];
    const listed = await caller.read(`${list}?include=oauth_tokens,projects&page%5Bsize%5D=3`);
    const types = listed.listAt('/included').map((item) => Reflect.get(Object(item), 'type'));
    assert.deepEqual(types, ['oauth-tokens', 'oauth-tokens', 'projects']);
    assert.deepEqual((await caller.read(`${list}?include=projects`)).idsAt('/included'), ['prj-web']);
    const shown = await caller.read(`/oauth-clients/${one}?include=oauth_tokens`);
    assert.equal(shown.at('/included/0/id'), shown.at('/data/relationships/oauth-tokens/data/0/id'));
    assert.equal(shown.at('/included/0/relationships/oauth-client/data/id'), one);
    assert.deepEqual(Object.keys(Object(shown.at('/included/0/attributes'))), ['created-at']);
    assert.equal((await caller.read(`/oauth-clients/${other}`)).at('/included'), undefined);
  });

  it('include nothing unknown, and nothing when empty', async () => {
    const id = await caller.newClient();
    for (const include of ['workspace', 'oauth_tokens,x', 'oauth-tokens', 'Projects', 'projects%00']) {
      for (const place of [list, `/oauth-clients/${id}`]) {
        const answer = await caller.read(`${place}?include=${include}`);
        assert.deepEqual([answer.status, ...answer.sources()], [400, 'include'], include);
      }
    }
    const empty = await caller.read(`${list}?include=`);
    assert.deepEqual([empty.status, empty.at('/included')], [200, undefined]);
  });

  it('are as good as absent without the permission, for every operation', async () => {
    const id = await caller.newClient();
    const update = { data: { type: 'oauth-clients', attributes: { name: 'x' } } };
    const operations = (organization: string, client: string): [string, string, unknown][] => [
      ['GET', `/organizations/${organization}/oauth-clients`, undefined],
      ['POST', `/organizations/${organization}/oauth-clients`, { data: {} }],
      ['GET', `/oauth-clients/${client}`, undefined],
      ['PATCH', `/oauth-clients/${client}`, update],
      ['DELETE', `/oauth-clients/${client}`, undefined],
      ['POST', `/oauth-clients/${client}/relationships/projects`, projects('prj-web')],
      ['DELETE', `/oauth-clients/${client}/relationships/projects`, projects('prj-web')],
    ];
    const answers = new Set<string>();
    const expectAbsent = async (token: string, [method, place, body]: [string, string, unknown]) => {
      const answer = await caller.send(method, place, { token, body });
      assert.equal(answer.status, 404, `${token} ${method} ${place}`);
      answers.add(answer.text);
    };
    for (const token of ['reader', 'builder', 'foreign', 'nobody']) {
      for (const operation of operations('acme', id)) await expectAbsent(token, operation);
    }
    for (const client of ['oc-none', 'x', '%20', 'oc-%F0%9F%A6%80', '..%2F..', '__proto__']) {
      for (const operation of operations('none', client)) await expectAbsent('owner', operation);
    }
    assert.equal(answers.size, 1);
    assert.equal((await caller.read(`/oauth-clients/${id}`, { token: 'vcs' })).status, 200);
    assert.equal((await caller.createClient({}, {}, { token: 'vcs' })).status, 201);
  });
});
