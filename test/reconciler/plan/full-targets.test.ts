/** A limit on the sources of a target: whatever is edited, the plan can be done, never needs more room than there is, and ends as wanted. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Manifests } from '../../../manifest/desired';
import type { Step } from '../../../reconciler/plan/plan';
import {
  ledgerWith,
  manifest,
  planIn,
  pureWorld,
  triggerDocument,
  triggerInLedger,
} from '../../support/pure-world';

type Pair = readonly [target: string, source: string];

const workspaces = ['ws-a', 'ws-b', 'ws-c', 'ws-d', 'ws-e', 'ws-f'];
const pairs = workspaces.flatMap((target) =>
  workspaces.filter((source) => source !== target).map((source): Pair => [target, source]),
);
const textOf = ([target, source]: Pair) => `${target} ${source}`;

/** The first so many of each target. */
function atMost(limit: number, all: readonly Pair[]): Pair[] {
  const count = new Map<string, number>();
  return all.filter(([target]) => {
    count.set(target, (count.get(target) ?? 0) + 1);
    return (count.get(target) ?? 0) <= limit;
  });
}

interface Course {
  readonly limit: number;
  readonly there: readonly Pair[];
  readonly unmanaged: readonly Pair[];
  readonly wanted: readonly Pair[];
  readonly inbound: readonly string[];
  readonly outbound: readonly string[];
}

const shuffled = fc.shuffledSubarray(pairs, { maxLength: 16 });
const anyCourse: fc.Arbitrary<Course> = fc
  .record({
    limit: fc.constantFrom(1, 2, 3, 20),
    there: shuffled,
    foreign: fc.subarray(pairs, { maxLength: 8 }),
    wanted: shuffled,
    inbound: fc.subarray(workspaces),
    outbound: fc.subarray(workspaces),
  })
  .map(({ limit, there, foreign, wanted, ...sets }) => {
    const unmanaged = new Set(foreign.map(textOf));
    const all = atMost(limit, there);
    return {
      ...sets,
      limit,
      there: all,
      unmanaged: all.filter((pair) => unmanaged.has(textOf(pair))),
      wanted: atMost(limit, wanted),
    };
  });
/** What nobody may delete leaves room for what is wanted. */
const course = anyCourse.filter((one) => {
  const end = endOf(one);
  return atMost(one.limit, end).length === end.length;
});

function endOf({ unmanaged, wanted, inbound, outbound }: Course): Pair[] {
  const listed = new Set(wanted.map(textOf));
  const stays = unmanaged.filter(
    ([target, source]) =>
      !listed.has(`${target} ${source}`) && !inbound.includes(target) && !outbound.includes(source),
  );
  return [...wanted, ...stays];
}

/** Sets that meet agree, because both list what is wanted. */
function manifestOf({ limit, wanted, inbound, outbound }: Course): Manifests {
  const lines = [
    ...inbound.map((target) => ({
      target,
      sources: wanted.filter((one) => one[0] === target).map((one) => one[1]),
    })),
    ...outbound.map((source) => ({
      source,
      targets: wanted.filter((one) => one[1] === source).map((one) => one[0]),
    })),
    ...wanted
      .filter(([target, source]) => !inbound.includes(target) && !outbound.includes(source))
      .map(([target, source]) => ({ target, source })),
  ];
  const read = manifest(`runTriggers: ${JSON.stringify(lines)}\n`);
  const { profile } = read;
  return { ...read, profile: { ...profile, limits: { ...profile.limits, maxSources: limit } } };
}

function planOf(one: Course) {
  const documents = one.there.map(([target, source], index) =>
    triggerDocument(`rt-${index}`, source, target),
  );
  const theirs = new Set(one.unmanaged.map(textOf));
  const ours = one.there.flatMap(([target, source], index) =>
    theirs.has(`${target} ${source}`)
      ? []
      : [[`RunTrigger/${target}/${source}`, triggerInLedger(`rt-${index}`, source, target)] as const],
  );
  const world = pureWorld({ triggers: documents, ledger: ledgerWith(Object.fromEntries(ours)) });
  return planIn(world, manifestOf(one), { maxDeletes: 1000 }).plan;
}

/** Does the steps in an order that their needs allow, `pick` among those that are free; returns what is there in the end. */
function carryOut(
  { limit, there }: Course,
  steps: readonly Step[],
  pick: (free: readonly Step[]) => Step | undefined,
): Pair[] {
  let now: Pair[] = [...there];
  const open = new Set(steps);
  const done = new Set<string>();
  while (open.size > 0) {
    const step = pick([...open].filter((one) => one.needs.every((need) => done.has(need))));
    assert.ok(
      step,
      `nothing can start of ${[...open].map((one) => `${one.id} after ${one.needs}`).join('; ')}`,
    );
    open.delete(step);
    done.add(step.id);
    const pair: Pair = [String(step.managed.workspaceId), String(step.managed.sourceableId)];
    if (step.action === 'create') now = [...now, pair];
    if (step.action === 'delete') now = now.filter((one) => textOf(one) !== textOf(pair));
    assert.equal(atMost(limit, now).length, now.length, `${step.id} goes beyond ${limit}`);
  }
  return now;
}

const sorted = (all: readonly Pair[]) => all.map(textOf).sort();

describe('targets that take only so many sources', () => {
  it('are never beyond that, and are as wanted in the end, whichever of the free steps comes first', () => {
    fc.assert(
      fc.property(course, fc.infiniteStream(fc.nat()), (one, chance) => {
        const { steps } = planOf(one);
        const eager = carryOut(
          one,
          steps,
          (free) => free.find((step) => step.action === 'create') ?? free[0],
        );
        const random = carryOut(
          one,
          steps,
          (free) => free[(chance.next().value ?? 0) % Math.max(1, free.length)],
        );
        assert.deepEqual(sorted(eager), sorted(endOf(one)));
        assert.deepEqual(sorted(random), sorted(endOf(one)));
      }),
      { numRuns: 600 },
    );
  });

  it('are filled as far as there is room, and a problem names each line for which there is none', () => {
    fc.assert(
      fc.property(anyCourse, (one) => {
        const { steps, problems } = planOf(one);
        const end = carryOut(one, steps, ([free]) => free);
        const refused = problems.map(({ address }) => address.split('/').slice(1).join(' '));
        const isFull = (target: string) => end.filter((pair) => pair[0] === target).length === one.limit;
        assert.deepEqual([...sorted(end), ...refused].sort(), sorted(endOf(one)));
        for (const { rule, address, at } of problems) {
          assert.equal(rule, 'too-many-sources');
          assert.ok(at && isFull(address.split('/')[1] ?? ''));
        }
      }),
      { numRuns: 600 },
    );
  });

  const swap: Course = {
    limit: 1,
    there: [
      ['ws-c', 'ws-x'],
      ['ws-d', 'ws-y'],
    ],
    unmanaged: [],
    wanted: [
      ['ws-d', 'ws-x'],
      ['ws-c', 'ws-y'],
    ],
    inbound: [],
    outbound: ['ws-x', 'ws-y'],
  };

  it('are swapped by two sets: both deletes go first', () => {
    const { steps } = planOf(swap);
    assert.deepEqual(
      steps.map(({ action, needs }) => [action, needs.length]),
      [
        ['delete', 0],
        ['create', 1],
        ['delete', 0],
        ['create', 1],
      ],
    );
  });

  it('get room from what an interrupted create left there, too', () => {
    const { steps } = planIn(
      pureWorld({
        triggers: [triggerDocument('rt-1', 'ws-x', 'ws-c')],
        ledger: ledgerWith(
          {},
          {
            pending: {
              'RunTrigger/ws-c/ws-x': { kind: 'RunTrigger', nonce: 'RunTrigger/ws-c/ws-x', hash: 'h' },
            },
          },
        ),
      }),
      manifestOf({ ...swap, wanted: [['ws-c', 'ws-y']], outbound: [] }),
    );
    assert.deepEqual(
      steps.map(({ action, needs }) => [action, needs.length]),
      [
        ['cleanup', 0],
        ['create', 1],
      ],
    );
  });

  it('are planned beside what was deleted elsewhere, whose ends no list shows', () => {
    const ledger = ledgerWith({ 'RunTrigger/ws-a/ws-b': triggerInLedger('rt-1', 'ws-b', 'ws-a') });
    const { profile, ...read } = manifest('runTriggers: []\n');
    const limited = { ...read, profile: { ...profile, limits: { ...profile.limits, maxSources: 1 } } };
    const { steps } = planIn(pureWorld({ ledger }), limited);
    assert.deepEqual(
      steps.map(({ action, address }) => [action, address]),
      [['forget', 'RunTrigger/ws-a/ws-b']],
    );
  });

  it('lose nothing early where one of the two has room', () => {
    const { steps } = planOf({ ...swap, there: swap.there.slice(0, 1), wanted: swap.wanted.slice(0, 1) });
    assert.deepEqual(
      steps.map(({ action }) => action),
      ['create', 'delete'],
    );
  });
});
