// The file of the durable store: what survives, what is refused and left as it is.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'libsql';
import { openSqliteStore } from '../../service/store/sqlite-store';
import { Caller, clientBody, mediaType, seed } from '../support/api-caller';

const serviceModule = path.resolve(__dirname, '../../service/index.js');
const storeModule = path.resolve(__dirname, '../../service/store/sqlite-store.js');

// Writes pairs of records for ever; says which pair is acknowledged.
const writer = `
  const { openSqliteStore } = require(${JSON.stringify(storeModule)});
  const store = openSqliteStore(process.argv[1]);
  const begin = store.all('organizations').length / 2;
  for (let count = begin; ; count += 1) {
    store.atomically(() => {
      store.put('organizations', { name: 'a' + count });
      store.put('organizations', { name: 'b' + count });
    });
    process.stdout.write(count + '\\n');
  }`;

describe('the file of the durable store', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'tether-data-'));
    file = path.join(folder, 'service.db');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('brings everything back after a clean end', async () => {
    const first = await Caller.start({ data: file });
    const id = await first.newClient({ name: 'kept', secret: 'S3CRET' });
    await first.createTrigger('ws-app', 'ws-network');
    const before = first.service.snapshot();
    await first.close();
    const second = await Caller.start({ data: file, seed: {} });
    assert.deepEqual(second.service.snapshot(), before);
    assert.equal((await second.read(`/oauth-clients/${id}`)).at('/data/attributes/name'), 'kept');
    await second.close();
    assert.doesNotMatch(readFileSync(file, 'latin1'), /S3CRET|owner-token/);
  });

  it('loses nothing that was acknowledged when the process is killed, 20 times', async () => {
    let acknowledged = -1;
    for (let round = 0; round < 20; round += 1) {
      const child: ChildProcess = spawn(process.execPath, ['-e', writer, file], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const { stdout } = child;
      assert.ok(stdout);
      const lines = createInterface({ input: stdout });
      let seen = 0;
      // Killed after a few lines, at a moment that nobody planned: in the middle of some write.
      lines.on('line', (line) => {
        acknowledged = Math.max(acknowledged, Number(line));
        seen += 1;
        if (seen === 3 + round * 7) child.kill('SIGKILL');
      });
      await Promise.all([once(child, 'exit'), once(lines, 'close')]);
      const store = openSqliteStore(file);
      const names = new Set(store.all('organizations').map(({ name }) => name));
      store.close();
      for (let count = 0; count <= acknowledged; count += 1) {
        assert.ok(
          names.has(`a${count}`) && names.has(`b${count}`),
          `${count} of ${acknowledged} in round ${round}`,
        );
      }
      assert.equal(names.size % 2, 0, 'half a transaction was kept');
    }
    assert.ok(acknowledged > 1000);
  });

  it('holds every create that was answered when the whole service is killed', async () => {
    const server = `
      const { createService } = require(${JSON.stringify(serviceModule)});
      createService({ data: process.argv[1], seed: ${JSON.stringify(seed)} }).then(({ url }) => console.log(url));`;
    const answered = new Set<string>();
    for (let round = 0; round < 3; round += 1) {
      const child: ChildProcess = spawn(process.execPath, ['-e', server, file], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      assert.ok(child.stdout);
      const [url] = await once(createInterface({ input: child.stdout }), 'line');
      const writeUntilKilled = async () => {
        for (;;) {
          const response = await fetch(`${url}/organizations/acme/oauth-clients`, {
            method: 'POST',
            headers: { authorization: 'Bearer owner', 'content-type': mediaType },
            body: JSON.stringify(clientBody()),
          });
          const { data } = (await response.json()) as { data: { id: string } };
          answered.add(data.id);
          if (answered.size === (round + 1) * 40) child.kill('SIGKILL');
        }
      };
      const writers = Array.from({ length: 8 }, () => assert.rejects(writeUntilKilled()));
      await Promise.all([once(child, 'exit'), ...writers]);
    }
    const after = await Caller.start({ data: file });
    const kept = new Set(after.service.snapshot().oauthClients.map(({ id }) => id));
    assert.deepEqual(
      [...answered].filter((id) => !kept.has(id)),
      [],
    );
    assert.ok(answered.size >= 120);
    await after.close();
  });

  it('belongs to one process at a time', () => {
    const store = openSqliteStore(file);
    const script = `require(${JSON.stringify(storeModule)}).openSqliteStore(process.argv[1])`;
    const { stderr, status } = spawnSync(process.execPath, ['-e', script, file], { encoding: 'utf8' });
    assert.notEqual(status, 0);
    assert.match(stderr, /service\.db: is in use by another process/);
    store.put('organizations', { name: 'still-ours' });
    store.close();
    openSqliteStore(file).close();
  });

  function refused(expected: RegExp): void {
    const before = readFileSync(file);
    assert.throws(() => openSqliteStore(file), expected);
    assert.deepEqual(readFileSync(file), before);
  }

  it('is refused and left as it is when it is no database', () => {
    writeFileSync(file, 'no database, only words. '.repeat(400));
    refused(/is no database or is damaged/);
  });

  it('is refused and left as it is when another program made it', () => {
    const database = new Database(file);
    database.exec('CREATE TABLE theirs (x)');
    database.close();
    refused(/of some other program/);
  });

  it('is refused and left as it is when a newer version made it', () => {
    openSqliteStore(file).close();
    const database = new Database(file);
    database.exec('PRAGMA user_version=99');
    database.close();
    refused(/newer version \(format 99/);
  });

  it('is refused and left as it is when its pages are damaged', () => {
    const store = openSqliteStore(file);
    store.atomically(() => {
      for (let count = 0; count < 4000; count += 1)
        store.put('organizations', { name: `organization-${count}` });
    });
    store.close();
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 4096 * 3, 4096 * 6);
    writeFileSync(file, bytes);
    refused(/damaged/);
  });

  it('is refused when its folder does not exist', () => {
    assert.throws(
      () => openSqliteStore(path.join(folder, 'none', 'x.db')),
      /its folder .*none does not exist/,
    );
  });
});
