// Starting and ending the service: wrong options, taken ports, seeds from files, quick ends.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import path from 'node:path';
import { mock } from 'node:test';
import Ajv from 'ajv/dist/core';
import { createService } from '../../service';
import { Caller } from '../support/api-caller';
import { HandClock } from '../support/hand-clock';

describe('starting the service', () => {
  it('refuses every wrong behaviour at once', async () => {
    const behaviours = {
      'page-size-max': '0',
      'list-order': 'up',
      colour: 'red',
      rate: '1.5',
      'max-sources': 'none',
    };
    await assert.rejects(createService({ behaviours }), (error: Error) => {
      assert.equal(error.name, 'ServiceError');
      assert.equal(error.message.split('\n').length, 5);
      assert.match(error.message, /There is no behaviour "colour"/);
      assert.match(error.message, /"up" is not a value of list-order. It takes: created, random/);
      return true;
    });
  });

  it('says that a port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    await assert.rejects(createService({ port }), /Port \d+ of 127\.0\.0\.1 is in use/);
    other.close();
  });

  it('says once where the syntax of a seed file is wrong', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'tether-seed-'));
    const file = path.join(folder, 'seed.yaml');
    await writeFile(file, 'tokens: {}\ntokens: {}\n');
    const message = `${file}:2:1: duplicated mapping key`;
    await assert.rejects(createService({ seed: file }), { message });
    await rm(folder, { recursive: true });
  });

  it('reads a seed file, and refuses one with mistakes at their places', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'tether-seed-'));
    const file = path.join(folder, 'seed.yaml');
    await writeFile(
      file,
      'organizations: { acme: { workspaces: { ws-a: } } }\ntokens: { owner: { acme: owner } }\n',
    );
    const caller = await Caller.start({ seed: file });
    assert.equal((await caller.listTriggers('ws-a', 'inbound')).status, 200);
    await caller.close();
    const wrong = [
      'organizations:',
      '  acme:',
      '    projects: { ws-a: {} }',
      '    colour: red',
      '    workspaces: 5',
      'tokens:',
      '  t: { acme: ownr }',
    ];
    await writeFile(file, wrong.join('\n'));
    await assert.rejects(Caller.start({ seed: file }), (error: Error) => {
      const places = error.message.split('\n').map((line) => line.slice(file.length).split(' ')[0]);
      assert.deepEqual(places, [':3:17:', ':4:5:', ':5:17:', ':7:14:']);
      assert.match(error.message, /must be "owner", or a map/);
      return error.name === 'DocumentError';
    });
    await assert.rejects(
      Caller.start({ seed: path.join(folder, 'none.yaml') }),
      /none\.yaml: cannot be read/,
    );
    await rm(folder, { recursive: true });
  });

  it('says why it cannot listen where nothing is taken', async () => {
    await assert.rejects(createService({ host: '192.0.2.1' }), (error: Error) => {
      assert.doesNotMatch(error.message, /in use/);
      return /EADDRNOTAVAIL/.test(error.message);
    });
  });

  it('refuses a profile that is no YAML, or says what no profile says, at its places', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'tether-profile-'));
    const file = path.join(folder, 'profile.json');
    const refused: readonly (readonly [string, RegExp])[] = [
      ['{"name": [', /profile\.json:1:/],
      [
        '{\n"name": 5,\n"colour": "red", "shade": 1 }',
        /profile\.json:2:9: .*\n(.*\n)*.*profile\.json:3:1: .*unknown key/,
      ],
    ];
    for (const [text, message] of refused) {
      await writeFile(file, text);
      await assert.rejects(createService({ profile: file }), message);
    }
    await rm(folder, { recursive: true });
  });

  it('refuses a seed in which one alias stands for too much', async () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x, x]'];
    for (const [name, of] of ['ba', 'cb', 'dc', 'ed'].map((pair) => [...pair])) {
      bomb.push(`${name}: &${name} [${Array(10).fill(`*${of}`).join(', ')}]`);
    }
    const folder = await mkdtemp(path.join(tmpdir(), 'tether-bomb-'));
    const file = path.join(folder, 'seed.yaml');
    await writeFile(file, `${bomb.join('\n')}\n`);
    await assert.rejects(Caller.start({ seed: file }), (error: Error) => error.name === 'DocumentError');
    await rm(folder, { recursive: true });
  });

  it('is the same run again when time, chance and ids are the same', async () => {
    const run = async () => {
      let next = 0;
      const clock = new HandClock();
      const caller = await Caller.start({
        clock,
        random: () => 0.5,
        newId: (prefix) => {
          next += 1;
          return `${prefix}-${next}`;
        },
        behaviours: { 'list-order': 'random', 'delete-visible-ms': '1000', 'latency-ms': '0' },
      });
      const answers = [
        await caller.createClient({ name: 'one' }),
        await caller.createTrigger('ws-app', 'ws-docs'),
      ];
      clock.pass(5000);
      answers.push(
        await caller.createClient({ name: 'two' }),
        await caller.send('DELETE', '/oauth-clients/oc-1'),
      );
      answers.push(await caller.read('/organizations/acme/oauth-clients'));
      const { port } = new URL(caller.service.url);
      const texts = answers.map((answer) => answer.text.replaceAll(`:${port}`, ''));
      const end = { texts, snapshot: caller.service.snapshot(), requests: caller.service.requests() };
      await caller.close();
      return end;
    };
    assert.deepEqual(await run(), await run());
  });

  it('compiles no schema that an earlier service compiled, so that tests can start thousands', async () => {
    await (await Caller.start()).close();
    const compile = mock.method(Ajv.prototype, 'compile');
    await (await Caller.start()).close();
    compile.mock.restore();
    assert.equal(compile.mock.callCount(), 0);
  });

  it('delays every answer where that is switched', async () => {
    const clock = new HandClock();
    const caller = await Caller.start({ clock, behaviours: { 'latency-ms': '80' } });
    const answer = caller.read('/oauth-clients/oc-1');
    await clock.sleeping(1);
    clock.pass(80);
    assert.equal((await answer).status, 404);
    await caller.close();
  });

  it('ends at once though connections are open and answers wait', async () => {
    const caller = await Caller.start({ behaviours: { 'latency-ms': '3600000' } });
    const idle = connect(Number(new URL(caller.service.url).port), '127.0.0.1');
    await once(idle, 'connect');
    const waiting = caller.read('/oauth-clients/oc-1').catch((error: Error) => error);
    while (caller.service.requests().length === 0) await new Promise((resolve) => setImmediate(resolve));
    const closed = once(idle, 'close');
    idle.resume();
    await caller.close();
    await Promise.all([waiting, closed]);
  });

  it('answers hundreds of connections at once', async () => {
    const caller = await Caller.start();
    const answers = await Promise.all(Array.from({ length: 300 }, () => caller.createClient()));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    assert.equal(new Set(answers.map((answer) => answer.textAt('/data/id'))).size, 300);
    assert.equal(caller.service.snapshot().oauthClients.length, 300);
    await caller.close();
  });

  it('listens on IPv6 too', async function () {
    const addresses = Object.values(networkInterfaces()).flat();
    if (!addresses.some((one) => one?.address === '::1')) this.skip();
    const caller = await Caller.start({ host: '::1' });
    assert.match(caller.service.url, /^http:\/\/\[::1\]:\d+\/api\/v2$/);
    assert.equal((await caller.createClient()).status, 201);
    await caller.close();
  });

  it('keeps services apart', async () => {
    const [one, other] = await Promise.all([Caller.start(), Caller.start()]);
    await one.createClient();
    assert.equal(other.service.snapshot().oauthClients.length, 0);
    assert.notEqual(one.service.url, other.service.url);
    await Promise.all([one.close(), other.close()]);
  });

  it('lists 5,000 clients and 100,000 triggers, and shows one of them', async () => {
    const client = {
      serviceProvider: 'provider_a',
      httpUrl: 'https://x.example',
      apiUrl: 'https://x.example',
    };
    const oauthClients = Object.fromEntries(
      Array.from({ length: 5000 }, (_unused, index) => [`oc-${index}`, client]),
    );
    const workspaces = Object.fromEntries(
      Array.from({ length: 400 }, (_unused, index) => [`ws-${index}`, {}]),
    );
    const runTriggers = Object.fromEntries(
      Array.from({ length: 100_000 }, (_unused, index) => {
        const target = index % 400;
        const source = (target + 1 + Math.floor(index / 400)) % 400;
        return [`rt-${index}`, { workspace: `ws-${target}`, sourceable: `ws-${source}` }];
      }),
    );
    const caller = await Caller.start();
    caller.service.patchSeed({ organizations: { acme: { oauthClients, workspaces, runTriggers } } });
    assert.equal((await caller.read('/organizations/acme/oauth-clients')).listAt('/data').length, 5000);
    const page = await caller.listTriggers('ws-7', 'inbound');
    assert.deepEqual([page.listAt('/data').length, page.at('/meta/pagination/total-count')], [20, 250]);
    assert.equal((await caller.read('/run-triggers/rt-99999')).status, 200);
    await caller.close();
  });
});
