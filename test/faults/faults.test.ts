/** One fault at each call and each journal line of each operation: applying again always ends in the same truth. */
import assert from 'node:assert/strict';
import type { Api } from '../../client/api';
import { AnswerLost } from '../../client/errors';
import { JournalFailed } from '../../reconciler/ledger/state';
import type { MadePlan } from '../../reconciler/make-plan';
import { ApplyWorld, type Between, type Mark } from '../support/apply-world';
import { FaultTable } from './fault-table';
import { type Situation, situations } from './situations';
import { callFaults, type Fault, Killed, lineFaults, type Moment, Tap } from './tap';
import { assertLedgerTrue, truthOf } from './truth';

const table = new FaultTable();

for (const situation of situations) {
  describe(`when ${situation.name}`, () => {
    let world: ApplyWorld;
    let known: Undisturbed;

    before(async () => {
      world = await ApplyWorld.start(situation.seed, { behaviours: situation.behaviours ?? {} });
      known = await undisturbed(world, situation);
    });
    after(() => world.close());

    for (const fault of [...callFaults, ...lineFaults]) {
      it(`survives ${fault} wherever it strikes`, async () => {
        const of = fault.endsWith('-line') ? 'line' : 'call';
        for (const [index, moment] of known.moments.entries()) {
          if (moment.of !== of) continue;
          await survive(world, situation, known, { index, how: fault });
          table.mark(moment.operation, fault);
        }
      });
    }
    for (const fault of ['late', 'killed-late'] as const) {
      for (const when of ['before', 'after'] as const) {
        it(`survives a create that arrives late ${when} the second apply (${fault})`, async () => {
          for (const [index, moment] of known.moments.entries()) {
            if (moment.name !== 'create client' && moment.name !== 'create trigger') continue;
            await survive(world, situation, known, { index, how: fault }, when);
          }
        });
      }
    }
  });
}

describe('the faults', () => {
  it('struck every operation in every way it can be struck', () => {
    assert.deepEqual(table.emptyCells(), []);
  });

  it('are not survived by an apply that sends a POST again blindly', async () => {
    const situation = situations[0] as Situation;
    const world = await ApplyWorld.start(situation.seed);
    try {
      const known = await undisturbed(world, situation);
      const index = known.moments.findIndex((one) => one.name === 'create client');
      const fault = { index, how: 'lost-after' as const };
      await survive(world, situation, known, fault);
      await assert.rejects(
        survive(world, situation, known, fault, 'never', blindly),
        (error) => error instanceof assert.AssertionError,
      );
    } finally {
      await world.close();
    }
  });
});

/** The situation without a fault. */
interface Undisturbed {
  /** Before the apply, with its plan. */
  readonly start: Mark;
  readonly made: MadePlan;
  readonly moments: readonly Moment[];
  /** What is true afterwards. */
  readonly truth: readonly string[];
}

async function undisturbed(world: ApplyWorld, situation: Situation): Promise<Undisturbed> {
  world.reset(situation.seed);
  await situation.prepare(world);
  const start = world.mark();
  const made = await world.plan(situation.options);
  const tap = new Tap(world.service, operationsOf(made), null);
  const result = await world.applyPlan(made.plan, through(tap, world.api));
  assert.equal(result.counts.done, result.steps.length, JSON.stringify(result.steps));
  await world.expectNothing();
  assertLedgerTrue(world);
  return { start, made, moments: tap.moments, truth: truthOf(world, seededIds(situation)) };
}

/** The situation with one fault, then once more without: the truth must be the same. */
async function survive(
  world: ApplyWorld,
  situation: Situation,
  { start, made, moments, truth }: Undisturbed,
  fault: { readonly index: number; readonly how: Fault },
  late: 'before' | 'after' | 'never' = 'never',
  changed: (api: Api) => Api = (api) => api,
): Promise<void> {
  world.returnTo(start);
  const tap = new Tap(world.service, operationsOf(made), fault);
  const { operation, name } = moments[fault.index] ?? {};
  const where = `${fault.how} at ${fault.index} (${operation}: ${name})`;
  try {
    await applyWith(world, made, through(tap, world.api, changed));
    world.service.clearFaults();
    if (late === 'before') await tap.arriveLate();
    await applyAgain(world, situation, where);
    if (late === 'after') {
      await tap.arriveLate();
      await applyAgain(world, situation, where);
    }
    await world.expectNothing();
    assertLedgerTrue(world);
    assert.deepEqual(truthOf(world, seededIds(situation)), truth);
  } catch (error) {
    if (error instanceof Error) error.message = `${where}: ${error.message}`;
    throw error;
  }
}

/** A kill while only the ledger has something to learn ends the apply itself. */
async function applyWith(
  world: ApplyWorld,
  { plan, inputs: { observed } }: MadePlan,
  between: Between,
): Promise<void> {
  try {
    await world.applyPlan(plan, { ...between, observed });
  } catch (error) {
    if (!(error instanceof JournalFailed) || !(error.cause instanceof Killed)) throw error;
  }
}

async function applyAgain(world: ApplyWorld, situation: Situation, where: string): Promise<void> {
  const { plan } = await world.plan(situation.options);
  const problems = [...plan.problems, ...plan.blockers];
  assert.deepEqual(
    problems.map((one) => one.message),
    [],
    where,
  );
  const result = await world.applyPlan(plan);
  const undone = result.steps.filter((one) => one.status !== 'done');
  assert.deepEqual(undone, [], where);
}

function through(tap: Tap, api: Api, changed: (api: Api) => Api = (one) => one) {
  return {
    api: changed(tap.api(api)),
    aroundJournal: tap.journal,
    onEvent: tap.onEvent,
    concurrency: 1,
  };
}

function operationsOf({ plan }: MadePlan): ReadonlyMap<string, string> {
  return new Map(plan.steps.map((step) => [step.id, `${step.action} ${step.kind}`] as const));
}

function seededIds(situation: Situation): ReadonlySet<string> {
  const { oauthClients = {}, runTriggers = {} } = situation.seed.organizations?.acme ?? {};
  return new Set([...Object.keys(oauthClients), ...Object.keys(runTriggers)]);
}

/** The negative control: a lost answer is answered by the same POST. */
function blindly(api: Api): Api {
  return {
    ...api,
    oauthClients: {
      ...api.oauthClients,
      create: async (organization, body) => {
        try {
          return await api.oauthClients.create(organization, body);
        } catch (error) {
          if (!(error instanceof AnswerLost)) throw error;
          return api.oauthClients.create(organization, body);
        }
      },
    },
  };
}
