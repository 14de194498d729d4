/** What an abort ends, and what it lets finish. */
import assert from 'node:assert/strict';
import { NotSent, ServerError } from '../../client/errors';
import type { ClientEvent, ClientOptions } from '../../client/options';
import { systemClock } from '../../client/pace';
import { catchFailure } from '../support/api-failure';
import { json, type Reply, refusal } from '../support/scripted-server';
import { scriptedWire } from '../support/scripted-wire';
import { oauthClientResource } from '../support/wire-documents';

describe('an interruption', () => {
  const wire = scriptedWire();
  let interrupt: AbortController;
  beforeEach(() => {
    interrupt = new AbortController();
  });

  const client = (changes: Partial<ClientOptions> = {}) =>
    wire.client({ signal: interrupt.signal, ...changes });
  const good = json(200, { data: oauthClientResource('oc-1') });
  const abortAt = (type: ClientEvent['type']) => (event: ClientEvent) => {
    if (event.type === type) interrupt.abort();
  };
  /** Answers so, once the interruption has come. */
  const interrupted =
    (reply = good): Reply =>
    (...asked) => {
      interrupt.abort();
      reply(...asked);
    };

  it('lets the request in flight finish', async () => {
    wire.server.script(interrupted());
    assert.equal((await client().oauthClients.read('oc-1')).id, 'oc-1');
  });

  it('sends nothing that was still waiting for its turn', async () => {
    wire.server.script(interrupted());
    const api = client({ rate: 1, concurrency: 3, clock: systemClock });
    const [first, ...others] = Array.from({ length: 6 }, () => api.oauthClients.read('oc-1'));
    const errors = others.map((other) => catchFailure(other));
    await first;
    for (const error of await Promise.all(errors)) {
      assert.ok(error instanceof NotSent);
      assert.equal(error.context.attempts, 0);
      assert.equal(error.message, 'GET /oauth-clients/oc-1: interrupted; nothing more was sent');
    }
    assert.equal(wire.server.arrived.length, 1);
  });

  for (const type of ['request', 'retry'] as const) {
    it(`tries nothing again when it comes at a ${type}, and says what went wrong before`, async () => {
      wire.server.script(refusal(500, 'internal error'), good);
      // A pause that is really slept would be longer than this test may take.
      const clock = { now: () => 0, sleep: (_: number, signal?: AbortSignal) => asleep(signal) };
      const error = await catchFailure(client({ clock, onEvent: abortAt(type) }).oauthClients.read('oc-1'));
      assert.ok(error instanceof ServerError);
      assert.equal(error.context.attempts, 1);
      assert.equal(wire.server.arrived.length, 1);
    });
  }

  it('ends the wait for a place among the requests in flight', async () => {
    let answer = () => {};
    const arrived = new Promise<void>((resolve) => {
      wire.server.script((response, request) => {
        resolve();
        answer = () => good(response, request);
      });
    });
    const api = client({ concurrency: 1, rate: 1000 });
    const first = api.oauthClients.read('oc-1');
    const second = catchFailure(api.oauthClients.read('oc-1'));
    await arrived;
    interrupt.abort();
    assert.match((await second).message, /interrupted; nothing more was sent/);
    answer();
    await first;
    assert.equal(wire.server.arrived.length, 1);
  });

  describe('of a step', () => {
    it('that has written nothing yet sends no write', async () => {
      wire.server.script(interrupted());
      const step = client().forStep();
      await step.oauthClients.read('oc-1');
      const error = await catchFailure(step.oauthClients.update('oc-1', { name: 'x' }));
      assert.equal(error.outcome, 'not-sent');
      assert.equal(wire.server.arrived.length, 1);
    });

    it('that has written finishes with what may be repeated, without waiting for its turn, and sends no POST', async () => {
      wire.server.script(interrupted());
      // A turn that is really waited for would be longer than this test may take.
      const step = client({ rate: 0.001, clock: systemClock }).forStep();
      const body = { serviceProvider: 'a', httpUrl: 'https://a.test', apiUrl: 'https://a.test' };
      await step.oauthClients.create('acme', body);
      await step.oauthClients.update('oc-1', { name: 'x' });
      await step.oauthClients.read('oc-1');
      assert.equal((await catchFailure(step.oauthClients.create('acme', body))).outcome, 'not-sent');
      assert.deepEqual(
        wire.server.arrived.map(({ method }) => method),
        ['POST', 'PATCH', 'GET'],
      );
    });

    it('that has written sends nothing more behind a Retry-After', async () => {
      wire.server.script(interrupted(json(429, {}, { 'Retry-After': '25' })));
      const api = client();
      const step = api.forStep();
      await catchFailure(step.oauthClients.update('oc-1', { name: 'x' }));
      assert.match((await catchFailure(step.oauthClients.read('oc-1'))).message, /nothing more was sent/);
      assert.equal(wire.server.arrived.length, 1);
    });

    it('asks before each attempt of a write, after its wait, whether it may still be sent', async () => {
      wire.server.script(json(429, {}, { 'Retry-After': '1' }));
      let asked = 0;
      const step = client().forStep(() => {
        asked += 1;
        if (asked === 2) throw new Error('the lock was lost');
      });
      await catchFailure(step.oauthClients.read('oc-1')).catch(() => undefined);
      assert.equal(asked, 0);
      wire.server.arrived.length = 0;
      await assert.rejects(step.oauthClients.update('oc-1', { name: 'x' }), /the lock was lost/);
      assert.deepEqual([asked, wire.server.arrived.length], [2, 1]);
    });

    it('says nothing of another step', async () => {
      wire.server.script(interrupted());
      const api = client();
      await api.forStep().oauthClients.update('oc-1', { name: 'x' });
      for (const other of [api, api.forStep()]) {
        assert.equal((await catchFailure(other.oauthClients.read('oc-1'))).outcome, 'not-sent');
      }
      assert.equal(wire.server.arrived.length, 1);
    });
  });

  it('warns of no leak, however many requests wait', async () => {
    const warnings: Error[] = [];
    const listen = (warning: Error) => warnings.push(warning);
    process.on('warning', listen);
    try {
      wire.server.script(good);
      const api = client({ rate: 1000, concurrency: 40 });
      await Promise.all(Array.from({ length: 40 }, () => api.oauthClients.read('oc-1')));
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(warnings, []);
    } finally {
      process.off('warning', listen);
    }
  });
});

/** Sleeps until the signal aborts. */
function asleep(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve();
    signal?.addEventListener('abort', () => resolve());
  });
}
