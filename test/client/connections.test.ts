/** Which connections are made and kept: none by the environment alone, TLS. */
import assert from 'node:assert/strict';
import * as https from 'node:https';
import { join } from 'node:path';
import nock from 'nock';
import { AnswerLost, NotSent } from '../../client/errors';
import { catchFailure } from '../support/api-failure';
import { leastOAuthClient as created } from '../support/client-operations';
import { close, listen } from '../support/loopback';
import { offline } from '../support/offline';
import { runProcess } from '../support/run-process';
import { empty, json, startScriptedServer } from '../support/scripted-server';
import { scriptedWire } from '../support/scripted-wire';
import { selfSigned } from '../support/self-signed';
import { oauthClientResource } from '../support/wire-documents';

const one = { data: oauthClientResource('oc-1') };

describe('connections', () => {
  const wire = scriptedWire();
  const { client } = wire;

  for (const [what, headers, isKept] of [
    ['where its server does not say for how long', {}, true],
    ['for longer than its server says', { 'Keep-Alive': 'timeout=1', Connection: 'keep-alive' }, false],
    ['where the server keeps it for longer', { 'Keep-Alive': 'timeout=60', Connection: 'keep-alive' }, true],
  ] as const) {
    it(`${isKept ? 'keeps' : 'does not keep'} one ${what}`, async () => {
      const api = client();
      wire.server.script(json(200, one, headers));
      await api.oauthClients.read('oc-1');
      await api.oauthClients.create('acme', created);
      wire.server.script(empty);
      await api.oauthClients.attach('oc-1', ['prj-1']);
      assert.equal(wire.server.connections(), isKept ? 1 : 3);
    });
  }

  it('closes one that is idle, before any server is known to', async () => {
    const closed = new Promise<void>((resolve) => {
      wire.server.script((response, arrived) => {
        // The server would end it later, without an end from here.
        response.socket?.once('end', resolve);
        json(200, one)(response, arrived);
      });
    });
    await client().oauthClients.read('oc-1');
    await closed;
  });

  it('calls a create lost where its server ended the one that was kept, and sends it once', async () => {
    wire.server.script(json(200, one), (response) => response.socket?.destroy());
    const api = client();
    await api.oauthClients.read('oc-1');
    const error = await catchFailure(api.oauthClients.create('acme', created));
    assert.ok(error instanceof AnswerLost, String(error));
    assert.equal(error.outcome, 'ambiguous');
    assert.equal(wire.server.connections(), 1);
    assert.equal(wire.server.arrived.length, 2);
  });

  describe('without a network', () => {
    offline();
    for (const [code, syscall, outcome] of [
      ['ECONNREFUSED', 'connect', 'not-sent'],
      ['ENOTFOUND', 'getaddrinfo', 'not-sent'],
      ['EAI_AGAIN', 'getaddrinfo', 'not-sent'],
      ['EHOSTUNREACH', 'connect', 'not-sent'],
      ['ENETUNREACH', 'connect', 'not-sent'],
      ['CERT_HAS_EXPIRED', undefined, 'not-sent'],
      ['ERR_TLS_CERT_ALTNAME_INVALID', undefined, 'not-sent'],
      ['SELF_SIGNED_CERT_IN_CHAIN', undefined, 'not-sent'],
      ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', undefined, 'not-sent'],
      ['HOSTNAME_MISMATCH', undefined, 'not-sent'],
      // A router can end a connection that stood with the same code.
      ['EHOSTUNREACH', 'read', 'ambiguous'],
      ['ENETUNREACH', 'write', 'ambiguous'],
      ['ECONNRESET', 'read', 'ambiguous'],
      ['EPIPE', 'write', 'ambiguous'],
      ['ETIMEDOUT', 'connect', 'ambiguous'],
    ] as const) {
      it(`calls a create ${outcome} after ${code}${syscall ? ` of ${syscall}` : ''}`, async () => {
        const failure = Object.assign(new Error('host'), { code, syscall });
        nock('https://service.test').post(/.*/).replyWithError(failure);
        const api = client({ address: 'https://service.test/api/v2', attempts: 1 });
        assert.equal((await catchFailure(api.oauthClients.create('acme', created))).outcome, outcome);
      });
    }
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

  it('sends nothing in clear when the other side does not speak TLS', async () => {
    const secure = client({ address: `https://127.0.0.1:${wire.server.port}/api/v2` });
    const error = await catchFailure(secure.oauthClients.create('acme', created));
    assert.equal(error.outcome, 'ambiguous');
    assert.match(error.message, /the TLS handshake with 127\.0\.0\.1:\d+ failed \(EPROTO\): check the/);
    assert.deepEqual(wire.server.arrived, []);
  });

  it('sends nothing to a server whose certificate is not trusted, whatever the environment says', async () => {
    let bytes = 0;
    const server = https.createServer(selfSigned('localhost'), () => assert.fail('a request came'));
    server.on('secureConnection', (socket) => socket.on('data', (chunk: Buffer) => (bytes += chunk.length)));
    const port = await listen(server);
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      const api = client({ address: `https://localhost:${port}/api/v2` });
      const error = await catchFailure(api.oauthClients.create('acme', created));
      assert.ok(error instanceof NotSent, String(error));
      assert.match(error.message, /the certificate of localhost:\d+ is not trusted \(DEPTH_ZERO/);
      assert.equal(error.context.attempts, 1);
      assert.equal(bytes, 0);
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      await close(server);
    }
  });
});
