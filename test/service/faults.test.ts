/** The faults that can be injected: what each does to an answer, and to whom. */
import assert from 'node:assert/strict';
import type { FaultSpec } from '../../service';
import { Caller } from '../support/api-caller';
import { HandClock } from '../support/hand-clock';

/** What a caller sees: a status, `reset`, or an answer that ends in the middle. */
async function outcome(call: Promise<{ status: number }>): Promise<string | number> {
  try {
    return (await call).status;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    const code: unknown = cause instanceof Error ? Reflect.get(cause, 'code') : undefined;
    return code === 'ECONNRESET' ? 'reset' : 'cut off';
  }
}

describe('an injected fault', () => {
  let caller: Caller;
  let clock: HandClock;
  beforeEach(async () => {
    clock = new HandClock();
    caller = await Caller.start({ clock });
  });
  afterEach(() => caller.close());

  const effects: readonly (readonly [FaultSpec['how'], string | number, boolean])[] = [
    ['reset-before', 'reset', false],
    ['reset-after', 'reset', true],
    ['truncate', 'cut off', true],
    ['garbage', 200, true],
    ['status', 500, false],
  ];
  for (const [how, seen, applied] of effects) {
    it(`${how} ends a create as ${seen}, ${applied ? 'applied' : 'not applied'}`, async () => {
      caller.service.fault({ how });
      assert.equal(await outcome(caller.createTrigger('ws-app', 'ws-network')), seen);
      assert.equal(caller.service.snapshot().runTriggers.length, applied ? 1 : 0);
      caller.service.clearFaults();
      assert.equal(await outcome(caller.createTrigger('ws-app', 'ws-docs')), 201);
    });
  }

  for (const how of ['reset-after', 'truncate', 'garbage'] as const) {
    it(`${how} hits answers without a body too`, async () => {
      const id = await caller.newClient();
      caller.service.fault({ how });
      assert.equal(
        await outcome(caller.send('DELETE', `/oauth-clients/${id}`)),
        how === 'garbage' ? 200 : 'reset',
      );
      assert.deepEqual(caller.service.snapshot().oauthClients, []);
    });
  }

  it('delay-apply loses the answer at once and applies later, also to a client', async () => {
    caller.service.fault({ how: 'delay-apply', method: 'POST', nth: 1, ms: 700 });
    assert.equal(await outcome(caller.createClient()), 'reset');
    await clock.sleeping(1);
    assert.deepEqual((await caller.read('/organizations/acme/oauth-clients')).idsAt('/data'), []);
    const { createdAt } = { createdAt: new Date(clock.now() + 700).toISOString() };
    clock.pass(700);
    // The next request is answered after the late one was executed.
    const list = await caller.read('/organizations/acme/oauth-clients');
    assert.equal(list.at('/data/0/attributes/created-at'), createdAt);
  });

  it('delay-apply is never applied when the service ends first', async () => {
    caller.service.fault({ how: 'delay-apply', ms: 1_000_000 });
    await outcome(caller.createTrigger('ws-app', 'ws-network'));
    await clock.sleeping(1);
    await caller.close();
    assert.deepEqual(caller.service.snapshot().runTriggers, []);
  });

  it('slow keeps the answer back', async () => {
    caller.service.fault({ how: 'slow', ms: 300 });
    const response = caller.createClient();
    await clock.sleeping(1);
    assert.equal(caller.service.snapshot().oauthClients.length, 1);
    clock.pass(300);
    assert.equal((await response).status, 201);
  });

  it('status 204 answers without a body', async () => {
    caller.service.fault({ how: 'status', status: 204, times: 1 });
    const response = await caller.read('/oauth-clients/oc-1');
    assert.deepEqual([response.status, response.text], [204, '']);
  });

  it('status answers as told, applied or not', async () => {
    const headers = { 'retry-after': '7' };
    caller.service.fault({ how: 'status', status: 429, headers, body: '{"errors":["slow down"]}', nth: 1 });
    const refused = await caller.createClient();
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '7']);
    assert.equal(refused.at('/errors/0'), 'slow down');
    assert.deepEqual(caller.service.snapshot().oauthClients, []);
    caller.service.fault({ how: 'status', status: 502, applied: true, nth: 1 });
    assert.equal((await caller.createClient()).status, 502);
    assert.equal(caller.service.snapshot().oauthClients.length, 1);
  });

  const reads = async (count: number) => {
    const outcomes = [];
    for (let sent = 0; sent < count; sent += 1)
      outcomes.push(await outcome(caller.read('/oauth-clients/oc-1')));
    return outcomes.map((status) => (status === 500 ? 'x' : '.')).join('');
  };

  const aims: [string, Omit<FaultSpec, 'how'>, string][] = [
    ['every request', {}, 'xxxxxx'],
    ['the third', { nth: 3 }, '..x...'],
    ['the first two', { times: 2 }, 'xx....'],
    ['another method not', { method: 'POST' }, '......'],
    ['its method', { method: 'GET' }, 'xxxxxx'],
    ['its route', { route: '/oauth-clients/:id' }, 'xxxxxx'],
    ['another route not', { route: '/run-triggers/:run_trigger_id' }, '......'],
    ['all with probability 1', { probability: 1 }, 'xxxxxx'],
    ['none with probability 0', { probability: 0 }, '......'],
  ];
  for (const [what, aim, pattern] of aims) {
    it(`hits ${what}`, async () => {
      caller.service.fault({ how: 'status', ...aim });
      assert.equal(await reads(6), pattern);
    });
  }

  it('hits at random as its seed says, and repeatably', async () => {
    const patterns = [];
    for (const seed of [1, 1, 2]) {
      caller.service.clearFaults();
      caller.service.fault({ how: 'status', probability: 0.5, seed });
      patterns.push(await reads(24));
    }
    assert.equal(patterns[0], patterns[1]);
    assert.notEqual(patterns[0], patterns[2]);
    const hits = patterns[0]?.split('x').length ?? 0;
    assert.ok(hits > 6 && hits < 20, patterns[0]);
  });

  it('leaves what is not the API alone', async () => {
    caller.service.fault({ how: 'reset-before' });
    const base = caller.service.url.replace('/api/v2', '');
    assert.equal((await fetch(`${base}/healthz`)).status, 200);
    assert.equal((await fetch(`${base}/openapi.json`)).status, 200);
    assert.deepEqual(caller.service.requests(), []);
  });

  it('stands in the request log', async () => {
    caller.service.fault([
      { how: 'reset-before', nth: 1 },
      { how: 'reset-after', nth: 2 },
    ]);
    for (let sent = 0; sent < 3; sent += 1) await outcome(caller.read('/oauth-clients/oc-1'));
    const log = caller.service.requests().map(({ status, fault }) => [status, fault]);
    assert.deepEqual(log, [
      [null, 'reset-before'],
      [404, 'reset-after'],
      [404, null],
    ]);
  });
});
