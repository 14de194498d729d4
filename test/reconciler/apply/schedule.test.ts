/** The order in which work runs: needs, queues, groups and the limit, without any plan. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { schedule, type Work } from '../../../reconciler/apply/schedule';

interface Unit extends Work {
  readonly queues?: readonly string[];
  readonly group?: string;
  readonly fails?: boolean;
}

/** Runs the units and tells what started (`+`) and ended (`-`) in which order, and what was blocked. */
async function play(units: readonly Unit[], { concurrency = 8, stopAfter = Number.POSITIVE_INFINITY } = {}) {
  const log: string[] = [];
  let started = 0;
  await schedule(units, {
    concurrency,
    queues: ({ queues = [], group = null }) => ({ queues, group }),
    run: async (together) => {
      started += 1;
      log.push(`+${together.map((unit) => unit.id).join('&')}`);
      await new Promise((resolve) => setImmediate(resolve));
      log.push(`-${together.map((unit) => unit.id).join('&')}`);
      return together.map((unit) => unit.fails !== true);
    },
    onBlocked: (unit, by) => log.push(`${unit.id} blocked by ${by}`),
    stopped: () => started >= stopAfter,
  });
  return { log };
}

describe('the schedule', () => {
  const rows: readonly (readonly [string, readonly Unit[], Parameters<typeof play>[1], readonly string[]])[] =
    [
      [
        'runs free work together',
        [
          { id: 'a', needs: [] },
          { id: 'b', needs: [] },
        ],
        {},
        ['+a', '+b', '-a', '-b'],
      ],
      [
        'waits for what is needed',
        [
          { id: 'a', needs: ['b'] },
          { id: 'b', needs: [] },
        ],
        {},
        ['+b', '-b', '+a', '-a'],
      ],
      [
        'starts no more at once than allowed',
        [
          { id: 'a', needs: [] },
          { id: 'b', needs: [] },
        ],
        { concurrency: 1 },
        ['+a', '-a', '+b', '-b'],
      ],
      [
        'keeps a queue to one at a time, in order',
        [
          { id: 'a', needs: [], queues: ['x'] },
          { id: 'b', needs: [], queues: ['y', 'x'] },
          { id: 'c', needs: [], queues: ['z'] },
        ],
        {},
        ['+a', '+c', '-a', '+b', '-c', '-b'],
      ],
      [
        'does a group in one go',
        [
          { id: 'a', needs: [], group: 'g' },
          { id: 'b', needs: [], group: 'h' },
          { id: 'c', needs: [], group: 'g' },
        ],
        {},
        ['+a&c', '+b', '-a&c', '-b'],
      ],
      [
        'blocks what depends on a failure, however far, and does the rest',
        [
          { id: 'a', needs: [], fails: true },
          { id: 'b', needs: ['a'] },
          { id: 'c', needs: ['b'] },
          { id: 'd', needs: [] },
        ],
        {},
        ['+a', '+d', '-a', 'b blocked by a', 'c blocked by a', '-d'],
      ],
      ['takes a need that is not there for met', [{ id: 'a', needs: ['gone'] }], {}, ['+a', '-a']],
      [
        'starts nothing once stopped',
        [
          { id: 'a', needs: [] },
          { id: 'b', needs: [] },
          { id: 'c', needs: ['a'] },
        ],
        { concurrency: 1, stopAfter: 1 },
        ['+a', '-a'],
      ],
      ['ends at once without work', [], {}, []],
    ];
  for (const [what, units, options, log] of rows) {
    it(what, async () => assert.deepEqual((await play(units, options)).log, log));
  }

  it('looks at each of many behind one queue a few times', async () => {
    const count = 3000;
    let looks = 0;
    const queues = new Proxy(['x'], {
      get: (target, name, receiver) => {
        if (name === 'find') looks += 1;
        return Reflect.get(target, name, receiver) as unknown;
      },
    });
    const { log } = await play(
      Array.from({ length: count }, (_, index) => ({ id: `${index}`, needs: [], queues })),
    );
    assert.deepEqual(log.slice(-2), [`+${count - 1}`, `-${count - 1}`]);
    assert.ok(looks <= 3 * count, `${looks} times`);
  });

  it('does what comes along with its unit, and alone what did not', async () => {
    const log: string[] = [];
    const ids = (units: readonly Work[]) => units.map(({ id }) => id).join('&');
    await schedule(
      [
        { id: 'a', needs: [] },
        { id: 'b', needs: ['a'] },
        { id: 'c', needs: ['a'] },
        { id: 'd', needs: ['a', 'b'] },
        { id: 'e', needs: ['b'] },
      ],
      {
        concurrency: 1,
        queues: () => ({ queues: [], group: null }),
        along: (_, waiting) => waiting,
        run: async (own, along) => {
          log.push(`${ids(own)}+${ids(along)}`);
          return [...own.map(() => true), ...along.map(({ id }) => (id === 'c' ? undefined : true))];
        },
        onBlocked: ({ id }) => log.push(`${id} blocked`),
        stopped: () => false,
      },
    );
    assert.deepEqual(log, ['a+b&c', 'c+', 'd+', 'e+']);
  });

  it('refuses to start where some wait for each other in a circle, and says which', async () => {
    const circle = [
      { id: 'free', needs: [] },
      { id: 'a', needs: ['b'] },
      { id: 'b', needs: ['free', 'c'] },
      { id: 'c', needs: ['a'] },
      { id: 'after', needs: ['c'] },
    ];
    await assert.rejects(
      play(circle),
      /wait for each other, so none of them can start: a, b, c, after\. Nothing was done/,
    );
  });

  it('never breaks an order, a queue or the limit, and tries all it can', async () => {
    const unitsOf = fc
      .array(
        fc.record({
          needs: fc.array(fc.nat(20), { maxLength: 3 }),
          queues: fc.subarray(['x', 'y', 'z'], { maxLength: 2 }),
          fails: fc.boolean().map((fails) => fails),
        }),
        { maxLength: 20 },
      )
      .map((all) =>
        all.map(({ needs, queues, fails }, index): Unit => {
          const earlier = needs.filter((need) => need < index).map((need) => `u${need}`);
          return { id: `u${index}`, needs: earlier, queues, fails: fails && index % 4 === 0 };
        }),
      );
    await fc.assert(
      fc.asyncProperty(unitsOf, fc.integer({ min: 1, max: 4 }), async (units, concurrency) => {
        const { log } = await play(units, { concurrency });
        const byId = new Map(units.map((unit) => [unit.id, unit]));
        const running = new Set<string>();
        const ended = new Set<string>();
        for (const line of log) {
          const unit = byId.get(line.slice(1));
          if (unit === undefined) continue;
          if (line.startsWith('-')) {
            running.delete(unit.id);
            ended.add(unit.id);
            continue;
          }
          assert.ok(unit.needs.every((need) => ended.has(need) && byId.get(need)?.fails !== true));
          for (const other of running) {
            const shared = byId.get(other)?.queues?.some((queue) => unit.queues?.includes(queue));
            assert.ok(!shared, `${unit.id} beside ${other}`);
          }
          running.add(unit.id);
          assert.ok(running.size <= concurrency);
        }
        const outcomes = log.filter((line) => !line.startsWith('+'));
        assert.equal(outcomes.length, units.length, 'each has an outcome');
      }),
    );
  });
});
