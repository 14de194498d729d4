/** Where requests go, what they may carry there, and what may come back. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import * as path from 'node:path';
import { gzipSync } from 'node:zlib';
import {
  AnswerLost,
  type ApiError,
  BadAnswer,
  type ClientOptions,
  createClient,
  createReadOnlyClient,
  Invalid,
  NotFound,
  NotSent,
  ReadOnly,
} from '../../client';
import { oauthClientWrites } from '../../client/oauth-clients';
import { createPerform } from '../../client/operation';
import { settle } from '../../client/options';
import { runTriggerWrites } from '../../client/run-triggers';
import { createTransport } from '../../client/transport';
import {
  empty,
  json,
  refusal,
  type ScriptedServer,
  silence,
  startScriptedServer,
  text,
} from '../support/scripted-server';
import { VirtualClock } from '../support/virtual-clock';
import { oauthClientResource } from '../support/wire-documents';

let server: ScriptedServer;

function options(changes: Partial<ClientOptions> = {}): ClientOptions {
  return { address: server.address, token: 'token-1', clock: new VirtualClock(), rate: 1e6, ...changes };
}

const client = (changes: Partial<ClientOptions> = {}) => createClient(options(changes));

async function failure(call: Promise<unknown>): Promise<ApiError> {
  try {
    await call;
  } catch (error) {
    return error as ApiError;
  }
  throw new assert.AssertionError({ message: 'the call succeeded' });
}

const one = { data: oauthClientResource('oc-1') };
const created = { serviceProvider: 'provider_a', httpUrl: 'https://a.test', apiUrl: 'https://b.test' };

describe('the transport', () => {
  beforeEach(async () => {
    server = await startScriptedServer();
  });
  afterEach(() => server.close());

  for (const status of [301, 302, 303, 307, 308]) {
    it(`follows no redirect (${status}), neither to another host nor to another path`, async () => {
      const other = await startScriptedServer();
      try {
        for (const location of [`${other.address}/x?token=1`, '/api/v2/elsewhere']) {
          server.script(text(status, '', { Location: location }), json(200, one));
          const before = server.arrived.length;
          for (const call of [
            client().oauthClients.read('oc-1'),
            client().oauthClients.create('acme', { ...created, secret: 'secret-1' }),
          ]) {
            server.script(text(status, '', { Location: location }));
            const error = await failure(call);
            assert.ok(error instanceof BadAnswer);
            assert.match(error.message, /not followed/);
            assert.doesNotMatch(error.message, /token=1|elsewhere/);
          }
          assert.equal(server.arrived.length, before + 2);
        }
        assert.deepEqual(other.arrived, []);
      } finally {
        await other.close();
      }
    });
  }

  it('keeps an id that looks like an address on its own host and path', async () => {
    server.script(refusal(404, 'not found'));
    for (const id of ['https://evil.test/x', '//evil.test', 'oc-1/../../admin', 'oc-1?x=1#y', 'a b\n']) {
      await failure(client().oauthClients.read(id));
      assert.equal(server.arrived.at(-1)?.url, `/api/v2/oauth-clients/${encodeURIComponent(id)}`);
      assert.equal(server.arrived.at(-1)?.headers.host, `127.0.0.1:${server.port}`);
    }
  });

  it('refuses what no encoding makes an id, before it connects', async () => {
    for (const id of ['', '.', '..', '\ud800']) {
      for (const call of [
        client().oauthClients.read(id),
        client().oauthClients.list(id),
        client().oauthClients.delete(id),
        client().runTriggers.list(id, 'inbound'),
        client().runTriggers.create(id, 'ws-1'),
      ]) {
        const error = await failure(call);
        assert.ok(error instanceof Invalid);
        assert.equal(error.outcome, 'not-sent');
        assert.match(error.message, /is no id or name; nothing was sent$/);
      }
    }
    assert.equal(server.connections(), 0);
  });

  it('never sends an empty secret', async () => {
    for (const name of ['secret', 'privateKey', 'oauthTokenString'] as const) {
      const error = await failure(client().oauthClients.create('acme', { ...created, [name]: '' }));
      assert.ok(error instanceof Invalid);
      assert.equal(
        error.message,
        `POST /organizations/acme/oauth-clients: ${name} is empty; nothing was sent`,
      );
    }
    assert.ok((await failure(client().oauthClients.update('oc-1', { secret: '' }))) instanceof Invalid);
    assert.equal(server.connections(), 0);
  });

  it('reads no more than it is told to, compressed or not', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '));
    for (const reply of [
      text(200, 'x'.repeat(2000)),
      (response: http.ServerResponse) => {
        response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb);
      },
    ]) {
      server.script(reply);
      const before = server.arrived.length;
      const error = await failure(client({ maxAnswerBytes: 1000 }).oauthClients.read('oc-1'));
      assert.ok(error instanceof BadAnswer, String(error));
      assert.match(error.message, /the answer is larger than this client reads/);
      assert.equal(server.arrived.length, before + 1, 'the next one would be no smaller');
    }
  });

  it('understands a compressed answer', async () => {
    server.script((response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(JSON.stringify(one)));
    });
    assert.equal((await client().oauthClients.read('oc-1')).id, 'oc-1');
  });

  it('gives up on an answer that drips for longer than an attempt may take', async () => {
    server.script((response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 5);
      response.on('close', () => clearInterval(timer));
    });
    const error = await failure(client({ timeoutMs: 60, attempts: 1 }).oauthClients.read('oc-1'));
    assert.ok(error instanceof BadAnswer);
    assert.match(error.message, /was cut off$/);
  });

  it('calls a create that is never answered lost', async () => {
    server.script(silence);
    const error = await failure(client({ timeoutMs: 60 }).oauthClients.create('acme', created));
    assert.ok(error instanceof AnswerLost);
    assert.match(error.message, /no answer from 127\.0\.0\.1:\d+ in time; it may have been applied/);
    assert.equal(server.arrived.length, 1);
  });

  it('opens a connection of its own for each POST, so that no stale one can lose its answer', async () => {
    server.script(json(200, one));
    const api = client();
    await api.oauthClients.read('oc-1');
    await api.oauthClients.read('oc-1');
    assert.equal(server.connections(), 1);
    server.script(empty);
    await api.oauthClients.attach('oc-1', ['prj-1']);
    await api.oauthClients.attach('oc-1', ['prj-1']);
    assert.equal(server.connections(), 3);
    assert.equal(server.arrived.at(-1)?.headers.connection, 'close');
  });

  it('asks no proxy that only the environment names', async () => {
    const proxy = await startScriptedServer();
    const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'];
    const before = names.map((name) => [name, process.env[name]] as const);
    for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`;
    try {
      server.script(json(200, one));
      await client().oauthClients.read('oc-1');
      assert.deepEqual(proxy.arrived, []);
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
      await proxy.close();
    }
  });

  it('asks the proxy that it is told to ask', async () => {
    const proxy = await startScriptedServer();
    try {
      proxy.script(json(200, one));
      const api = client({ proxy: `http://user:p%40ss@127.0.0.1:${proxy.port}` });
      await api.oauthClients.read('oc-1');
      assert.equal(proxy.arrived[0]?.url, `${server.address}/oauth-clients/oc-1`);
      const login = Buffer.from('user:p@ss').toString('base64');
      assert.equal(proxy.arrived[0]?.headers['proxy-authorization'], `Basic ${login}`);
      assert.deepEqual(server.arrived, []);
    } finally {
      await proxy.close();
    }
  });

  it('says that nothing was sent when the other side does not speak TLS', async () => {
    const secure = client({ address: `https://127.0.0.1:${server.port}/api/v2` });
    const error = await failure(secure.oauthClients.create('acme', created));
    assert.ok(error instanceof NotSent);
    assert.match(error.message, /does not speak TLS as expected \(EPROTO\): check the address and its port$/);
    assert.deepEqual(server.arrived, []);
  });

  it('says that nothing was sent when TLS is never completed', async () => {
    const deaf = http.createServer();
    deaf.on('connection', (socket) => socket.removeAllListeners('data').on('data', () => {}));
    await new Promise<void>((resolve) => deaf.listen(0, '127.0.0.1', resolve));
    const { port } = deaf.address() as AddressInfo;
    try {
      const api = client({ address: `https://127.0.0.1:${port}/api/v2`, timeoutMs: 60, attempts: 1 });
      const error = await failure(api.oauthClients.create('acme', created));
      assert.ok(error instanceof NotSent);
      assert.match(
        error.message,
        /no connection to 127\.0\.0\.1:\d+ in time: check the address and the network$/,
      );
    } finally {
      deaf.closeAllConnections();
      deaf.close();
    }
  });

  it('says that nothing was sent when the host name does not exist', async () => {
    const api = client({ address: 'https://service.invalid/api/v2', attempts: 2 });
    const error = await failure(api.oauthClients.create('acme', created));
    assert.ok(error instanceof NotSent);
    assert.match(
      error.message,
      /the host name service\.invalid cannot be resolved \((ENOTFOUND|EAI_AGAIN)\)/,
    );
  });

  it('does not let a page for people pass as an answer', async () => {
    for (const [status, page] of [
      [200, '<!doctype html><title>Sign in</title>'],
      [404, '\n <html><h1>Not here</h1>'],
    ] as const) {
      server.script(text(status, page, { 'Content-Type': 'text/html' }));
      for (const call of [
        client().oauthClients.read('oc-1'),
        client().oauthClients.delete('oc-1'),
        client().oauthClients.attach('oc-1', ['prj-1']),
      ]) {
        const error = await failure(call);
        assert.match(
          error.message,
          /the answer is HTML, not JSON:API: is the address right\? It should end in \/api\/v2/,
        );
        assert.doesNotMatch(error.message, /Sign in|Not here/);
      }
    }
  });

  it('says where a 404 may come from', async () => {
    server.script(refusal(404, 'not found'));
    const right = await failure(client().oauthClients.read('oc-1'));
    assert.ok(right instanceof NotFound);
    assert.equal(
      right.message,
      'GET /oauth-clients/oc-1: not found, or the token may not see it (404): not found',
    );
    const wrong = await failure(
      client({ address: `http://127.0.0.1:${server.port}` }).oauthClients.read('oc-1'),
    );
    assert.match(
      wrong.message,
      /is the address right\? http:\/\/127\.0\.0\.1:\d+ does not end in \/api\/v2$/,
    );
  });

  describe('of a read-only client', () => {
    it('refuses every method but GET before it connects', async () => {
      const settings = settle(options());
      const send = createTransport(settings, true);
      for (const method of ['POST', 'PATCH', 'DELETE'] as const) {
        const outgoing = { method, route: '/oauth-clients/oc-1', query: '', body: '{}', timeoutMs: 1000 };
        await assert.rejects(send(outgoing), ReadOnly);
      }
      assert.equal(server.connections(), 0);
    });

    it('makes every write an error, even one that somebody smuggles in', async () => {
      const perform = createPerform(settle(options()), 'read');
      const oauthClients = oauthClientWrites(perform);
      const runTriggers = runTriggerWrites(perform);
      for (const call of [
        oauthClients.create('acme', created),
        oauthClients.update('oc-1', {}),
        oauthClients.delete('oc-1'),
        oauthClients.attach('oc-1', ['prj-1']),
        oauthClients.detach('oc-1', ['prj-1']),
        runTriggers.create('ws-1', 'ws-2'),
        runTriggers.delete('rt-1'),
      ]) {
        const error = await failure(call);
        assert.ok(error instanceof ReadOnly);
        assert.equal(error.outcome, 'not-sent');
        assert.match(error.message, /refused, this client only reads; nothing was sent$/);
      }
      assert.equal(server.connections(), 0);
    });

    it('reads, and has nothing to write with', async () => {
      server.script(json(200, one));
      const api = createReadOnlyClient(options());
      assert.equal((await api.oauthClients.read('oc-1')).id, 'oc-1');
      assert.deepEqual(Object.keys(api.oauthClients), ['list', 'read', 'affectedWorkspaces']);
      assert.deepEqual(Object.keys(api.runTriggers), ['list', 'read']);
    });
  });

  it('loads axios at the first request and not on import', () => {
    const script = `
      const { createClient } = require(${JSON.stringify(path.resolve(__dirname, '../../client'))});
      createClient({ address: 'https://service.test/api/v2', token: 'token-1' });
      process.stdout.write(String(Object.keys(require.cache).some((file) => file.includes('axios'))));`;
    assert.equal(execFileSync(process.execPath, ['-e', script]).toString(), 'false');
  });
});
