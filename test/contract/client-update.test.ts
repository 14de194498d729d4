// Updating OAuth clients: what changes, what stays, what is refused.

import assert from 'node:assert/strict';
import { digestSecret } from '../../service';
import { agentPool, Caller, projects } from '../support/api-caller';
import { proves, type StatementId } from './proves';

describe('updating an OAuth client', () => {
  let caller: Caller;
  let id: string;
  beforeEach(async () => {
    caller = await Caller.start();
    const attributes = {
      name: 'Git',
      key: 'k1',
      secret: 's1',
      'rsa-public-key': 'r1',
      'oauth-token-string': 't1',
      'organization-scoped': false,
    };
    id = await caller.newClient(attributes, {
      projects: projects('prj-web'),
      'agent-pool': agentPool('apool-dmz'),
    });
  });
  afterEach(() => caller.close());

  const changes: [StatementId, string, unknown][] = [
    ['update-name', 'name', 'Other'],
    ['update-name', 'name', null],
    ['update-name', 'name', ''],
    ['update-key', 'key', 'k2'],
    ['update-rsa-key', 'rsa-public-key', 'r2'],
    ['update-scope', 'organization-scoped', true],
  ];
  for (const [statement, name, value] of changes) {
    proves(
      [statement, 'update-keeps', 'update-client'],
      `sets ${name} to ${JSON.stringify(value)} alone`,
      async () => {
        const before = await caller.read(`/oauth-clients/${id}`);
        const after = await caller.updateClient(id, { [name]: value });
        assert.equal(after.status, 200);
        const expected = { ...Object(before.at('/data/attributes')), [name]: value };
        assert.deepEqual(after.at('/data/attributes'), expected);
        assert.deepEqual(after.at('/data/relationships'), before.at('/data/relationships'));
        assert.deepEqual((await caller.read(`/oauth-clients/${id}`)).at('/data'), after.at('/data'));
      },
    );
  }

  proves(
    ['update-secret', 'update-keeps'],
    'replaces the secret and keeps it when it is left out',
    async () => {
      const secretDigest = () => caller.service.snapshot().oauthClients[0]?.secretDigest;
      assert.equal(secretDigest(), digestSecret('s1'));
      await caller.updateClient(id, { secret: 's2' });
      assert.equal(secretDigest(), digestSecret('s2'));
      await caller.updateClient(id, { name: 'x' });
      assert.equal(secretDigest(), digestSecret('s2'));
    },
  );

  for (const shape of ['a bare array', '{ data }'] as const) {
    proves(['update-projects', 'gap-patch-projects'], `replaces the projects given as ${shape}`, async () => {
      const form = (...ids: string[]) => (shape === '{ data }' ? projects(...ids) : projects(...ids).data);
      const set = await caller.updateClient(id, {}, { projects: form('prj-payments', 'prj-search') });
      assert.deepEqual(set.idsAt('/data/relationships/projects/data'), ['prj-payments', 'prj-search']);
      const cleared = await caller.updateClient(id, {}, { projects: form() });
      assert.deepEqual(cleared.at('/data/relationships/projects/data'), []);
      const refused = await caller.updateClient(id, { name: 'x' }, { projects: form('prj-web', 'prj-none') });
      assert.equal(refused.status, 422);
      const place = shape === '{ data }' ? '/data/1/id' : '/1/id';
      assert.deepEqual(refused.sources(), [`/data/relationships/projects${place}`]);
      assert.equal((await caller.read(`/oauth-clients/${id}`)).at('/data/attributes/name'), 'Git');
    });
  }

  proves(['gap-scoped-with-projects'], 'keeps the projects when the scope widens', async () => {
    const after = await caller.updateClient(id, { 'organization-scoped': true });
    assert.deepEqual(after.idsAt('/data/relationships/projects/data'), ['prj-web']);
  });

  proves(['update-agent-pool'], 'changes the agent pool', async () => {
    const after = await caller.updateClient(id, {}, { 'agent-pool': agentPool('apool-lab') });
    assert.equal(after.at('/data/relationships/agent-pool/data/id'), 'apool-lab');
    const refused = await caller.updateClient(id, {}, { 'agent-pool': agentPool('apool-none') });
    assert.equal(refused.status, 422);
  });

  proves(['gap-clear-pool'], 'clears the agent pool with null, with {} and without data', async () => {
    for (const pool of [{ data: null }, { data: {} }, {}]) {
      await caller.updateClient(id, {}, { 'agent-pool': agentPool('apool-lab') });
      const after = await caller.updateClient(id, {}, { 'agent-pool': pool });
      assert.equal(after.at('/data/relationships/agent-pool/data'), null, JSON.stringify(pool));
    }
  });

  proves(
    ['gap-pool-omitted'],
    'keeps an agent pool that is left out, or clears it where that is switched',
    async () => {
      const kept = await caller.updateClient(id, { name: 'x' });
      assert.equal(kept.at('/data/relationships/agent-pool/data/id'), 'apool-dmz');
      const other = await Caller.start({ behaviours: { 'patch-without-agent-pool': 'clear' } });
      const otherId = await other.newClient({}, { 'agent-pool': agentPool('apool-dmz') });
      const cleared = await other.updateClient(otherId, { name: 'x' });
      assert.equal(cleared.at('/data/relationships/agent-pool/data'), null);
      await other.close();
    },
  );

  proves(
    ['gap-unlisted-attributes', 'gap-token-in-patch'],
    'ignores attributes its table does not list',
    async () => {
      const before = caller.service.snapshot().oauthClients[0];
      const sent = {
        'http-url': 'https://x.example',
        'service-provider': 'provider_b_hosted',
        'oauth-token-string': 't2',
      };
      assert.equal((await caller.updateClient(id, sent)).status, 200);
      assert.deepEqual(caller.service.snapshot().oauthClients[0], before);
    },
  );

  proves(['update-type'], 'takes the id in the body, and no other one', async () => {
    const data = { type: 'oauth-clients', id, attributes: { name: 'x' } };
    assert.equal((await caller.send('PATCH', `/oauth-clients/${id}`, { body: { data } })).status, 200);
    const wrong = await caller.send('PATCH', `/oauth-clients/${id}`, {
      body: { data: { ...data, id: 'oc-other' } },
    });
    assert.deepEqual([wrong.status, ...wrong.sources()], [422, '/data/id']);
  });

  const refused: [StatementId, string, unknown, string][] = [
    ['update-client-422', 'no data', {}, '/data'],
    ['update-type', 'no type', { data: { attributes: {} } }, '/data/type'],
    ['update-type', 'another type', { data: { type: 'x' } }, '/data/type'],
    [
      'update-client-422',
      'a number for the name',
      { data: { type: 'oauth-clients', attributes: { name: 1 } } },
      '/data/attributes/name',
    ],
    [
      'update-client-422',
      'null for the key',
      { data: { type: 'oauth-clients', attributes: { key: null } } },
      '/data/attributes/key',
    ],
    [
      'update-client-422',
      'a text for the projects',
      { data: { type: 'oauth-clients', relationships: { projects: 'x' } } },
      '/data/relationships/projects',
    ],
    [
      'update-client-422',
      'null for the projects',
      { data: { type: 'oauth-clients', relationships: { projects: { data: null } } } },
      '/data/relationships/projects/data',
    ],
  ];
  for (const [statement, what, body, pointer] of refused) {
    proves([statement], `refuses ${what} and changes nothing`, async () => {
      const before = caller.service.snapshot();
      const answer = await caller.send('PATCH', `/oauth-clients/${id}`, { body });
      assert.deepEqual([answer.status, ...answer.sources()], [422, pointer]);
      assert.deepEqual(caller.service.snapshot(), before);
    });
  }
});
