// What differs by profile: providers, tokens in PATCH, foreign projects, includes.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { digestSecret } from '../../service';
import { Caller, projects } from '../support/api-caller';
import { proves } from './proves';

describe('under the profile hcp-terraform', () => {
  let caller: Caller;
  beforeEach(async () => {
    caller = await Caller.start({ profile: 'hcp-terraform' });
  });
  afterEach(() => caller.close());

  const github = { 'service-provider': 'github' };

  proves(['gap-token-in-patch'], 'a PATCH replaces the token and keeps its id', async () => {
    const id = await caller.newClient({ ...github, 'oauth-token-string': 't1' });
    const [before] = caller.service.snapshot().oauthClients[0]?.oauthTokens ?? [];
    assert.equal((await caller.updateClient(id, { 'oauth-token-string': 't2' })).status, 200);
    const [after] = caller.service.snapshot().oauthClients[0]?.oauthTokens ?? [];
    assert.deepEqual(after, { ...before, digest: digestSecret('t2') });
    const wrong = await caller.updateClient(id, { 'oauth-token-string': 5 });
    assert.deepEqual([wrong.status, ...wrong.sources()], [422, '/data/attributes/oauth-token-string']);
  });

  proves(['gap-token-in-patch'], 'a PATCH gives a first token to a client without one', async () => {
    const id = await caller.newClient(github);
    const answer = await caller.updateClient(id, { 'oauth-token-string': 't' });
    assert.equal(answer.listAt('/data/relationships/oauth-tokens/data').length, 1);
  });

  proves(['gap-empty-secret'], 'an empty token is a value, in a create as in a PATCH', async () => {
    const token = { 'oauth-token-string': '' };
    const created = await caller.createClient({ ...github, ...token });
    assert.equal(created.listAt('/data/relationships/oauth-tokens/data').length, 1);
    const updated = await caller.updateClient(await caller.newClient(github), token);
    assert.equal(updated.listAt('/data/relationships/oauth-tokens/data').length, 1);
  });

  proves(
    ['gap-foreign-project'],
    'a create drops foreign projects in silence and refuses unknown ones',
    async () => {
      const created = await caller.createClient(github, { projects: projects('prj-far', 'prj-web') });
      assert.deepEqual(
        [created.status, ...created.idsAt('/data/relationships/projects/data')],
        [201, 'prj-web'],
      );
      assert.equal((await caller.createClient(github, { projects: projects('prj-none') })).status, 422);
    },
  );

  proves(['gap-outbound-include'], 'nothing is included in the outbound list', async () => {
    await caller.createTrigger('ws-app', 'ws-network');
    const outbound = await caller.listTriggers('ws-network', 'outbound', '&include=workspace');
    assert.equal(outbound.status, 200);
    assert.deepEqual(outbound.listAt('/included'), []);
    const inbound = await caller.listTriggers('ws-app', 'inbound', '&include=workspace');
    assert.deepEqual(inbound.idsAt('/included'), ['ws-app']);
  });

  proves(
    ['gap-data-center', 'create-rsa-key', 'gap-required-secrets', 'gap-empty-key'],
    'the data-center provider wants both halves of its key or none, and no empty key',
    async () => {
      const provider = { 'service-provider': 'bitbucket_data_center' };
      const none = await caller.createClient(provider);
      assert.equal(none.status, 201);
      const half = await caller.createClient({ ...provider, secret: 's' });
      assert.deepEqual([half.status, ...half.sources()], [422, '/data/attributes/rsa-public-key']);
      const other = await caller.createClient({ ...provider, 'rsa-public-key': 'r' });
      assert.deepEqual([other.status, ...other.sources()], [422, '/data/attributes/secret']);
      const both = await caller.createClient({ ...provider, secret: 's', 'rsa-public-key': 'r', key: 'k' });
      assert.equal(both.status, 201);
      assert.equal(both.at('/data/attributes/rsa-public-key'), 'r');
      const empty = await caller.updateClient(both.textAt('/data/id'), { key: '' });
      assert.deepEqual([empty.status, ...empty.sources()], [422, '/data/attributes/key']);
      assert.equal((await caller.createClient({ 'service-provider': 'provider_a' })).status, 422);
    },
  );

  proves(
    ['gap-data-center', 'update-rsa-key'],
    'a PATCH leaves a data-center client with both halves of its key or none',
    async () => {
      const provider = { 'service-provider': 'bitbucket_data_center' };
      const bare = await caller.newClient(provider);
      const before = caller.service.snapshot();
      const halves: readonly [Record<string, string>, string][] = [
        [{ secret: 's' }, 'rsa-public-key'],
        [{ 'rsa-public-key': 'r' }, 'secret'],
        [{ secret: 's', 'rsa-public-key': '' }, 'rsa-public-key'],
      ];
      for (const [half, missing] of halves) {
        const refused = await caller.updateClient(bare, half);
        assert.deepEqual([refused.status, ...refused.sources()], [422, `/data/attributes/${missing}`]);
      }
      assert.deepEqual(caller.service.snapshot(), before);
      assert.equal((await caller.updateClient(bare, { name: 'x' })).status, 200);
      assert.equal((await caller.updateClient(bare, { secret: 's', 'rsa-public-key': 'r' })).status, 200);
      // What is stored already counts: each half may be renewed alone, and none taken away alone.
      assert.equal((await caller.updateClient(bare, { secret: 's2' })).status, 200);
      assert.equal((await caller.updateClient(bare, { 'rsa-public-key': 'r2' })).status, 200);
      assert.equal((await caller.updateClient(bare, { 'rsa-public-key': '' })).status, 422);
      assert.equal((await caller.updateClient(bare, { secret: '', 'rsa-public-key': '' })).status, 200);
      assert.equal((await caller.updateClient(bare, { secret: 's' })).status, 422);
      // A half that was there before is none of a PATCH's business that touches neither.
      const half = { serviceProvider: 'bitbucket_data_center', httpUrl: 'https://h', apiUrl: 'https://h' };
      caller.service.patchSeed({
        organizations: { acme: { oauthClients: { 'oc-half': { ...half, rsaPublicKey: 'r' } } } },
      });
      assert.equal((await caller.updateClient('oc-half', { name: 'x' })).status, 200);
    },
  );
});

describe("under a profile of one's own", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'tether-profile-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  function write(name: string, change: (text: string) => string): string {
    const text = readFileSync(path.resolve(__dirname, '../../../profiles/default.json'), 'utf8');
    const file = path.join(folder, name);
    writeFileSync(file, change(text));
    return file;
  }

  proves(['gap-data-center'], 'a data-center provider can be defined', async () => {
    const file = write('mine.json', (text) => {
      const profile = JSON.parse(text);
      const ours = { displayName: 'Ours', together: [['secret', 'rsaPublicKey']] };
      return JSON.stringify({ ...profile, name: 'mine', serviceProviders: { provider_dc: ours } });
    });
    const caller = await Caller.start({ profile: file });
    const answer = await caller.createClient({
      'service-provider': 'provider_dc',
      secret: 's',
      'rsa-public-key': 'r',
    });
    assert.equal(answer.at('/data/attributes/service-provider-display-name'), 'Ours');
    await caller.close();
  });

  it('a mistake is refused at the start with its position', async () => {
    const file = write('bad.json', (text) => text.replace('"maxSources": null', '"maxSources": "many"'));
    const line =
      readFileSync(file, 'utf8')
        .split('\n')
        .findIndex((text) => text.includes('maxSources')) + 1;
    await assert.rejects(Caller.start({ profile: file }), (error: Error) => {
      assert.ok(error.message.startsWith(`${file}:${line}:`), error.message);
      return error.name === 'DocumentError';
    });
  });

  it('a name that is neither a profile nor a file is refused', async () => {
    await assert.rejects(Caller.start({ profile: 'no-such' }), /no-such.*no profile of this name/);
  });
});
