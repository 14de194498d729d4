/** What is tried again and what is not: every operation under every failure. */
import assert from 'node:assert/strict';
import {
  AnswerLost,
  type Api,
  type ClientEvent,
  type ClientOptions,
  Conflict,
  createClient,
  Invalid,
  NotFound,
  ServerError,
  Unauthorized,
} from '../../client';
import { failureOf } from '../support/api-failure';
import { clientOperations } from '../support/client-operations';
import {
  type Reply,
  refusal,
  reset,
  type ScriptedServer,
  startScriptedServer,
  text,
} from '../support/scripted-server';
import { VirtualClock } from '../support/virtual-clock';

let server: ScriptedServer;
let clock: VirtualClock;
let events: ClientEvent[];

function client(options: Partial<ClientOptions> = {}): Api {
  const onEvent = (event: ClientEvent) => events.push(event);
  const { address } = server;
  return createClient({ address, token: 'token-1', clock, random: () => 0.5, onEvent, ...options });
}

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

describe('the class of an operation', () => {
  beforeEach(async () => {
    server = await startScriptedServer();
    clock = new VirtualClock();
    events = [];
  });
  afterEach(() => server.close());

  for (const [name, { call, good, class: kind }] of Object.entries(clientOperations)) {
    for (const [what, broken] of Object.entries(ambiguous)) {
      if (kind === 'create') {
        it(`does not send ${name} again after ${what}: it may have been applied`, async () => {
          server.script(broken, good);
          const error = await failureOf(call(client()));
          assert.ok(error instanceof AnswerLost, String(error));
          assert.equal(error.outcome, 'ambiguous');
          assert.equal(error.context.attempts, 1);
          assert.match(error.message, /may have been applied: look before trying again/);
          assert.equal(server.arrived.length, 1);
        });
      } else {
        it(`sends ${name} again after ${what}`, async () => {
          server.script(broken, good);
          await call(client());
          assert.equal(server.arrived.length, 2);
          assert.deepEqual(server.arrived[0], server.arrived[1]);
        });
      }
    }

    it(`sends ${name} again after a 429`, async () => {
      server.script(refusal(429, 'too many'), refusal(429, 'too many'), good);
      await call(client());
      assert.equal(server.arrived.length, 3);
    });

    for (const [status, type] of [
      [400, Invalid],
      [401, Unauthorized],
      [403, Invalid],
      [404, NotFound],
      [405, Invalid],
      [409, Conflict],
      [413, Invalid],
      [415, Invalid],
      [422, Invalid],
      [501, ServerError],
    ] as const) {
      // A page size that is refused is asked for again without a size.
      const requests = name === 'runTriggers.list' && type === Invalid ? 2 : 1;
      it(`throws ${type.name} at once when ${name} is answered with ${status}`, async () => {
        server.script(refusal(status, 'no', 'because'));
        const error = await failureOf(call(client()));
        assert.ok(error instanceof type, String(error));
        assert.equal(error.name, type.name);
        assert.equal(error.outcome, 'rejected');
        assert.equal(error.context.status, status);
        assert.deepEqual(error.context.details, [{ status: String(status), title: 'no', detail: 'because' }]);
        assert.match(error.message, /: no: because/);
        assert.equal(server.arrived.length, requests);
      });
    }
  }
});
