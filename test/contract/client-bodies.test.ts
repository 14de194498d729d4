/** The bodies that create and update OAuth clients: what is taken, what is refused, and where the refusal points. */
import assert from 'node:assert/strict';
import { digestSecret } from '../../service';
import { agentPool, Caller, clientBody, projects } from '../support/api-caller';
import { expectRefusal } from './refusal';

const path = '/organizations/acme/oauth-clients';
const attributes = '/data/attributes';
const related = '/data/relationships';

describe('creating an OAuth client', () => {
  const caller = Caller.startBeforeEach();

  const needed = ['service-provider', 'http-url', 'api-url'].map((name) => `${attributes}/${name}`);
  const nameless = { data: [{ id: 'prj-web', type: 'project' }] };
  const bodies: readonly (readonly [string, unknown, readonly string[]])[] = [
    ['no body', undefined, ['']],
    ['an array', [], ['']],
    ['no data', {}, ['/data']],
    ['an array for data', { data: [] }, ['/data']],
    ['no attributes', { data: { type: 'oauth-clients' } }, [attributes]],
    ['no attribute at all', { data: { type: 'oauth-clients', attributes: {} } }, needed],
    ['no type', { data: { attributes: clientBody().data.attributes } }, ['/data/type']],
    ['another type', { data: { ...clientBody().data, type: 'clients' } }, ['/data/type']],
    ['projects of another type', clientBody({}, { projects: nameless }), [`${related}/projects/data/0/type`]],
    [
      'an agent pool without type',
      clientBody({}, { 'agent-pool': { data: { id: 'apool-dmz' } } }),
      [`${related}/agent-pool/data/type`],
    ],
  ];
  for (const [what, body, pointers] of bodies) {
    it(`refuses ${what}`, () => expectRefusal(caller, 'POST', path, body, pointers));
  }

  const values: readonly (readonly [string, unknown])[] = [
    ['service-provider', 'git'],
    ['service-provider', 'data_center'],
    ['service-provider', '__proto__'],
    ['name', 5],
    ['key', 5],
    ['secret', []],
    ['oauth-token-string', null],
    ['rsa-public-key', 1],
    ['organization-scoped', 'true'],
    ['http-url', 'git'],
    ['api-url', 'ftp://x'],
  ];
  for (const [name, value] of values) {
    const body = clientBody({ [name]: value });
    it(`refuses ${name}: ${JSON.stringify(value)}`, () =>
      expectRefusal(caller, 'POST', path, body, [`${attributes}/${name}`]));
  }

  it('refuses provider_c_server without its private key', () =>
    expectRefusal(caller, 'POST', path, clientBody({ 'service-provider': 'provider_c_server' }), [
      `${attributes}/private-key`,
    ]));

  it('refuses a project of another organization', () =>
    expectRefusal(caller, 'POST', path, clientBody({}, { projects: projects('prj-far') }), [
      `${related}/projects/data/0/id`,
    ]));

  for (const id of ['apool-none', 'nonsense', 'apool-far']) {
    it(`refuses the agent pool ${id}`, async () => {
      const answer = await caller.createClient({}, { 'agent-pool': agentPool(id) });
      const sentence = 'the provided agent pool does not exist or you are not authorized to use it';
      assert.deepEqual([answer.status, answer.at('/errors/0/detail')], [422, sentence]);
      assert.deepEqual(answer.sources(), [`${related}/agent-pool/data/id`]);
    });
  }

  it('takes the six providers of the text', async () => {
    const ofB = ['b_hosted', 'b_community_edition', 'b_enterprise_edition'];
    for (const name of ['a', 'a_enterprise', ...ofB, 'c_server']) {
      const body = { 'service-provider': `provider_${name}`, 'private-key': 'pk' };
      assert.equal((await caller.createClient(body)).status, 201, name);
    }
  });

  it('ignores attributes it does not know', async () => {
    const created = await caller.createClient({ colour: 'red', 'created-at': '1999-01-01T00:00:00.000Z' });
    assert.equal(created.at(`${attributes}/colour`), undefined);
    assert.doesNotMatch(created.text, /1999/);
  });

  it('keeps each project once, for a client of the organization too', async () => {
    const sent = { projects: projects('prj-web', 'prj-payments', 'prj-web') };
    const created = await caller.createClient({ 'organization-scoped': true }, sent);
    assert.equal(created.at(`${attributes}/organization-scoped`), true);
    assert.deepEqual(created.idsAt(`${related}/projects/data`), ['prj-web', 'prj-payments']);
  });

  it('keeps secrets as digests alone', async () => {
    await caller.createClient({ 'service-provider': 'provider_c_server', 'private-key': 'pk', secret: 's' });
    const [client] = caller.service.snapshot().oauthClients;
    assert.equal(client?.privateKeyDigest, digestSecret('pk'));
    assert.equal(client?.secretDigest, digestSecret('s'));
  });
});

describe('updating an OAuth client', () => {
  const caller = Caller.startBeforeEach();
  let id: string;
  beforeEach(async () => {
    const texts = {
      name: 'Git',
      key: 'k1',
      secret: 's1',
      'rsa-public-key': 'r1',
      'oauth-token-string': 't1',
    };
    const relationships = { projects: projects('prj-web'), 'agent-pool': agentPool('apool-dmz') };
    id = await caller.newClient({ ...texts, 'organization-scoped': false }, relationships);
  });

  const changes: readonly (readonly [string, unknown])[] = [
    ['name', 'Other'],
    ['name', null],
    ['name', ''],
    ['key', 'k2'],
    ['rsa-public-key', 'r2'],
    ['organization-scoped', true],
  ];
  for (const [name, value] of changes) {
    it(`sets ${name} to ${JSON.stringify(value)} alone`, async () => {
      const before = await caller.read(`/oauth-clients/${id}`);
      const after = await caller.updateClient(id, { [name]: value });
      assert.equal(after.status, 200);
      assert.deepEqual(after.at(attributes), { ...Object(before.at(attributes)), [name]: value });
      assert.deepEqual(after.at(related), before.at(related));
      assert.deepEqual((await caller.read(`/oauth-clients/${id}`)).at('/data'), after.at('/data'));
    });
  }

  it('replaces the secret, and keeps it when it is left out', async () => {
    for (const sent of [{ secret: 's2' }, { name: 'x' }]) {
      await caller.updateClient(id, sent);
      assert.equal(caller.service.snapshot().oauthClients[0]?.secretDigest, digestSecret('s2'));
    }
  });

  for (const shape of ['a bare array', '{ data }'] as const) {
    it(`replaces the projects given as ${shape}`, async () => {
      const form = (...ids: string[]) => (shape === '{ data }' ? projects(...ids) : projects(...ids).data);
      for (const ids of [['prj-payments', 'prj-search'], []]) {
        const answer = await caller.updateClient(id, {}, { projects: form(...ids) });
        assert.deepEqual(answer.idsAt(`${related}/projects/data`), ids);
      }
      const sent = { type: 'oauth-clients', attributes: { name: 'x' } };
      const relationships = { projects: form('prj-web', 'prj-none') };
      const place = `${related}/projects${shape === '{ data }' ? '/data' : ''}/1/id`;
      await expectRefusal(caller, 'PATCH', `/oauth-clients/${id}`, { data: { ...sent, relationships } }, [
        place,
      ]);
    });
  }

  it('changes the agent pool, and clears it with null, {} and without data', async () => {
    for (const cleared of [{ data: null }, { data: {} }, {}]) {
      const set = await caller.updateClient(id, {}, { 'agent-pool': agentPool('apool-lab') });
      assert.equal(set.at(`${related}/agent-pool/data/id`), 'apool-lab');
      const after = await caller.updateClient(id, {}, { 'agent-pool': cleared });
      assert.equal(after.at(`${related}/agent-pool/data`), null, JSON.stringify(cleared));
    }
  });

  for (const [value, kept] of [
    ['keep', 'apool-dmz'],
    ['clear', undefined],
  ] as const) {
    it(`leaves out the agent pool under patch-without-agent-pool=${value}`, async () => {
      await caller.restart({ behaviours: { 'patch-without-agent-pool': value } });
      const other = await caller.newClient({}, { 'agent-pool': agentPool('apool-dmz') });
      const after = await caller.updateClient(other, { name: 'x' });
      assert.equal(after.at(`${related}/agent-pool/data/id`), kept);
    });
  }

  it('ignores what its table does not list', async () => {
    const before = caller.service.snapshot();
    const sent = { 'http-url': 'https://x.example', 'oauth-token-string': 't2', 'private-key': 'k' };
    assert.equal((await caller.updateClient(id, sent)).status, 200);
    assert.deepEqual(caller.service.snapshot(), before);
  });

  const refused: readonly (readonly [string, object, string])[] = [
    ['no type', { attributes: {} }, '/data/type'],
    ['another type', { type: 'x' }, '/data/type'],
    ['a number for the name', { type: 'oauth-clients', attributes: { name: 1 } }, `${attributes}/name`],
    ['null for the key', { type: 'oauth-clients', attributes: { key: null } }, `${attributes}/key`],
    [
      'a text for the projects',
      { type: 'oauth-clients', relationships: { projects: 'x' } },
      `${related}/projects`,
    ],
  ];
  for (const [what, data, pointer] of refused) {
    it(`refuses ${what}`, () => expectRefusal(caller, 'PATCH', `/oauth-clients/${id}`, { data }, [pointer]));
  }
});
