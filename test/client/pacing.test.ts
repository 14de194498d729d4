/** Even spacing, the gate, how long to wait, and what clients with one token share; in virtual time. */
import assert from 'node:assert/strict';
import type { ClientEvent } from '../../client/options';
import { backoff, Pacer, requestedDelay, sharedPacer } from '../../client/pace';
import { json } from '../support/scripted-server';
import { scriptedWire } from '../support/scripted-wire';
import { LateClock, VirtualClock } from '../support/virtual-clock';
import { oauthClientResource } from '../support/wire-documents';

const never = new AbortController().signal;
const limits = { rate: 25, concurrency: 100, patienceMs: 60_000 };

describe('pacing', () => {
  /** When so many turns are given, in milliseconds. */
  async function turns(clock: VirtualClock, count: number, each = (_: Pacer, __: number): void => {}) {
    const pacer = new Pacer(clock);
    const times: number[] = [];
    const turn = async () => {
      assert.equal(await pacer.turn(limits, never), true);
      times.push(clock.elapsed());
      each(pacer, times.length);
    };
    await Promise.all(Array.from({ length: count }, turn));
    return times;
  }

  it('spaces requests evenly, the first one at once', async () => {
    assert.deepEqual(await turns(new VirtualClock(), 5), [0, 40, 80, 120, 160]);
  });

  it('makes up for a late timer by a quarter of an interval at most', async () => {
    assert.deepEqual(await turns(new LateClock([0, 5, 0, 35]), 5), [0, 45, 80, 155, 185]);
  });

  it('holds everybody behind a closed gate, and spaces them again after it', async () => {
    const closing = (pacer: Pacer, given: number) => {
      if (given === 2) pacer.close(5000);
    };
    assert.deepEqual(await turns(new VirtualClock(), 4, closing), [0, 40, 5040, 5080]);
  });

  it('sleeps for no negative time if a turn falls due between two looks at the clock', async () => {
    const looks = [0, 0, 39, 39];
    const sleeps: number[] = [];
    const pacer = new Pacer({
      now: () => looks.shift() ?? 41,
      sleep: async (milliseconds) => void sleeps.push(milliseconds),
    });
    await pacer.turn(limits, never);
    await pacer.turn(limits, never);
    assert.deepEqual(sleeps, [1]);
  });

  it('saves up nothing while it is idle', async () => {
    const clock = new VirtualClock();
    const pacer = new Pacer(clock);
    await pacer.turn(limits, never);
    await clock.sleep(1000);
    for (const at of [1000, 1040, 1080]) {
      await pacer.turn(limits, never);
      assert.equal(clock.elapsed(), at);
    }
  });

  it('says at once that the gate stays closed for too long, and never opens it earlier', async () => {
    const clock = new VirtualClock();
    const pacer = new Pacer(clock);
    pacer.close(5000);
    pacer.close(1000);
    assert.equal(pacer.closedFor(), 5000);
    assert.equal(await pacer.turn({ ...limits, patienceMs: 4999 }, never), false);
    assert.equal(clock.elapsed(), 0);
    assert.equal(await pacer.turn({ ...limits, patienceMs: 5000 }, never), true);
    assert.equal(clock.elapsed(), 5000);
  });

  it('lets in no more than may be in flight', async () => {
    const clock = new VirtualClock();
    const pacer = new Pacer(clock);
    const two = { ...limits, concurrency: 2 };
    await Promise.all([pacer.turn(two, never), pacer.turn(two, never)]);
    let isIn = false;
    const third = pacer.turn(two, never).then(() => {
      isIn = true;
    });
    await clock.sleep(1000);
    assert.equal(isIn, false);
    pacer.leave();
    await third;
  });

  it('is shared by clients of one address and token, and by no others', () => {
    const clock = new VirtualClock();
    const pacer = sharedPacer(clock, 'https://a.test', 'one');
    assert.equal(sharedPacer(clock, 'https://a.test', 'one'), pacer);
    assert.notEqual(sharedPacer(clock, 'https://a.test', 'two'), pacer);
    assert.notEqual(sharedPacer(clock, 'https://b.test', 'one'), pacer);
    assert.notEqual(sharedPacer(new VirtualClock(), 'https://a.test', 'one'), pacer);
  });

  describe('of clients', () => {
    const wire = scriptedWire();
    const one = json(200, { data: oauthClientResource('oc-1') });

    it('keeps two clients with one token to one rate and one gate', async () => {
      const second = wire.client({ rate: 10 });
      let other: Promise<unknown> | undefined;
      const onEvent = ({ type }: ClientEvent) => {
        if (type === 'wait') other = second.oauthClients.read('oc-1');
      };
      const first = wire.client({ rate: 10, onEvent });
      wire.server.script(one, one, json(429, {}, { 'x-ratelimit-reset': '9' }), one);
      await first.oauthClients.read('oc-1');
      await second.oauthClients.read('oc-1');
      assert.equal(wire.clock.elapsed(), 100);
      const asked = first.oauthClients.read('oc-1');
      await asked;
      await other;
      // The one that was rejected stands behind the other, which was in line before it.
      assert.equal(wire.clock.elapsed(), 9300);
    });

    for (const [told, rate, interval] of [
      // A service that allows 10 a second gets 29 thirtieths of that.
      [['10'], 29, 103],
      [['10', '20'], 29, 103],
      [['0', '100;w=60', '-1', '1.5', 'ten', '10'], 29, 103],
      [['10'], 5, 200],
      [['3000'], 29, 34],
      [[], 29, 34],
    ] as const) {
      const limits = told.join(', then ') || 'any number';
      it(`keeps ${interval} ms between calls where answers allow ${limits}, and its own rate is ${rate}`, async () => {
        const limited = told.map((limit) =>
          json(200, { data: oauthClientResource('oc-1') }, { 'x-ratelimit-limit': limit }),
        );
        wire.server.script(...limited, one);
        const api = wire.client({ rate });
        for (const _ of [...told, 'the one after']) await api.oauthClients.read('oc-1');
        const before = wire.clock.elapsed();
        await api.oauthClients.read('oc-1');
        assert.equal(Math.round(wire.clock.elapsed() - before), interval);
      });
    }

    it('does not count the wait for a turn against the deadline', async () => {
      wire.server.script(one);
      const api = wire.client({ rate: 1, deadlineMs: 5000 });
      await Promise.all(Array.from({ length: 20 }, () => api.oauthClients.read('oc-1')));
      assert.equal(wire.clock.elapsed(), 19_000);
    });
  });
});

describe('delays', () => {
  const now = Date.parse('2024-01-01T00:00:00Z');
  for (const [attempt, random, expected] of [
    [1, 0, 0],
    [1, 0.999, 250],
    [2, 0.5, 250],
    [6, 1, 8000],
    [60, 1, 10_000],
    [2000, 0.5, 5000],
  ] as const) {
    it(`is ${expected} ms after attempt ${attempt} when chance says ${random}`, () => {
      assert.equal(backoff(attempt, random), expected);
    });
  }

  for (const [headers, expected, status = 429] of [
    [{}, null],
    [{ 'retry-after': ' 3 ' }, 3000],
    [{ 'retry-after': '0' }, null],
    [{ 'retry-after': '-3' }, null],
    [{ 'retry-after': 'Infinity' }, null],
    [{ 'retry-after': '1e9' }, null],
    [{ 'retry-after': '999999999' }, 3_600_000],
    [{ 'retry-after': 'Mon, 01 Jan 2024 00:00:10 GMT' }, 10_000],
    [{ 'retry-after': 'Mon, 01 Jan 2024 00:00:10 GMT', date: 'garbage' }, 10_000],
    [{ 'retry-after': 'Sun, 31 Dec 2023 23:59:00 GMT' }, null],
    [{ 'retry-after': 'Mon, 01 Jan 2024 00:00:10 GMT', date: 'Mon, 01 Jan 2024 00:00:08 GMT' }, 2000],
    [{ 'x-ratelimit-reset': '0.0311' }, 32],
    [{ 'x-ratelimit-reset': '2', 'retry-after': '1' }, 1000],
    // It is about the rate, and not about the outage.
    [{ 'x-ratelimit-reset': '2' }, null, 503],
  ] as const) {
    it(`reads ${JSON.stringify(headers)} of a ${status} as ${expected}`, () => {
      assert.equal(requestedDelay(headers, now, status), expected);
    });
  }
});
