/** Several faults in a row, eight steps at once, requests that arrive late: seeded, and the seed is printed. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { JournalFailed } from '../../reconciler/ledger/state';
import { ApplyWorld, type Mark } from '../support/apply-world';
import { type Situation, situations } from './situations';
import { callFaults, type Fault, Killed, lineFaults, Tap } from './tap';
import { assertLedgerTrue, truthOf } from './truth';

const faults: readonly Fault[] = [...callFaults, ...lineFaults, 'late', 'killed-late'];

/** Which fault strikes where, and after how many further applies a late request arrives. */
const mishaps = fc.array(
  fc.record({
    index: fc.nat(30),
    how: fc.constantFrom(...faults),
    arrivesAfter: fc.nat(2),
  }),
  { minLength: 1, maxLength: 3 },
);

/** What the second apply has left is partly a matter of the ledger alone, and it is killed before that is written. */
const lateAndThenAgain: { index: number; how: Fault; arrivesAfter: number }[] = [
  { index: 3, how: 'killed-late', arrivesAfter: 0 },
  { index: 1, how: 'killed-late', arrivesAfter: 0 },
];

const chosen = [
  'everything is new',
  'clients were edited',
  'a client must be replaced',
  'lines were removed',
];

for (const situation of situations.filter((one) => chosen.includes(one.name) || one.behaviours)) {
  describe(`when ${situation.name}, and it goes wrong more than once`, () => {
    let world: ApplyWorld;
    let start: Mark;
    let truth: readonly string[];

    before(async () => {
      world = await ApplyWorld.start(situation.seed, { behaviours: situation.behaviours ?? {} });
      await situation.prepare(world);
      start = world.mark();
      await apply(world, situation);
      truth = truthOf(world, seededIds(situation));
    });
    after(() => world.close());

    it('ends in the same truth', async () => {
      await fc.assert(
        fc.asyncProperty(mishaps, async (all) => {
          world.returnTo(start);
          const late: { at: number; tap: Tap }[] = [];
          for (const [turn, { index, how, arrivesAfter }] of all.entries()) {
            const tap = new Tap(world.service, new Map(), { index, how });
            await apply(world, situation, tap);
            world.service.clearFaults();
            late.push({ at: turn + arrivesAfter, tap });
            for (const one of late.filter(({ at }) => at === turn)) await one.tap.arriveLate();
          }
          await apply(world, situation);
          for (const one of late.filter(({ at }) => at >= all.length)) await one.tap.arriveLate();
          await apply(world, situation);
          await world.expectNothing();
          assertLedgerTrue(world);
          assert.deepEqual(truthOf(world, seededIds(situation)), truth);
        }),
        { numRuns: 25, examples: [[lateAndThenAgain]] },
      );
    });
  });
}

async function apply(world: ApplyWorld, situation: Situation, tap?: Tap): Promise<void> {
  const { plan } = await world.plan({ ...situation.options, acceptMissing: 20, maxDeletes: 20 });
  const stopped = [...plan.blockers, ...plan.problems];
  assert.deepEqual(stopped, []);
  if (tap === undefined) {
    await world.applyPlan(plan);
    return;
  }
  const between = { api: tap.api(world.api), aroundJournal: tap.journal, onEvent: tap.onEvent };
  try {
    await world.applyPlan(plan, between);
  } catch (error) {
    // A kill while the ledger still has something to learn ends the apply itself.
    if (!(error instanceof JournalFailed) || !(error.cause instanceof Killed)) throw error;
  }
}

function seededIds(situation: Situation): ReadonlySet<string> {
  const { oauthClients = {}, runTriggers = {} } = situation.seed.organizations?.acme ?? {};
  return new Set([...Object.keys(oauthClients), ...Object.keys(runTriggers)]);
}
