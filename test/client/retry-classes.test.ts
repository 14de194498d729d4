/** What is tried again and what is not: every operation under every failure. */
import assert from 'node:assert/strict';
import {
  AnswerLost,
  Conflict,
  Forbidden,
  Invalid,
  NotFound,
  ServerError,
  Unauthorized,
} from '../../client/errors';
import { catchFailure } from '../support/api-failure';
import { clientOperations } from '../support/client-operations';
import { type Reply, refusal, reset, text } from '../support/scripted-server';
import { scriptedWire } from '../support/scripted-wire';

/** Failures after which nobody knows whether the request was applied. */
const ambiguous: Record<string, Reply> = {
  'a reset': reset,
  'a closed connection': (response) => response.socket?.end(),
  'bytes that are no HTTP': (response) => response.socket?.end('garbage\r\n\r\n'),
  'a 500': refusal(500, 'internal error'),
  'a 502': text(502, '<html>bad gateway</html>', { 'Content-Type': 'text/html' }),
  'a 503': refusal(503, 'unavailable'),
  'a 504': text(504, ''),
  'a 408': text(408, ''),
};

describe('an operation that failed', () => {
  const wire = scriptedWire();
  const { client } = wire;

  for (const [name, { call, good }] of Object.entries(clientOperations)) {
    for (const [what, broken] of Object.entries(ambiguous)) {
      if (!name.endsWith('.create')) {
        it(`sends ${name} again after ${what}`, async () => {
          wire.server.script(broken, good);
          await call(client());
          assert.equal(wire.server.arrived.length, 2);
          assert.deepEqual(wire.server.arrived[0], wire.server.arrived[1]);
        });
      } else {
        it(`does not send ${name} again after ${what}: it may have been applied`, async () => {
          wire.server.script(broken, good);
          const error = await catchFailure(call(client()));
          assert.ok(error instanceof AnswerLost, String(error));
          assert.equal(error.outcome, 'ambiguous');
          assert.equal(error.context.attempts, 1);
          assert.match(error.message, /may have been applied$/);
          assert.equal(wire.server.arrived.length, 1);
        });
      }
    }

    it(`sends ${name} again after a 429`, async () => {
      wire.server.script(refusal(429, 'too many'), refusal(429, 'too many'), good);
      await call(client());
      assert.equal(wire.server.arrived.length, 3);
    });

    for (const [status, type] of [
      [400, Invalid],
      [401, Unauthorized],
      [403, Forbidden],
      [404, NotFound],
      [405, Invalid],
      [409, Conflict],
      [413, Invalid],
      [415, Invalid],
      [422, Invalid],
      [501, ServerError],
    ] as const) {
      // A paged list is asked for again without the size, which may be what was refused.
      const isPaged = ['runTriggers.list', 'names.list', 'names.search'].includes(name);
      const requests = isPaged && [400, 422].includes(status) ? 2 : 1;
      it(`throws ${type.name} at once when ${name} is answered with ${status}`, async () => {
        wire.server.script(refusal(status, 'no', 'because'));
        const error = await catchFailure(call(client()));
        assert.ok(error instanceof type, String(error));
        assert.equal(error.name, type.name);
        assert.equal(error.outcome, 'rejected');
        assert.equal(error.context.status, status);
        assert.deepEqual(error.context.details, [{ status: String(status), title: 'no', detail: 'because' }]);
        assert.match(error.message, /: no: because/);
        assert.equal(wire.server.arrived.length, requests);
      });
    }
  }
});
