/** Where requests go, what they may carry there, and what may come back. */
import assert from 'node:assert/strict';
import { AnswerLost, BadAnswer, Invalid } from '../../client/errors';
import { withDefaults } from '../../client/options';
import { createTransport } from '../../client/transport';
import { catchFailure } from '../support/api-failure';
import { leastOAuthClient as created } from '../support/client-operations';
import { json, refusal, startScriptedServer, text } from '../support/scripted-server';
import { scriptedWire } from '../support/scripted-wire';
import { oauthClientResource } from '../support/wire-documents';

const one = { data: oauthClientResource('oc-1') };

describe('the transport', () => {
  const wire = scriptedWire();
  const { client } = wire;

  for (const status of [301, 302, 303, 307, 308]) {
    it(`follows no redirect (${status}), neither to another host nor to another path`, async () => {
      const other = await startScriptedServer();
      try {
        for (const location of [`${other.address}/x?token=1`, '/api/v2/elsewhere']) {
          wire.server.script(text(status, '', { Location: location }));
          // After 307 and 308 the request is still to be sent. The others may follow what was done.
          const isRefused = status > 304;
          for (const [call, kind] of [
            [client().oauthClients.read('oc-1'), BadAnswer],
            [
              client().oauthClients.create('acme', { ...created, secret: 'secret-1' }),
              isRefused ? BadAnswer : AnswerLost,
            ],
          ] as const) {
            const error = await catchFailure(call);
            assert.ok(error instanceof kind);
            assert.equal(error.outcome, isRefused ? 'rejected' : 'ambiguous');
            assert.match(error.message, /does not follow redirects/);
            assert.doesNotMatch(error.message, /token=1|elsewhere/);
          }
        }
        assert.equal(wire.server.arrived.length, 4);
        assert.deepEqual(other.arrived, []);
      } finally {
        await other.close();
      }
    });
  }

  it('keeps an id that looks like an address on its own host and path', async () => {
    wire.server.script(refusal(404, 'not found'));
    for (const id of ['https://evil.test/x', '//evil.test', 'oc-1/../../admin', 'oc-1?x=1#y', 'a b\n']) {
      await catchFailure(client().oauthClients.read(id));
      assert.equal(wire.server.arrived.at(-1)?.url, `/api/v2/oauth-clients/${encodeURIComponent(id)}`);
      assert.equal(wire.server.arrived.at(-1)?.headers.host, `127.0.0.1:${wire.server.port}`);
    }
  });

  it('goes to its own host even when a route is a whole address', async () => {
    const other = await startScriptedServer();
    try {
      wire.server.script(refusal(404, 'not found'));
      const settings = withDefaults({ address: wire.server.address, token: 'token-1' });
      for (const route of [`${other.address}/x`, `//127.0.0.1:${other.port}/x`]) {
        await createTransport(settings, true)({ method: 'GET', route, body: null, timeoutMs: 60_000 });
      }
      assert.equal(wire.server.arrived.length, 2);
      assert.deepEqual(other.arrived, []);
    } finally {
      await other.close();
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
        const error = await catchFailure(call);
        assert.ok(error instanceof Invalid);
        assert.equal(error.outcome, 'not-sent');
        assert.match(error.message, /is not an id or name; nothing was sent$/);
      }
    }
    assert.equal(wire.server.connections(), 0);
  });

  it('never sends an empty secret', async () => {
    for (const name of ['secret', 'privateKey', 'oauthTokenString'] as const) {
      const error = await catchFailure(client().oauthClients.create('acme', { ...created, [name]: '' }));
      assert.ok(error instanceof Invalid);
      assert.equal(
        error.message,
        `POST /organizations/acme/oauth-clients: ${name} is empty; nothing was sent`,
      );
    }
    assert.ok((await catchFailure(client().oauthClients.update('oc-1', { secret: '' }))) instanceof Invalid);
    assert.equal(wire.server.connections(), 0);
  });

  it('does not ask again for an answer that is too large', async () => {
    wire.server.script(text(200, 'x'.repeat(2000)));
    const small = client({ maxAnswerBytes: 1000 });
    const error = await catchFailure(small.oauthClients.read('oc-1'));
    assert.ok(error instanceof BadAnswer, String(error));
    assert.match(
      error.message,
      /the answer is larger than 1000 bytes \(maxAnswerBytes\): check that http.* is/,
    );
    assert.equal(wire.server.arrived.length, 1);
    wire.server.script(text(500, 'x'.repeat(2000)));
    assert.equal((await catchFailure(small.oauthClients.read('oc-1'))).name, 'ServerError');
    assert.equal(wire.server.arrived.length, 2);
  });

  it('takes no more than 16 MiB for an answer', async () => {
    wire.server.script(text(200, '['.repeat(17 * 1024 * 1024)));
    const { message } = await catchFailure(client().oauthClients.read('oc-1'));
    assert.match(message, /larger than 16 MiB/);
    assert.equal(wire.server.arrived.length, 1);
  });

  it('tells the service which version asks', async () => {
    wire.server.script(json(200, one));
    await client().oauthClients.read('oc-1');
    assert.match(wire.server.arrived[0]?.headers['user-agent'] ?? '', /^tether-iac\/\d+\.\d+\.\d+/);
  });

  it('gives up on an answer that drips for longer than an attempt may take', async () => {
    wire.server.script((response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 5);
      response.on('close', () => clearInterval(timer));
    });
    const error = await catchFailure(client({ timeoutMs: 3000, attempts: 1 }).oauthClients.read('oc-1'));
    assert.ok(error instanceof BadAnswer);
    assert.match(error.message, /was not complete in time$/);
  });

  it('waits for an answer however long an attempt may take', async () => {
    wire.server.script(json(200, one));
    const long = { timeoutMs: 3_600_000_000, deadlineMs: 3_600_000_000 };
    assert.equal((await client(long).oauthClients.read('oc-1')).id, 'oc-1');
  });
});
