/** How long and how often an operation is tried again, and what it tells meanwhile. */
import assert from 'node:assert/strict';
import { AnswerLost, NotSent, RateLimited, ServerError } from '../../client/errors';
import { catchFailure } from '../support/api-failure';
import { clientOperations, leastOAuthClient as created } from '../support/client-operations';
import { json, refusal, reset, silence } from '../support/scripted-server';
import { scriptedWire } from '../support/scripted-wire';
import { oauthClientResource } from '../support/wire-documents';

const one = { data: oauthClientResource('oc-1') };

describe('retries', () => {
  const wire = scriptedWire();
  const { client } = wire;

  it('gives up after the attempts it may make, waiting longer each time', async () => {
    wire.server.script(refusal(500, 'internal error'));
    const error = await catchFailure(client().oauthClients.read('oc-1'));
    assert.ok(error instanceof ServerError);
    assert.equal(
      error.message,
      'GET /oauth-clients/oc-1: the service failed (500): internal error: try again later (after 5 attempts)',
    );
    assert.deepEqual(wire.clock.sleeps, [125, 250, 500, 1000]);
  });

  for (const status of [409, 422]) {
    const locked = refusal(status, 'Run Trigger creation locked by another user in your organization.');

    it(`tries a run trigger again while creation is locked (${status})`, async () => {
      const { good } = clientOperations['runTriggers.create'];
      wire.server.script(...Array.from({ length: 6 }, () => locked), good);
      assert.equal((await client().runTriggers.create('ws-app', 'ws-network')).id, 'rt-1');
      assert.equal(wire.server.arrived.length, 7);
    });
  }

  it('waits as long as a 503 asks', async () => {
    wire.server.script(json(503, {}, { 'Retry-After': '11' }), json(200, one));
    await client().oauthClients.read('oc-1');
    assert.equal(wire.clock.elapsed(), 11_000);
  });

  it('does not wait for a pause that is longer than its deadline', async () => {
    wire.server.script(json(429, {}, { 'Retry-After': '600' }));
    const api = client({ deadlineMs: 60_000 });
    const error = await catchFailure(api.oauthClients.read('oc-1'));
    assert.ok(error instanceof RateLimited);
    assert.equal(wire.clock.elapsed(), 0);
    const next = await catchFailure(api.oauthClients.create('acme', created));
    assert.ok(next instanceof RateLimited);
    assert.equal(next.outcome, 'not-sent');
    assert.match(next.message, /asked to wait for another 600 s/);
    assert.equal(wire.server.arrived.length, 1);
  });

  it('keeps to the deadline of an operation, not only to its attempts', async () => {
    wire.server.script(refusal(429, 'too many'));
    const error = await catchFailure(client({ deadlineMs: 30_000 }).oauthClients.read('oc-1'));
    assert.ok(error instanceof RateLimited);
    assert.ok(error.context.attempts > 5, 'pauses that were asked for do not count as attempts');
    assert.ok(wire.clock.elapsed() < 30_000);
  });

  it('does not count the pauses that were asked for as attempts', async () => {
    const limited = refusal(429, 'too many');
    wire.server.script(...Array.from({ length: 5 }, () => limited), refusal(500, 'no'), json(200, one));
    assert.equal((await client().oauthClients.read('oc-1')).id, 'oc-1');
    assert.equal(wire.server.arrived.length, 7);
  });

  it('cuts the time of an attempt to what the deadline leaves', async () => {
    wire.server.script(silence);
    const api = client({ timeoutMs: 60_000, deadlineMs: 1000, attempts: 1 });
    const error = await catchFailure(api.oauthClients.read('oc-1'));
    assert.ok(error instanceof AnswerLost);
    assert.match(error.message, /^GET \/oauth-clients\/oc-1: no answer from 127\.0\.0\.1:\d+ in time$/);
  });

  it('sends nothing again when the save before it took the rest of the deadline', async () => {
    wire.server.script(json(429, {}, { 'Retry-After': '1' }), json(201, one));
    let saves = 0;
    const step = client({ deadlineMs: 3000 }).forStep(async () => {
      saves += 1;
      if (saves === 2) await wire.clock.sleep(4000, new AbortController().signal);
    });
    const error = await catchFailure(step.oauthClients.create('acme', created));
    assert.ok(error instanceof RateLimited);
    assert.equal(error.outcome, 'rejected');
    assert.equal(wire.server.arrived.length, 1);
  });

  it('tells of each request, retry and pause, and of nothing else', async () => {
    wire.server.script(reset, json(429, {}, { 'Retry-After': '3' }), json(200, one));
    await client().oauthClients.read('oc-1');
    const told = wire.events.map((event) => (event.type === 'request' ? { ...event, ms: 0 } : event));
    const where = { method: 'GET', route: '/oauth-clients/oc-1' };
    const request = { type: 'request', ms: 0, ...where };
    const broken = `the connection to 127.0.0.1:${wire.server.port} broke before the answer was complete (ECONNRESET)`;
    const limited = 'rate limited (429): lower TETHER_RATE (under Pulumi tether:rate) or try again later';
    assert.deepEqual(told, [
      { ...request, status: null },
      { type: 'retry', attempt: 1, delayMs: 125, reason: broken, ...where },
      { ...request, status: 429 },
      { type: 'wait', attempt: 2, delayMs: 3000, reason: limited, ...where },
      { ...request, status: 200 },
    ]);
  });

  it('is not disturbed by a listener that throws', async () => {
    wire.server.script(json(201, one));
    const onEvent = () => {
      throw new Error('listener');
    };
    assert.equal((await client({ onEvent }).oauthClients.create('acme', created)).id, 'oc-1');
  });

  it('sends a create again when nobody listened, and calls it not sent when nobody ever does', async () => {
    await wire.server.close();
    const error = await catchFailure(client().oauthClients.create('acme', created));
    assert.ok(error instanceof NotSent);
    assert.equal(error.outcome, 'not-sent');
    assert.equal(error.context.attempts, 5);
    assert.match(error.message, /connection refused by 127\.0\.0\.1:\d+ \(ECONNREFUSED\): check the address/);
  });

  it('never calls an update not sent when an earlier attempt may have been applied', async () => {
    wire.server.script((response) => {
      response.socket?.resetAndDestroy();
      void wire.server.close();
    });
    const error = await catchFailure(client().oauthClients.update('oc-1', { name: 'n' }));
    assert.ok(error instanceof AnswerLost, String(error));
    assert.equal(error.outcome, 'ambiguous');
  });
});
