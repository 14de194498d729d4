/** The order in which work runs: needs, queues and the limit, without any plan. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { schedule, type Work } from '../../../reconciler/apply/schedule';

interface Unit extends Work {
  readonly queue?: string;
  readonly fails?: boolean;
}

/** Says what started (`+`) and ended (`-`), and what was blocked. */
async function play(units: readonly Unit[], { concurrency = 8, stopAfter = Number.POSITIVE_INFINITY } = {}) {
  const log: string[] = [];
  const done = new Set<string>();
  let started = 0;
  await schedule(units, {
    concurrency,
    chooseQueue: ({ queue = null }) => queue,
    run: async ({ ids: [id = '', ...others], fails = false }) => {
      started += 1;
      log.push(`+${id}`);
      await new Promise((resolve) => setImmediate(resolve));
      log.push(`-${id}`);
      for (const one of fails ? others : [id, ...others]) done.add(one);
    },
    isDone: (id) => done.has(id),
    onBlocked: ({ ids: [id] }, by) => log.push(`${id} blocked by ${by}`),
    stopped: () => started >= stopAfter,
  });
  return log.join(' ');
}

const free = (id: string, more: Partial<Unit> = {}): Unit => ({ ids: [id], needs: [], ...more });

const rows: readonly (readonly [string, readonly Unit[], Parameters<typeof play>[1], string])[] = [
  ['runs free work together', [free('a'), free('b')], {}, '+a +b -a -b'],
  ['waits for what is needed', [free('a'), free('b', { needs: ['a'] })], {}, '+a -a +b -b'],
  ['takes what is not in the list for done', [free('a', { needs: ['elsewhere'] })], {}, '+a -a'],
  ['starts no more at once than allowed', [free('a'), free('b')], { concurrency: 1 }, '+a -a +b -b'],
  [
    'runs one of a queue at a time',
    [free('a', { queue: 'q' }), free('b', { queue: 'q' }), free('c')],
    {},
    '+c +a -c -a +b -b',
  ],
  [
    'blocks what needs a failed one, through others too, and runs the rest',
    [free('a', { fails: true }), free('b', { needs: ['a'] }), free('c', { needs: ['b'] }), free('d')],
    {},
    '+a +d -a b blocked by a c blocked by b -d',
  ],
  [
    'does not block what needs another part of a failed one',
    [{ ids: ['a', 'a2'], needs: [], fails: true }, free('b', { needs: ['a2'] }), free('c', { needs: ['a'] })],
    {},
    '+a -a +b c blocked by a -b',
  ],
  [
    'waits for the end of what comes before, also if that failed',
    [free('a', { fails: true }), free('b', { needs: ['a'] }), free('c', { after: ['a', 'b'] })],
    {},
    '+a -a b blocked by a +c -c',
  ],
  [
    'starts nothing more once it is stopped',
    [free('a'), free('b', { needs: ['a'] })],
    { stopAfter: 1 },
    '+a -a',
  ],
];

describe('the schedule', () => {
  for (const [what, units, options, expected] of rows) {
    it(what, async () => assert.equal(await play(units, options), expected));
  }

  it('runs or blocks each unit once, after what it needs', async () => {
    const earlier = fc.array(fc.nat(9));
    const graphs = fc.array(
      fc.record({ needs: earlier, after: earlier, fails: fc.boolean(), queue: fc.constantFrom('p', 'q') }),
      { maxLength: 10 },
    );
    await fc.assert(
      fc.asyncProperty(graphs, fc.integer({ min: 1, max: 3 }), async (graph, concurrency) => {
        const earlierIds = (index: number, all: readonly number[]) =>
          all.filter((one) => one < index).map((one) => `u${one}`);
        const units = graph.map(({ needs, after, ...more }, index) => ({
          ...more,
          ids: [`u${index}`],
          needs: earlierIds(index, needs),
          after: earlierIds(index, after),
        }));
        const log = await play(units, { concurrency });
        for (const {
          ids: [id = ''],
          needs,
          after,
          fails,
        } of units) {
          const isStarted = log.includes(`+${id} `) || log.endsWith(`+${id}`);
          assert.notEqual(isStarted, log.includes(`${id} blocked by`), log);
          for (const need of needs) {
            const isOf = units.find((unit) => unit.ids.includes(need));
            if (isStarted) assert.ok(!isOf?.fails && log.indexOf(`-${need} `) < log.indexOf(`+${id}`), log);
          }
          for (const other of isStarted ? after : []) {
            assert.ok(!log.includes(`+${other} `) || log.indexOf(`-${other} `) < log.indexOf(`+${id}`), log);
          }
          assert.equal(log.split(`+${id} `).length, isStarted ? 2 : 1, `${log} ${fails}`);
        }
      }),
    );
  });
});
