// The data file: what outlives the service, what is refused and left as it is, and what a full disk does.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { createService, type SeedObject } from '../../service';
import { Caller, mediaType, seed } from '../support/api-caller';
import { startTether, until } from '../support/background';
import { asOrdinaryUser } from '../support/ordinary-user';
import { temporaryFolder } from '../support/temporary-folder';

/** A seed with objects in it, which a restart must not bring back. */
const seedWithObjects: SeedObject = {
  organizations: {
    acme: {
      workspaces: { 'ws-a': { oauthClient: 'oc-gone' }, 'ws-b': {} },
      oauthClients: Object.fromEntries(
        ['oc-old', 'oc-gone'].map((id) => [
          id,
          { serviceProvider: 'provider_a', httpUrl: 'https://h', apiUrl: 'https://h/api', name: 'seeded' },
        ]),
      ),
      runTriggers: { 'rt-old': { workspace: 'ws-a', sourceable: 'ws-b' } },
    },
  },
  tokens: { owner: { acme: 'owner' } },
};

describe('the data file', () => {
  const folder = temporaryFolder();
  const inFolder = (name: string) => path.join(folder(), name);
  const dataFile = () => inFolder('service.json');

  it('brings everything back, for its owner alone to read and without a secret', async () => {
    const first = await Caller.start({ data: dataFile() });
    const id = await first.newClient({ name: 'kept', secret: 'S3CRET-a', 'oauth-token-string': 'S3CRET-b' });
    await first.createTrigger('ws-app', 'ws-network');
    const before = first.service.snapshot();
    await first.close();
    const second = await Caller.start({ data: dataFile(), seed: {} });
    assert.deepEqual(second.service.snapshot(), before);
    assert.equal((await second.read(`/oauth-clients/${id}`)).at('/data/attributes/name'), 'kept');
    await second.close();
    assert.doesNotMatch(readFileSync(dataFile(), 'utf8'), /S3CRET|"owner-token"|builder/);
    assert.equal(statSync(dataFile()).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder()), ['service.json']);
  });

  it('is filled by the seed once: a restart undoes nothing that was changed since', async () => {
    const first = await Caller.start({ data: dataFile(), seed: seedWithObjects });
    assert.equal(first.service.seeded, true);
    assert.equal((await first.updateClient('oc-old', { name: 'changed' })).status, 200);
    assert.equal((await first.send('DELETE', '/run-triggers/rt-old')).status, 204);
    assert.equal((await first.send('DELETE', '/oauth-clients/oc-gone')).status, 204);
    const before = first.service.snapshot();
    await first.close();
    const second = await Caller.start({ data: dataFile(), seed: seedWithObjects });
    assert.equal(second.service.seeded, false);
    assert.deepEqual(second.service.snapshot(), before);
    await second.close();
  });

  it('holds every change that was answered when `tether serve` is killed, and its seed brings nothing back', async () => {
    const seedFile = inFolder('seed.json');
    writeFileSync(seedFile, JSON.stringify(seedWithObjects));
    const args = ['serve', '--data', dataFile(), '--seed', seedFile];
    const serve = async () => {
      const run = startTether(args, { cwd: folder() });
      await until('the service listens', () => run.stdout().includes('\n'));
      const url = run.stdout().trim().replace('listening on ', '');
      const call = async (method: string, where: string, body?: object) => {
        const headers = { authorization: 'Bearer owner', 'content-type': mediaType };
        const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
        const answer = await fetch(url + where, init);
        return { status: answer.status, text: await answer.text() };
      };
      return { run, call };
    };
    const first = await serve();
    const body = { data: { type: 'oauth-clients', attributes: { name: 'changed' } } };
    assert.equal((await first.call('PATCH', '/oauth-clients/oc-old', body)).status, 200);
    assert.equal((await first.call('DELETE', '/run-triggers/rt-old')).status, 204);
    first.run.signal('SIGKILL');
    await first.run.ended;
    const second = await serve();
    assert.match((await second.call('GET', '/oauth-clients/oc-old')).text, /"name":"changed"/);
    assert.equal((await second.call('GET', '/run-triggers/rt-old')).status, 404);
    second.run.signal('SIGTERM');
    const { code, stderr } = await second.run.ended;
    assert.equal(code, 0);
    assert.ok(stderr.startsWith(`${dataFile()} is not empty; ${seedFile} was not applied\n`), stderr);
  });

  it('gets a line for each change, which a snapshot takes in now and then and at the end', async () => {
    const caller = await Caller.start({ data: dataFile(), seed: seedWithObjects });
    const lines = () => readFileSync(dataFile(), 'utf8').split('\n').length - 1;
    const counts = [lines()];
    const rename = (name: string) => caller.updateClient('oc-old', { name });
    for (const name of ['a', 'b', 'c']) {
      await rename(name);
      counts.push(lines());
    }
    assert.deepEqual(counts, [1, 2, 3, 4]);
    for (let count = 0; count < 40; count += 1) await rename('x'.repeat(10_000));
    assert.ok(lines() < 20, `${lines()} lines`);
    const before = caller.service.snapshot();
    await caller.close();
    assert.deepEqual(JSON.parse(readFileSync(dataFile(), 'utf8')).records, before);
  });

  it('is read up to a line without its end, whose change was never answered', async () => {
    const killed = await Caller.start({ data: dataFile(), seed: seedWithObjects });
    await killed.updateClient('oc-old', { name: 'answered' });
    await killed.updateClient('oc-old', { name: 'cut off' });
    const whole = readFileSync(dataFile());
    await killed.close();
    writeFileSync(dataFile(), whole.subarray(0, -1));
    const caller = await Caller.start({ data: dataFile() });
    assert.equal((await caller.read('/oauth-clients/oc-old')).at('/data/attributes/name'), 'answered');
    assert.equal((await caller.updateClient('oc-old', { name: 'after' })).status, 200);
    const before = caller.service.snapshot();
    const again = await Caller.start({ data: dataFile() });
    assert.deepEqual(again.service.snapshot(), before);
    await Promise.all([caller.close(), again.close()]);
  });

  it('is written whole where another one has taken its place, or is longer than it was left', async () => {
    const caller = await Caller.start({ data: dataFile() });
    const isWhole = () =>
      assert.deepEqual(JSON.parse(readFileSync(dataFile(), 'utf8')).records, caller.service.snapshot());
    const others: readonly (() => void)[] = [
      () => rmSync(dataFile()),
      () => writeFileSync(dataFile(), 'x', { flag: 'a' }),
      () => renameSync(inFolder('other'), dataFile()),
    ];
    for (const replace of others) {
      await caller.newClient();
      writeFileSync(inFolder('other'), 'x'.repeat(statSync(dataFile()).size));
      replace();
      await caller.newClient();
      isWhole();
    }
    await caller.newClient();
    // Whoever prepares a restart does so before it.
    writeFileSync(dataFile(), '');
    await caller.close();
    assert.equal(readFileSync(dataFile(), 'utf8'), '');
  });

  it('keeps what the admin port changes: a seed that is added, and one that replaces everything', async () => {
    const first = await Caller.start({ data: dataFile() });
    first.service.patchSeed({ tokens: { late: { acme: 'owner' } } });
    await first.close();
    const second = await Caller.start({ data: dataFile() });
    assert.equal((await second.createClient({}, {}, { token: 'late' })).status, 201);
    second.service.seed(seedWithObjects);
    await second.close();
    const third = await Caller.start({ data: dataFile() });
    assert.equal((await third.read('/oauth-clients/oc-old')).status, 200);
    assert.equal(third.service.snapshot().oauthClients.length, 2);
    await third.close();
  });

  it('may be a file without content, and a link to a file, which stays one', async () => {
    mkdirSync(inFolder('elsewhere'));
    writeFileSync(inFolder('elsewhere/service.json'), '');
    symlinkSync(inFolder('elsewhere/service.json'), dataFile());
    const caller = await Caller.start({ data: dataFile() });
    assert.equal(caller.service.seeded, true);
    await caller.close();
    assert.ok(lstatSync(dataFile()).isSymbolicLink());
    assert.match(readFileSync(inFolder('elsewhere/service.json'), 'utf8'), /acme/);
  });

  it('is not made by a start that fails, and a mistake in the seed counts though the file has content', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    await assert.rejects(createService({ seed, port, data: dataFile() }), /is in use/);
    other.close();
    await assert.rejects(createService({ seed, profile: 'nope', data: dataFile() }), /nope/);
    assert.deepEqual(readdirSync(folder()), []);
    await (await Caller.start({ data: dataFile() })).close();
    const wrong = { tokens: { t: { nowhere: 'owner' as const } } };
    await assert.rejects(createService({ seed: wrong, data: dataFile() }), /no such organization/);
  });

  const places: readonly (readonly [string, string, RegExp])[] = [
    ['nobody named', '', /^data file: no file is named\. Name one/],
    ['in a folder that is not there', 'no/where/x.json', /: its folder .*no\/where does not exist\. Make it/],
    ['under a file', 'plain/x.json', /: .*plain is not a folder\. Choose another file\.$/],
    // Newer versions of Node take this for a folder that is not there.
    ['far under a file', 'plain/no/x.json', /\(ENOTDIR\)\.|: its folder .*no does not exist\./],
    ['that is a folder', 'folder', /: is a folder\. Name a file in it, such as .*folder\/service\.json\.$/],
    ['that is a pipe', 'pipe', /: is not a plain file\. Choose another one\.$/],
    ['that is a link to a pipe', 'to-pipe', /: is not a plain file\./],
    ['that is a link to a device without end', 'to-zero', /: is not a plain file\./],
    ['that is a link to a folder', 'to-folder', /: is a folder\./],
    ['that is a link to nothing', 'to-nothing', /: is a link to nothing\./],
    ['that is a link to itself', 'to-itself', /: cannot be read and written by this user \(ELOOP\)\./],
    [
      'whose name is too long',
      'x'.repeat(300),
      /: cannot be read and written by this user \(ENAMETOOLONG\)\./,
    ],
  ];
  for (const [what, name, why] of places) {
    it(`cannot be one ${what}`, async () => {
      mkdirSync(inFolder('folder'));
      writeFileSync(inFolder('plain'), '');
      execFileSync('mkfifo', [inFolder('pipe')]);
      const links = { pipe: inFolder('pipe'), zero: '/dev/zero', folder: inFolder('folder') };
      for (const [to, target] of Object.entries({ ...links, nothing: inFolder('none'), itself: 'to-itself' }))
        symlinkSync(target, inFolder(`to-${to}`));
      const before = readdirSync(folder());
      const data = name === '' ? '' : inFolder(name);
      await assert.rejects(createService({ data }), (error: Error) => {
        assert.equal(error.name, 'DataFileError');
        assert.ok(error.message.startsWith(data === '' ? 'data file: ' : `${data}: `), error.message);
        assert.match(error.message, why);
        return true;
      });
      assert.deepEqual(readdirSync(folder()), before);
    });
  }

  const head = '"format":"tether-service-data"';
  const tables = ['organizations', 'projects', 'agentPools', 'workspaces', 'tokens', 'oauthClients'];
  const records = (triggers: string) =>
    `{${tables.map((name) => `"${name}":[],`).join('')}"runTriggers":${triggers}}`;
  const contents: readonly (readonly [string, string | Buffer, RegExp])[] = [
    [
      'no JSON',
      'TOPSECRET, only words',
      /: is not JSON, or is damaged\. It was left as it is: choose another/,
    ],
    ['half a snapshot', `{${head},"version":1,"records":{"organi`, /: is not JSON, or is damaged\./],
    ['bytes that are no text', Buffer.from([0x22, 0xff, 0x22]), /: is not JSON, or is damaged\./],
    [
      'JSON of something else',
      '{"name":"TOPSECRET"}',
      /: is not a data file of this version of the service: \/ /,
    ],
    ['a list', '[]', /: is not a data file of this version of the service: \/ must be object\./],
    ['null', 'null', /: is not a data file of this version of the service: \/ must be object\./],
    ['another version', `{${head},"version":2,"records":{}}`, /: is not a data .*: \/version must be 1\./],
    [
      'no records',
      `{${head},"version":1}`,
      /: is not a data file of this version of the service: \/ must have required property 'records'\./,
    ],
    [
      'a record that lacks a member',
      `{${head},"version":1,"records":${records('[{"id":"TOPSECRET"}]')}}`,
      /: is not a data file .*: \/records\/runTriggers\/0 must have required property 'createdAt'\./,
    ],
    [
      'a line that is damaged',
      `{${head},"version":1,"records":${records('[]')}}\n[{"table":"TOPSECRET\n`,
      /: is not JSON, or is damaged\./,
    ],
    [
      'a line of something else',
      `{${head},"version":1,"records":${records('[]')}}\n[{"table":"TOPSECRET","key":"","record":null}]\n`,
      /: is not a data file .*: line 2 \/0\/table must be one of organizations, /,
    ],
    [
      'a line with a record that lacks a member',
      `{${head},"version":1,"records":${records('[]')}}\n[]\n[{"table":"projects","key":"TOPSECRET","record":{}}]\n`,
      /: is not a data file .*: line 3 must have required property 'id'\./,
    ],
  ];
  for (const [what, content, why] of contents) {
    it(`is refused, named and left as it is when it holds ${what}`, async () => {
      writeFileSync(dataFile(), content);
      const before = readFileSync(dataFile());
      await assert.rejects(createService({ seed, data: dataFile() }), (error: Error) => {
        assert.equal(error.name, 'DataFileError');
        assert.match(error.message, why);
        assert.doesNotMatch(error.message, /TOPSECRET/);
        return error.message.startsWith(`${dataFile()}: `);
      });
      assert.deepEqual(readFileSync(dataFile()), before);
    });
  }

  it('is read where it cannot be written any more, and changed by nothing', async () => {
    await (await Caller.start({ data: dataFile(), seed: seedWithObjects })).close();
    const before = readFileSync(dataFile());
    // In the way of the next snapshot, like a disk without room for it.
    mkdirSync(`${dataFile()}.tether-tmp`);
    const caller = await Caller.start({ data: dataFile(), seed: seedWithObjects });
    assert.equal((await caller.read('/oauth-clients/oc-old')).status, 200);
    assert.equal((await caller.updateClient('oc-old', { name: 'x' })).status, 500);
    await caller.close();
    assert.deepEqual(readFileSync(dataFile()), before);
  });

  it('is what an earlier service wrote, with nothing in it too', async () => {
    writeFileSync(dataFile(), `{${head},"version":1,"records":${records('[]')}}`);
    const caller = await Caller.start({ data: dataFile() });
    assert.equal(caller.service.seeded, true);
    await caller.close();
  });

  it('cannot be one that this user may not write', async () => {
    mkdirSync(inFolder('locked'));
    writeFileSync(inFolder('readable.json'), '');
    chmodSync(inFolder('locked'), 0o500);
    chmodSync(inFolder('readable.json'), 0o400);
    await asOrdinaryUser([folder(), inFolder('locked'), inFolder('readable.json')], async () => {
      const refused = (name: string, message: RegExp) =>
        assert.rejects(createService({ data: inFolder(name) }), message);
      await refused('locked/x.json', /locked\/x\.json: cannot be written: EACCES: permission denied/);
      await refused('readable.json', /readable\.json: cannot be read and written by this user \(EACCES\)\./);
    });
    assert.deepEqual(readdirSync(inFolder('locked')), []);
  });

  describe('that cannot be written any more', () => {
    let caller: Caller;
    let warned: string[];
    const away = () => inFolder('away');
    const disk = () => inFolder('disk');
    const breakDisk = () => renameSync(disk(), away());
    const mendDisk = () => renameSync(away(), disk());
    beforeEach(async () => {
      mkdirSync(disk());
      warned = [];
      caller = await Caller.start({
        data: path.join(disk(), 'service.json'),
        behaviours: { 'delete-visible-ms': '600000' },
        warn: (sentence) => warned.push(sentence),
      });
    });
    afterEach(() => caller.close());

    it('has every change refused and undone, and is named to whoever runs the service', async () => {
      const id = await caller.newClient({ name: 'before' });
      const before = caller.service.snapshot();
      breakDisk();
      const refused = await caller.createClient();
      assert.deepEqual(
        [refused.status, refused.at('/errors/0/detail')],
        [500, 'the data file cannot be written; nothing was changed'],
      );
      assert.equal((await caller.updateClient(id, { name: 'after' })).status, 500);
      assert.throws(() => caller.service.patchSeed({ organizations: { late: {} } }), /cannot be written/);
      assert.deepEqual(caller.service.snapshot(), before);
      assert.equal((await caller.read(`/oauth-clients/${id}`)).at('/data/attributes/name'), 'before');
      assert.deepEqual(
        warned.map((sentence) => sentence.replace(/ENOENT.*/, 'ENOENT')),
        ['POST /api/v2/organizations/acme/oauth-clients', `PATCH /api/v2/oauth-clients/${id}`].map(
          (what) =>
            `${what} was answered with 500: ${path.join(disk(), 'service.json')}: cannot be written: ENOENT`,
        ),
      );
      mendDisk();
      assert.equal((await caller.updateClient(id, { name: 'after' })).status, 200);
    });

    it('has a refused delete leave the object listed once, though deleted ones linger', async () => {
      const id = await caller.newClient();
      const trigger = (await caller.createTrigger('ws-app', 'ws-network')).textAt('/data/id');
      breakDisk();
      assert.equal((await caller.send('DELETE', `/oauth-clients/${id}`)).status, 500);
      assert.equal((await caller.send('DELETE', `/run-triggers/${trigger}`)).status, 500);
      assert.deepEqual((await caller.read('/organizations/acme/oauth-clients')).idsAt('/data'), [id]);
      assert.deepEqual((await caller.listTriggers('ws-app', 'inbound')).idsAt('/data'), [trigger]);
    });

    it('leaves nothing of the attempt beside it', async () => {
      // A folder that took the file's place lets the snapshot be written and not be put there.
      rmSync(path.join(disk(), 'service.json'));
      mkdirSync(path.join(disk(), 'service.json/in-the-way'), { recursive: true });
      assert.equal((await caller.createClient()).status, 500);
      assert.deepEqual(readdirSync(disk()), ['service.json']);
    });
  });
});
