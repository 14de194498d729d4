/** Our pacing against the limiters of the service: alone, stalled, beside others; in virtual time. */
import assert from 'node:assert/strict';
import { setMaxListeners } from 'node:events';
import fc from 'fast-check';
import { Pacer, requestedDelay } from '../../client/pace';
import { rateLimit } from '../../service/rules/rate-limit';
import { Refusal } from '../../service/rules/refusal';
import { LateClock, VirtualClock } from '../support/virtual-clock';

const never = new AbortController().signal;
setMaxListeners(0, never);
const limit = 30;
/** What a client sends by default where 30 are allowed. */
const rate = 29;
const algorithms = ['token-bucket', 'fixed-window', 'sliding-window'] as const;

/** Of a process that stands still at the beginning of every two seconds. */
class StallingClock extends VirtualClock {
  constructor(private readonly stallMs: number) {
    super();
  }

  override sleep(milliseconds: number, signal?: AbortSignal) {
    const into = (this.elapsed() + milliseconds) % 2000;
    return super.sleep(milliseconds + Math.max(0, this.stallMs - into), signal);
  }
}

type Limiter = () => { readonly status: number; readonly headers: Readonly<Record<string, string>> };

function limiterOf(algorithm: (typeof algorithms)[number], clock: VirtualClock): Limiter {
  const count = rateLimit({
    behaviours: { rate: limit, 'rate-limit': algorithm },
    clock,
  });
  return () => {
    try {
      return { status: 200, headers: count('token') };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { status: 429, headers: error.headers ?? {} };
    }
  };
}

/** So many calls of one process, each again after a 429; `latencies` are there and back, in turn. */
async function play(clock: VirtualClock, limiter: Limiter, calls: number, latencies: readonly number[]) {
  const pacer = new Pacer(clock);
  const ended = { sent: 0, rejected: 0, lastSent: 0 };
  const call = async () => {
    await pacer.enter(32, never);
    for (;;) {
      assert.equal(await pacer.slot(1000 / rate, 1e9, never), true);
      const wayMs = (latencies[ended.sent % latencies.length] ?? 0) / 2;
      const sentAt = clock.now();
      ended.sent += 1;
      ended.lastSent = clock.elapsed();
      await clock.sleep(wayMs);
      const { status, headers } = limiter();
      await clock.sleep(wayMs);
      pacer.answered(sentAt, status, headers);
      if (status !== 429) return pacer.leave();
      ended.rejected += 1;
      pacer.close(requestedDelay(headers, clock.now()) ?? 250);
    }
  };
  await Promise.all(Array.from({ length: calls }, call));
  return ended;
}

/** Refuses one more: the one that comes at this turn. */
function refusing(limiter: Limiter, turn: number): Limiter {
  let asked = 0;
  return () => {
    asked += 1;
    return asked === turn ? { status: 429, headers: { 'retry-after': '1' } } : limiter();
  };
}

const randomLatencies = fc.array(fc.integer({ min: 5, max: 55 }), { minLength: 5, maxLength: 9 });
const fewLatencies = fc.array(fc.integer({ min: 5, max: 15 }), { minLength: 5, maxLength: 9 });
/** One timer of ten is late by what a busy machine makes of it. */
const mostlyInTime = fc
  .tuple(
    fc.integer({ min: 0, max: 25 }),
    fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 9, maxLength: 9 }),
  )
  .map(([late, others]) => [late, ...others]);

describe('the rate', () => {
  for (const algorithm of algorithms) {
    it(`alone is 95 % of what is allowed, and nothing is rejected: ${algorithm}`, async () => {
      await fc.assert(
        fc.asyncProperty(fewLatencies, mostlyInTime, async (latencies, lateMs) => {
          const clock = new LateClock(lateMs);
          const { rejected, sent, lastSent } = await play(clock, limiterOf(algorithm, clock), 150, latencies);
          assert.equal(rejected, 0);
          assert.ok(lastSent <= ((sent - 1) / (0.95 * limit)) * 1000 + 1, `the last at ${lastSent} ms`);
        }),
        { numRuns: 5, endOnFailure: true },
      );
    });

    it(`comes back within seconds after one 429 that nobody else caused: ${algorithm}`, async () => {
      const clock = new VirtualClock();
      const limiter = refusing(limiterOf(algorithm, clock), 60);
      const { rejected, lastSent } = await play(clock, limiter, 600, [20]);
      assert.equal(rejected, 1);
      // A second was asked for, the next is at half the rate, and who stood in line by then keeps that distance.
      assert.ok(lastSent <= (600 / rate) * 1000 + 3000, `the last at ${lastSent} ms`);
    });

    it(`stays low after a second 429 soon: ${algorithm}`, async () => {
      const clock = new VirtualClock();
      const limiter = refusing(refusing(limiterOf(algorithm, clock), 60), 100);
      const { rejected, lastSent } = await play(clock, limiter, 300, [20]);
      assert.equal(rejected, 2);
      assert.ok(lastSent >= (300 / rate) * 1000 + 5000, `the last at ${lastSent} ms`);
    });

    it(`after a stall is no burst, and nothing is rejected: ${algorithm}`, async () => {
      const stalls = fc.integer({ min: 1, max: 400 });
      await fc.assert(
        fc.asyncProperty(randomLatencies, stalls, async (latencies, stallMs) => {
          const clock = new StallingClock(stallMs);
          const { rejected } = await play(clock, limiterOf(algorithm, clock), 150, latencies);
          assert.equal(rejected, 0);
        }),
        { numRuns: 5, endOnFailure: true },
      );
    });

    for (const [one, two] of [
      [20, 30],
      [150, 150],
      [20, 300],
    ] as const) {
      it(`of two at once is shared, with one in a hundred rejected (${one} and ${two} ms): ${algorithm}`, async () => {
        const clock = new VirtualClock();
        const limiter = limiterOf(algorithm, clock);
        const both = await Promise.all([one, two].map((ms) => play(clock, limiter, 500, [ms, ms * 0.9])));
        const [rejected, sent] = [0, 0].map((_, index) =>
          both.reduce((sum, ended) => sum + (index === 0 ? ended.rejected : ended.sent), 0),
        );
        assert.ok((rejected ?? 0) <= (sent ?? 0) / 100, `${rejected} of ${sent}`);
        const [slow = 0, fast = 0] = both.map(({ lastSent }) => lastSent).sort((a, b) => b - a);
        assert.ok(fast > slow / 3, `one had ended at ${fast} ms, the other at ${slow}`);
        // All in all, most of what is allowed is used.
        assert.ok(1000 / (slow / 1000) > limit * 0.6, `ended at ${slow} ms`);
      });
    }
  }
});
