/** Which connections are made and kept: none by the environment alone, TLS. */
import assert from 'node:assert/strict';
import * as net from 'node:net';
import { join } from 'node:path';
import { AnswerLost, NotSent } from '../../client/errors';
import { failureOf } from '../support/api-failure';
import { leastOAuthClient } from '../support/client-operations';
import { runProcess } from '../support/run-process';
import { empty, json, startScriptedServer } from '../support/scripted-server';
import { scriptedWire } from '../support/scripted-wire';
import { oauthClientResource } from '../support/wire-documents';

const one = { data: oauthClientResource('oc-1') };
const created = leastOAuthClient;

describe('connections', () => {
  const wire = scriptedWire();
  const { client } = wire;

  it('uses one for all that is sent one after the other, creates too', async () => {
    const api = client();
    wire.server.script(json(200, one));
    await api.oauthClients.read('oc-1');
    await api.oauthClients.create('acme', created);
    wire.server.script(empty);
    await api.oauthClients.attach('oc-1', ['prj-1']);
    assert.equal(wire.server.connections(), 1);
  });

  it('sends nothing on one that its server may have closed by now', async () => {
    const api = client();
    const { now } = performance;
    let clock = now.call(performance);
    // Its own clock: on a busy machine two seconds pass between two lines.
    performance.now = () => clock;
    try {
      // Less than what is on the way may take; and without a word, longer ago than any server is known to wait.
      wire.server.script(json(200, one, { 'Keep-Alive': 'timeout=1', Connection: 'keep-alive' }));
      await api.oauthClients.read('oc-1');
      await api.oauthClients.create('acme', created);
      assert.equal(wire.server.connections(), 2);
      wire.server.script(json(200, one, { 'Keep-Alive': 'max=100', Connection: 'keep-alive' }));
      await api.oauthClients.read('oc-1');
      assert.equal(wire.server.connections(), 3);
      await api.oauthClients.create('acme', created);
      assert.equal(wire.server.connections(), 3);
      clock += 2000;
      await api.oauthClients.create('acme', created);
    } finally {
      performance.now = now;
    }
    assert.equal(wire.server.connections(), 4);
  });

  it('goes on with one that is alive where another, of a later answer, may be closed', async () => {
    const api = client();
    let answerLast = () => {};
    const last = json(200, one, { 'Keep-Alive': 'timeout=5', Connection: 'keep-alive' });
    wire.server.script(
      (...asked) => {
        answerLast = () => last(...asked);
      },
      json(200, one, { 'Keep-Alive': 'timeout=60', Connection: 'keep-alive' }),
    );
    const both = [api.oauthClients.read('oc-1'), api.oauthClients.read('oc-1')];
    await Promise.race(both);
    answerLast();
    await Promise.all(both);
    const now = performance.now.bind(performance);
    performance.now = () => now() + 5000;
    try {
      await api.oauthClients.create('acme', created);
    } finally {
      performance.now = now;
    }
    assert.equal(wire.server.connections(), 2);
  });

  it('calls a create lost where its server ended the one that was kept, and sends it once', async () => {
    wire.server.script(json(200, one), (response) => response.socket?.destroy());
    const api = client();
    await api.oauthClients.read('oc-1');
    const error = await failureOf(api.oauthClients.create('acme', created));
    assert.ok(error instanceof AnswerLost, String(error));
    assert.equal(error.outcome, 'ambiguous');
    assert.equal(wire.server.connections(), 1);
    assert.equal(wire.server.arrived.length, 2);
  });

  it('asks no proxy that only the environment names, nor where Node itself would', async () => {
    const proxy = await startScriptedServer();
    const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'];
    const named = names.map((name) => [name, `http://127.0.0.1:${proxy.port}`] as const);
    const script = `
      const { createReadOnlyClient } = require('./client');
      const client = createReadOnlyClient({ address: '${wire.server.address}', token: 'token-1' });
      client.oauthClients.read('oc-1').then(({ id }) => console.log(id));`;
    try {
      wire.server.script(json(200, one));
      const { stdout, stderr } = await runProcess(process.execPath, ['-e', script], {
        cwd: join(__dirname, '../../client'),
        // From Node 24 on.
        env: { NODE_USE_ENV_PROXY: '1', ...Object.fromEntries(named) },
      });
      assert.equal(stdout, 'oc-1\n', stderr);
      assert.deepEqual(proxy.arrived, []);
    } finally {
      await proxy.close();
    }
  });

  it('says that nothing was sent when the other side does not speak TLS', async () => {
    const secure = client({ address: `https://127.0.0.1:${wire.server.port}/api/v2` });
    const error = await failureOf(secure.oauthClients.create('acme', created));
    assert.ok(error instanceof NotSent);
    assert.match(
      error.message,
      /the TLS handshake with 127\.0\.0\.1:\d+ failed \(EPROTO\): check the address and its port$/,
    );
    assert.deepEqual(wire.server.arrived, []);
  });

  it('says that nothing was sent when TLS is never completed', async () => {
    const sockets: net.Socket[] = [];
    const deaf = net.createServer((socket) => sockets.push(socket.on('error', () => {})));
    await new Promise<void>((resolve) => deaf.listen(0, '127.0.0.1', resolve));
    const { port } = deaf.address() as net.AddressInfo;
    try {
      const api = client({ address: `https://127.0.0.1:${port}/api/v2`, timeoutMs: 1000, attempts: 1 });
      const error = await failureOf(api.oauthClients.create('acme', created));
      assert.ok(error instanceof NotSent);
      assert.match(
        error.message,
        /no connection to 127\.0\.0\.1:\d+ in time: check the address and the network$/,
      );
    } finally {
      for (const socket of sockets) socket.destroy();
      deaf.close();
    }
  });
});
