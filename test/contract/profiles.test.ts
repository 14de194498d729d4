/** What differs by profile: providers, tokens in PATCH, foreign projects, includes, and lists by name. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { digestSecret } from '../../service';
import { Caller, projects } from '../support/api-caller';
import { temporaryFolder } from '../support/temporary-folder';

const github = { 'service-provider': 'github' };
const dataCenter = { 'service-provider': 'bitbucket_data_center' };
const urls = { httpUrl: 'https://git.example.com', apiUrl: 'https://git.example.com/api' };

describe('under the profile hcp-terraform', () => {
  const caller = Caller.startBeforeEach({ profile: 'hcp-terraform' });

  it('the providers are the ten it has, and none of the text', async () => {
    const hosted = ['github', 'github_enterprise', 'gitlab_hosted', 'gitlab_community_edition'];
    const others = ['gitlab_enterprise_edition', 'ado_services', 'bitbucket_hosted', 'bitbucket_server'];
    for (const name of [...hosted, ...others, 'bitbucket_data_center']) {
      assert.equal((await caller.createClient({ 'service-provider': name })).status, 201, name);
    }
    const ado = { 'service-provider': 'ado_server' };
    const withoutKey = await caller.createClient(ado);
    assert.deepEqual([withoutKey.status, ...withoutKey.sources()], [422, '/data/attributes/private-key']);
    assert.equal((await caller.createClient({ ...ado, 'private-key': 'k' })).status, 201);
    assert.equal((await caller.createClient({ 'service-provider': 'provider_a' })).status, 422);
  });

  it('a PATCH replaces the token and keeps its id, or gives a first one', async () => {
    const held = () => caller.service.snapshot().oauthClients[0]?.oauthTokens ?? [];
    const id = await caller.newClient(github);
    for (const token of ['t1', 't2']) {
      const [before] = held();
      assert.equal((await caller.updateClient(id, { 'oauth-token-string': token })).status, 200);
      assert.deepEqual(held(), [{ ...held()[0], ...before, digest: digestSecret(token) }]);
    }
    const wrong = await caller.updateClient(id, { 'oauth-token-string': 5 });
    assert.deepEqual([wrong.status, ...wrong.sources()], [422, '/data/attributes/oauth-token-string']);
  });

  it('an empty token is a value, in a create as in a PATCH', async () => {
    const token = { 'oauth-token-string': '' };
    const tokens = '/data/relationships/oauth-tokens/data';
    assert.equal((await caller.createClient({ ...github, ...token })).listAt(tokens).length, 1);
    const id = await caller.newClient(github);
    assert.equal((await caller.updateClient(id, token)).listAt(tokens).length, 1);
  });

  it('a create drops foreign projects and refuses unknown ones', async () => {
    const created = await caller.createClient(github, { projects: projects('prj-far', 'prj-web') });
    assert.deepEqual(
      [created.status, ...created.idsAt('/data/relationships/projects/data')],
      [201, 'prj-web'],
    );
    assert.equal((await caller.createClient(github, { projects: projects('prj-none') })).status, 422);
  });

  it('nothing is included in the outbound list', async () => {
    await caller.createTrigger('ws-app', 'ws-network');
    const outbound = await caller.listTriggers('ws-network', 'outbound', '&include=workspace');
    assert.deepEqual([outbound.status, outbound.listAt('/included')], [200, []]);
    const inbound = await caller.listTriggers('ws-app', 'inbound', '&include=workspace');
    assert.deepEqual(inbound.idsAt('/included'), ['ws-app']);
  });

  it('a data-center client has both halves of its key or none, and no empty key', async () => {
    // What is stored already counts: each half may be renewed alone, and none taken away alone.
    const steps: readonly (readonly [Record<string, string>, string?])[] = [
      [{ secret: 's' }, 'rsa-public-key'],
      [{ 'rsa-public-key': 'r' }, 'secret'],
      [{ secret: 's', 'rsa-public-key': '' }, 'rsa-public-key'],
      [{ name: 'x' }],
      [{ key: '' }, 'key'],
      [{ secret: 's', 'rsa-public-key': 'r', key: 'k' }],
      [{ secret: 's2' }],
      [{ 'rsa-public-key': 'r2' }],
      [{ 'rsa-public-key': '' }, 'rsa-public-key'],
      [{ secret: '', 'rsa-public-key': '' }],
      [{ secret: 's' }, 'rsa-public-key'],
    ];
    const id = await caller.newClient(dataCenter);
    for (const [sent, missing] of steps) {
      const before = caller.service.snapshot();
      const answer = await caller.updateClient(id, sent);
      const refused = missing === undefined ? [] : [`/data/attributes/${missing}`];
      assert.deepEqual([answer.status, ...answer.sources()], [missing ? 422 : 200, ...refused]);
      if (missing !== undefined) assert.deepEqual(caller.service.snapshot(), before);
    }
    const half = await caller.createClient({ ...dataCenter, secret: 's' });
    assert.deepEqual([half.status, ...half.sources()], [422, '/data/attributes/rsa-public-key']);
    // A half that was there before is none of a PATCH's business that touches neither.
    const seeded = { serviceProvider: 'bitbucket_data_center', ...urls, rsaPublicKey: 'r' };
    caller.service.patchSeed({ organizations: { acme: { oauthClients: { 'oc-half': seeded } } } });
    assert.equal((await caller.updateClient('oc-half', { name: 'x' })).status, 200);
  });

  it('workspaces, projects and agent pools are listed, also by name, for who may read', async () => {
    const all = '/organizations/acme';
    const rows: readonly (readonly [string, readonly string[], string?])[] = [
      ['workspaces', ['ws-app', 'ws-docs', 'ws-network']],
      ['workspaces', ['ws-network'], 'reader'],
      ['workspaces?search[name]=net', ['ws-network']],
      ['workspaces?page[size]=2&page[number]=2', ['ws-network']],
      ['projects', ['prj-payments', 'prj-search', 'prj-web']],
      ['projects?q=PAY', ['prj-payments']],
      ['agent-pools', ['apool-dmz', 'apool-lab']],
      ['agent-pools?q=mz', ['apool-dmz']],
      ['agent-pools?q=nowhere', []],
    ];
    for (const [place, ids, token = 'owner'] of rows) {
      assert.deepEqual((await caller.read(`${all}/${place}`, { token })).idsAt('/data'), ids, place);
    }
    for (const what of ['workspaces', 'projects', 'agent-pools']) {
      assert.equal((await caller.read(`${all}/${what}`, { token: 'foreign' })).status, 404);
      assert.equal((await caller.read(`${all}/${what}?page[size]=0`)).status, 400);
    }
  });
});

describe('the workspaces that use an OAuth client', () => {
  const shown = '/oauth-clients/oc-used?show_affected_workspaces=';

  const caller = Caller.startBeforeEach();

  async function withUsers(profile: string, serviceProvider: string): Promise<void> {
    await caller.restart({ profile });
    const users = Array.from({ length: 30 }, (_, index) => {
      return [`ws-u${index}`, { name: `user-${String(index).padStart(3, '0')}`, oauthClient: 'oc-used' }];
    });
    const client = { ...urls, serviceProvider };
    const oauthClients = { 'oc-used': client, 'oc-idle': client };
    caller.service.patchSeed({
      organizations: { acme: { oauthClients, workspaces: Object.fromEntries(users) } },
    });
  }

  it('are told under hcp-terraform, 25 of them and their number', async () => {
    await withUsers('hcp-terraform', 'github');
    const asked = await caller.read(`${shown}true`);
    const names = asked.listAt('/data/attributes/affected-workspaces');
    assert.deepEqual([names.length, names[0], names[24]], [25, 'user-000', 'user-024']);
    assert.equal(asked.at('/data/attributes/affected-workspaces-count'), 30);
    const idle = await caller.read(`${shown.replace('used', 'idle')}true`);
    assert.equal(idle.at('/data/attributes/affected-workspaces-count'), 0);
    assert.doesNotMatch((await caller.read('/oauth-clients/oc-used')).text, /affected/);
    const odd = await caller.read(`${shown}1`);
    assert.deepEqual([odd.status, ...odd.sources()], [400, 'show_affected_workspaces']);
  });

  it('are not told under default, nor names listed', async () => {
    await withUsers('default', 'provider_a');
    const asked = await caller.read(`${shown}true`);
    assert.equal(asked.status, 200);
    assert.doesNotMatch(asked.text, /affected/);
    for (const what of ['workspaces', 'projects', 'agent-pools']) {
      assert.equal((await caller.read(`/organizations/acme/${what}`)).status, 404);
    }
  });

  it('are unlinked when it is destroyed, not before', async () => {
    await withUsers('default', 'provider_a');
    const linked = () =>
      caller.service.snapshot().workspaces.filter(({ oauthClientId }) => oauthClientId === 'oc-used').length;
    await caller.updateClient('oc-used', { name: 'x', key: 'y' });
    await caller.send('DELETE', '/oauth-clients/oc-idle');
    assert.equal(linked(), 30);
    await caller.send('DELETE', '/oauth-clients/oc-used');
    assert.equal(linked(), 0);
  });
});

describe("under a profile of one's own", () => {
  const folder = temporaryFolder();
  const shipped = path.resolve(__dirname, '../../../profiles/default.json');

  it('a data-center provider can be defined', async () => {
    const ours = { displayName: 'Ours', together: [['secret', 'rsaPublicKey']] };
    const profile = { ...JSON.parse(readFileSync(shipped, 'utf8')), serviceProviders: { provider_dc: ours } };
    const file = path.join(folder(), 'mine.json');
    writeFileSync(file, JSON.stringify(profile));
    const caller = await Caller.start({ profile: file });
    const answer = await caller.createClient({ 'service-provider': 'provider_dc', key: 'k' });
    assert.equal(answer.at('/data/attributes/service-provider-display-name'), 'Ours');
    await caller.close();
  });

  it('a mistake is refused at the start with its position, as is a name of nothing', async () => {
    const file = path.join(folder(), 'bad.json');
    writeFileSync(file, readFileSync(shipped, 'utf8').replace('"maxSources": null', '"maxSources": "many"'));
    await assert.rejects(Caller.start({ profile: file }), /bad\.json:\d+:29: \/limits\/maxSources: must be/);
    await assert.rejects(Caller.start({ profile: 'no-such' }), /There is no profile "no-such"/);
  });
});
