/** What is tried again and what is not, against a server that breaks in every way a server can. */
import assert from 'node:assert/strict';
import {
  AnswerLost,
  type Api,
  type ApiError,
  BadAnswer,
  type ClientEvent,
  type ClientOptions,
  Conflict,
  createClient,
  Invalid,
  NotFound,
  NotSent,
  RateLimited,
  ServerError,
  Unauthorized,
} from '../../client';
import {
  cutOff,
  empty,
  json,
  type Reply,
  refusal,
  reset,
  type ScriptedServer,
  silence,
  startScriptedServer,
  text,
} from '../support/scripted-server';
import { VirtualClock } from '../support/virtual-clock';
import { oauthClientResource, pageOf, runTriggerResource } from '../support/wire-documents';

let server: ScriptedServer;
let clock: VirtualClock;
let events: ClientEvent[];

function client(options: Partial<ClientOptions> = {}): Api {
  const onEvent = (event: ClientEvent) => events.push(event);
  const { address } = server;
  return createClient({ address, token: 'token-1', clock, random: () => 0.5, onEvent, ...options });
}

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

/** Every operation with what answers it well. */
const operations: Record<string, { call: (api: Api) => Promise<unknown>; good: Reply; class: string }> = {
  'oauthClients.list': {
    call: (api) => api.oauthClients.list('acme'),
    good: json(200, { data: [] }),
    class: 'read',
  },
  'oauthClients.read': { call: (api) => api.oauthClients.read('oc-1'), good: json(200, one), class: 'read' },
  'oauthClients.create': {
    call: (api) => api.oauthClients.create('acme', created),
    good: json(201, one),
    class: 'create',
  },
  'oauthClients.update': {
    call: (api) => api.oauthClients.update('oc-1', { name: 'n' }),
    good: json(200, one),
    class: 'repeatable',
  },
  'oauthClients.delete': { call: (api) => api.oauthClients.delete('oc-1'), good: empty, class: 'delete' },
  'oauthClients.attach': {
    call: (api) => api.oauthClients.attach('oc-1', ['prj-1']),
    good: empty,
    class: 'repeatable',
  },
  'oauthClients.detach': {
    call: (api) => api.oauthClients.detach('oc-1', ['prj-1']),
    good: empty,
    class: 'repeatable',
  },
  'runTriggers.list': {
    call: (api) => api.runTriggers.list('ws-app', 'inbound'),
    good: json(200, pageOf([])),
    class: 'read',
  },
  'runTriggers.read': {
    call: (api) => api.runTriggers.read('rt-1'),
    good: json(200, { data: runTriggerResource('rt-1') }),
    class: 'read',
  },
  'runTriggers.create': {
    call: (api) => api.runTriggers.create('ws-app', 'ws-network'),
    good: json(201, { data: runTriggerResource('rt-1') }),
    class: 'create',
  },
  'runTriggers.delete': { call: (api) => api.runTriggers.delete('rt-1'), good: empty, class: 'delete' },
};

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

describe('retries', () => {
  beforeEach(async () => {
    server = await startScriptedServer();
    clock = new VirtualClock();
    events = [];
  });
  afterEach(() => server.close());

  for (const [name, { call, good, class: kind }] of Object.entries(operations)) {
    for (const [what, broken] of Object.entries(ambiguous)) {
      if (kind === 'create') {
        it(`does not send ${name} again after ${what}: it may have been applied`, async () => {
          server.script(broken, good);
          const error = await failure(call(client()));
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
        const error = await failure(call(client()));
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

  it('reads again when an answer is cut off or no JSON', async () => {
    server.script(cutOff(200), text(200, '{"data": '), text(200, '\xff\xfe'), json(200, one));
    assert.equal((await client().oauthClients.read('oc-1')).id, 'oc-1');
    assert.equal(server.arrived.length, 4);
  });

  it('gives up on answers that stay no JSON', async () => {
    server.script(text(200, '}{'));
    const error = await failure(client().oauthClients.read('oc-1'));
    assert.ok(error instanceof BadAnswer);
    assert.equal(error.message, 'GET /oauth-clients/oc-1: the answer (200) is not JSON (after 5 attempts)');
  });

  for (const [what, reply] of Object.entries({
    'cut off': cutOff(201),
    'no JSON': text(201, 'created!'),
    empty: text(201, ''),
    'without an id': json(201, { data: { type: 'oauth-clients', attributes: {} } }),
    'a page for people': text(200, '<!doctype html><p>log in'),
  })) {
    it(`calls the answer to a create lost when it is ${what}`, async () => {
      server.script(reply, json(201, one));
      const error = await failure(client().oauthClients.create('acme', created));
      assert.ok(error instanceof AnswerLost);
      assert.equal(error.outcome, 'ambiguous');
      assert.equal(server.arrived.length, 1);
    });
  }

  it('knows that a create was refused even when the reasons are cut off', async () => {
    server.script(cutOff(422));
    const error = await failure(client().oauthClients.create('acme', created));
    assert.ok(error instanceof Invalid);
    assert.equal(error.outcome, 'rejected');
    assert.deepEqual(error.context.details, []);
  });

  it('takes a 404 as done when an earlier delete may have been applied', async () => {
    for (const lost of [reset, refusal(503, 'busy')]) {
      server.script(lost, refusal(404, 'not found'));
      await client().runTriggers.delete('rt-1');
      server.script(lost, refusal(404, 'not found'));
      await client().oauthClients.delete('oc-1');
    }
  });

  it('throws NotFound when no earlier delete can have been applied', async () => {
    for (const first of [refusal(429, 'too many'), refusal(404, 'not found')]) {
      server.script(first, refusal(404, 'not found'));
      assert.ok((await failure(client().runTriggers.delete('rt-1'))) instanceof NotFound);
    }
  });

  it('throws NotFound when a detach, tried again, finds no client', async () => {
    server.script(reset, refusal(404, 'not found'));
    const error = await failure(client().oauthClients.detach('oc-1', ['prj-1']));
    assert.ok(error instanceof NotFound);
    assert.equal(error.context.attempts, 2);
  });

  it('says that an attach refused at its second attempt may have been applied at the first', async () => {
    server.script(reset, refusal(422, 'already attached'));
    const error = await failure(client().oauthClients.attach('oc-1', ['prj-1']));
    assert.ok(error instanceof Invalid);
    assert.equal(error.outcome, 'ambiguous');
    assert.equal(error.context.attempts, 2);
    assert.match(error.message, /an earlier attempt may have been applied \(after 2 attempts\)$/);
  });

  it('gives up after the attempts it may make, waiting longer each time', async () => {
    server.script(refusal(500, 'internal error'));
    const error = await failure(client().oauthClients.read('oc-1'));
    assert.ok(error instanceof ServerError);
    assert.equal(
      error.message,
      'GET /oauth-clients/oc-1: the service failed (500): internal error: try again later (after 5 attempts)',
    );
    assert.deepEqual(clock.sleeps, [125, 250, 500, 1000]);
  });

  it('spreads its retries by chance', async () => {
    server.script(refusal(500, 'internal error'));
    await failure(client({ random: () => 0.9, attempts: 3 }).oauthClients.read('oc-1'));
    assert.deepEqual(clock.sleeps.slice(0, 1), [225]);
  });

  for (const status of [409, 422]) {
    it(`tries a run trigger again while creation is locked (${status})`, async () => {
      const locked = refusal(
        status,
        'Run Trigger creation locked by another user in your organization. Please try again',
      );
      server.script(
        locked,
        locked,
        locked,
        locked,
        locked,
        locked,
        operations['runTriggers.create']?.good ?? empty,
      );
      assert.equal((await client().runTriggers.create('ws-app', 'ws-network')).id, 'rt-1');
      assert.equal(server.arrived.length, 7);
    });

    it(`gives up at the deadline when creation stays locked (${status})`, async () => {
      server.script(refusal(status, 'Run Trigger creation locked by another user'));
      const error = await failure(client({ deadlineMs: 20_000 }).runTriggers.create('ws-app', 'ws-network'));
      assert.equal(error.context.status, status);
      assert.equal(error.outcome, 'rejected');
      assert.ok(clock.elapsed() > 10_000 && clock.elapsed() < 20_000);
    });
  }

  it('waits as long as a 429 asks, in seconds, by date, or by its reset', async () => {
    const document = { errors: [{ status: 429, title: 'too many' }] };
    for (const [headers, expected] of [
      [{ 'Retry-After': '7' }, 7000],
      [{ 'Retry-After': '0.5' }, 500],
      [{ 'Retry-After': 'Mon, 01 Jan 2024 00:00:09 GMT', Date: 'Mon, 01 Jan 2024 00:00:05 GMT' }, 4000],
      [{ 'x-ratelimit-reset': '0.317' }, 317],
      [{ 'Retry-After': '2', 'x-ratelimit-reset': '0.317' }, 2000],
      [{ 'Retry-After': 'soon', 'x-ratelimit-reset': '3' }, 3000],
      [{ 'Retry-After': '0' }, 125],
      [{}, 125],
    ] as const) {
      clock = new VirtualClock();
      server.script(json(429, document, headers), json(200, one));
      await client().oauthClients.read('oc-1');
      assert.deepEqual(clock.sleeps.slice(0, 1), [expected], JSON.stringify(headers));
    }
  });

  it('waits as long as a 503 asks', async () => {
    server.script(json(503, {}, { 'Retry-After': '11' }), json(200, one));
    await client().oauthClients.read('oc-1');
    assert.equal(clock.elapsed(), 11_000);
  });

  it('does not wait for a pause that is longer than its deadline', async () => {
    server.script(json(429, {}, { 'Retry-After': '600' }));
    const api = client({ deadlineMs: 60_000 });
    const error = await failure(api.oauthClients.read('oc-1'));
    assert.ok(error instanceof RateLimited);
    assert.equal(clock.elapsed(), 0);
    const next = await failure(api.oauthClients.create('acme', created));
    assert.ok(next instanceof RateLimited);
    assert.equal(next.outcome, 'not-sent');
    assert.match(next.message, /asked to wait for another 600 s/);
    assert.equal(server.arrived.length, 1);
  });

  it('keeps to the deadline of an operation, not only to its attempts', async () => {
    server.script(refusal(429, 'too many'));
    const error = await failure(client({ deadlineMs: 30_000 }).oauthClients.read('oc-1'));
    assert.ok(error instanceof RateLimited);
    assert.ok(error.context.attempts > 5, 'pauses that were asked for do not count as attempts');
    assert.ok(clock.elapsed() < 30_000);
  });

  it('cuts the time of an attempt to what the deadline leaves', async () => {
    server.script(silence);
    const api = client({ timeoutMs: 60_000, deadlineMs: 30, random: () => 1 });
    const error = await failure(api.oauthClients.read('oc-1'));
    assert.ok(error instanceof AnswerLost);
    assert.match(error.message, /^GET \/oauth-clients\/oc-1: no answer from 127\.0\.0\.1:\d+ in time$/);
  });

  it('tells of each request, retry and pause, and of nothing else', async () => {
    server.script(reset, json(429, {}, { 'Retry-After': '3' }), json(200, one));
    await client().oauthClients.read('oc-1');
    const told = events.map((event) => (event.type === 'request' ? { ...event, ms: 0 } : event));
    const where = { method: 'GET', route: '/oauth-clients/oc-1' };
    const host = `127.0.0.1:${server.port}`;
    assert.deepEqual(told, [
      { type: 'request', status: null, ms: 0, ...where },
      {
        type: 'retry',
        attempt: 1,
        delayMs: 125,
        reason: `the connection to ${host} broke before the answer was complete (ECONNRESET)`,
        ...where,
      },
      { type: 'request', status: 429, ms: 0, ...where },
      {
        type: 'wait',
        attempt: 2,
        delayMs: 3000,
        reason: 'the service limits the rate (429): lower --rate or try again later',
        ...where,
      },
      { type: 'request', status: 200, ms: 0, ...where },
    ]);
  });

  it('is not disturbed by a listener that throws', async () => {
    server.script(json(201, one));
    const onEvent = () => {
      throw new Error('listener');
    };
    assert.equal((await client({ onEvent }).oauthClients.create('acme', created)).id, 'oc-1');
  });

  it('sends a create again when nobody listened, and calls it not sent when nobody ever does', async () => {
    await server.close();
    const error = await failure(client().oauthClients.create('acme', created));
    assert.ok(error instanceof NotSent);
    assert.equal(error.outcome, 'not-sent');
    assert.equal(error.context.attempts, 5);
    assert.match(error.message, /nothing listens at 127\.0\.0\.1:\d+ \(ECONNREFUSED\): check the address/);
  });

  it('never calls an update not sent when an earlier attempt may have been applied', async () => {
    server.script((response) => {
      response.socket?.resetAndDestroy();
      void server.close();
    });
    const error = await failure(client().oauthClients.update('oc-1', { name: 'n' }));
    assert.ok(error instanceof AnswerLost, String(error));
    assert.equal(error.outcome, 'ambiguous');
  });
});
