// The fields of OAuth clients, as create, show, update and lists give them.

import assert from 'node:assert/strict';
import { agentPool, Caller, projects } from '../support/api-caller';
import { oauthClientResource } from '../support/wire-documents';
import { proves } from './proves';

const everything = {
  name: 'Git',
  'http-url': 'https://Git.Example.com:8443/a%20b/?x=1#y',
  'api-url': 'https://git.example.com/api//v3/',
  key: ' key with spaces ',
  'rsa-public-key': 'ssh-rsa AAAA\r\nüß\n',
  'organization-scoped': false,
};

describe('the fields of an OAuth client', () => {
  let caller: Caller;
  beforeEach(async () => {
    caller = await Caller.start();
  });
  afterEach(() => caller.close());

  proves(
    [
      'layout',
      'create-client',
      'client-id',
      'client-agrees',
      'client-connects',
      'urls',
      'rsa-public-key',
      'key',
      'name',
    ],
    'are the same in create, show, list and an update that changes nothing',
    async () => {
      const relationships = {
        projects: projects('prj-web', 'prj-payments'),
        'agent-pool': agentPool('apool-dmz'),
      };
      const created = await caller.createClient(
        { ...everything, 'oauth-token-string': 'tok' },
        relationships,
      );
      assert.equal(created.status, 201);
      const id = created.textAt('/data/id');
      assert.match(id, /^oc-\w+$/);
      const shown = await caller.read(`/oauth-clients/${id}`);
      const listed = await caller.read('/organizations/acme/oauth-clients');
      const updated = await caller.updateClient(id, {});
      assert.deepEqual(shown.at('/data'), created.at('/data'));
      assert.deepEqual(listed.at('/data/0'), created.at('/data'));
      assert.deepEqual(updated.at('/data'), created.at('/data'));
      for (const [name, value] of Object.entries(everything))
        assert.equal(shown.at(`/data/attributes/${name}`), value);
      const members = ['attributes', 'id', 'links', 'relationships', 'type'];
      assert.deepEqual(Object.keys(Object(shown.at('/data'))).sort(), members);
      assert.equal(shown.at('/data/type'), 'oauth-clients');
      for (const name of Object.keys(Object(shown.at('/data/attributes'))))
        assert.match(name, /^[a-z]+(-[a-z]+)*$/);
    },
  );

  proves(
    ['created-at', 'callback-url', 'connect-path', 'display-name', 'service-provider', 'organization-scoped'],
    'that the service sets have the shapes of the text',
    async () => {
      const created = await caller.createClient({ 'created-at': '1999-01-01T00:00:00.000Z' });
      const attribute = (name: string) => created.at(`/data/attributes/${name}`);
      assert.match(String(attribute('created-at')), /^20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.ok(URL.canParse(String(attribute('callback-url'))));
      assert.match(String(attribute('connect-path')), /^\/[^?]+\?organization_id=acme$/);
      assert.equal(attribute('service-provider'), 'provider_a');
      assert.equal(attribute('service-provider-display-name'), 'Provider A');
      assert.equal(attribute('organization-scoped'), true);
    },
  );

  proves(
    ['name', 'gap-omitted-name', 'create-name', 'key', 'rsa-public-key', 'create-minimum', 'create-scope'],
    'that were left out have their defaults',
    async () => {
      const created = await caller.createClient();
      assert.equal(created.status, 201);
      for (const name of ['name', 'key', 'rsa-public-key'])
        assert.equal(created.at(`/data/attributes/${name}`), null);
      assert.equal(created.at('/data/attributes/organization-scoped'), true);
      const empty = await caller.createClient({ name: '' });
      assert.equal(empty.at('/data/attributes/name'), '');
    },
  );

  proves(['secrets-hidden'], 'never hold a secret', async () => {
    const secrets = { secret: 'S3CRET-a', 'oauth-token-string': 'S3CRET-b', 'private-key': 'S3CRET-c' };
    const created = await caller.createClient({ 'service-provider': 'provider_c_server', ...secrets });
    const id = created.textAt('/data/id');
    const answers = [
      created,
      await caller.read(`/oauth-clients/${id}?include=oauth_tokens,projects`),
      await caller.read('/organizations/acme/oauth-clients?include=oauth_tokens'),
      await caller.updateClient(id, { secret: 'S3CRET-d' }),
      await caller.updateClient(id, { secret: 5, name: 'S3CRET-e', 'organization-scoped': 'S3CRET-f' }),
      await caller.send('PATCH', `/oauth-clients/${id}`, { raw: '{"data": S3CRET-g' }),
    ];
    for (const { text } of answers) assert.doesNotMatch(text, /S3CRET/);
    assert.doesNotMatch(JSON.stringify(caller.service.snapshot()), /S3CRET/);
  });

  proves(['secrets-hidden', 'layout'], 'are those of the text and no others', async () => {
    const created = await caller.createClient({ secret: 's', 'oauth-token-string': 't' });
    const { attributes, relationships } = oauthClientResource('oc-1');
    const namesAt = (pointer: string) => Object.keys(Object(created.at(pointer))).sort();
    assert.deepEqual(namesAt('/data/attributes'), Object.keys(attributes).sort());
    assert.deepEqual(namesAt('/data/relationships'), Object.keys(relationships).sort());
    const shown = await caller.read(`/oauth-clients/${created.textAt('/data/id')}?include=oauth_tokens`);
    assert.deepEqual(Object.keys(Object(shown.at('/included/0/attributes'))), ['created-at']);
  });

  proves(['callback-url'], 'have one callback URL, under whatever name the service is reached', async () => {
    const id = await caller.newClient();
    const shown = await caller.read(`/oauth-clients/${id}`);
    const { port } = new URL(caller.service.url);
    const response = await fetch(`http://localhost:${port}/api/v2/oauth-clients/${id}`, {
      headers: { authorization: 'Bearer owner' },
    });
    assert.equal(await response.text(), shown.text);
    assert.ok(shown.textAt('/data/attributes/callback-url').startsWith(`http://127.0.0.1:${port}/auth/`));
  });

  proves(
    ['organization-relationship', 'agent-pool-relationship'],
    'name the organization and the pool',
    async () => {
      const created = await caller.createClient({}, { 'agent-pool': agentPool('apool-dmz') });
      assert.deepEqual(created.at('/data/relationships/organization'), {
        data: { id: 'acme', type: 'organizations' },
        links: { related: '/api/v2/organizations/acme' },
      });
      assert.deepEqual(created.at('/data/relationships/agent-pool'), {
        data: { id: 'apool-dmz', type: 'agent-pools' },
        links: { related: '/api/v2/agent-pools/apool-dmz' },
      });
    },
  );

  proves(
    ['tokens-relationship', 'create-token', 'gap-token-entry'],
    'have one token entry with a token string and none without',
    async () => {
      const without = await caller.createClient();
      assert.deepEqual(without.at('/data/relationships/oauth-tokens/data'), []);
      const withToken = await caller.createClient({ 'oauth-token-string': 'tok' });
      const tokens = '/data/relationships/oauth-tokens';
      assert.equal(withToken.listAt(`${tokens}/data`).length, 1);
      const id = withToken.textAt(`${tokens}/data/0/id`);
      assert.match(id, /^ot-\w+$/);
      assert.equal(withToken.at(`${tokens}/data/0/type`), 'oauth-tokens');
      assert.equal(withToken.at(`${tokens}/links/related`), `/api/v2/oauth-tokens/${id}`);
    },
  );

  proves(
    ['projects-relationship', 'gap-projects-always', 'create-projects', 'client-scope'],
    'name the projects without being asked to',
    async () => {
      const id = await caller.newClient({ 'organization-scoped': false }, { projects: projects('prj-web') });
      const shown = await caller.read(`/oauth-clients/${id}`);
      assert.deepEqual(shown.at('/data/relationships/projects/data'), [{ id: 'prj-web', type: 'projects' }]);
      const none = await caller.read(`/oauth-clients/${await caller.newClient()}`);
      assert.deepEqual(none.at('/data/relationships/projects/data'), []);
    },
  );
});
