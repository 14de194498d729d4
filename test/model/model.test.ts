/** Courses with fixed seeds, each held against an oracle that shares no code with the planner. */
import assert from 'node:assert/strict';
import { adrift } from './mutants';
import { playAgain, playSeed, type Recorded } from './play';
import { report } from './shrink';

const courses = 60;
/** From two to six steps, so that short courses are among them. */
const stepsOf = (seed: number): number => 2 + (seed % 5);

/** The file of an alias goes, and with it the triggers that it named: their addresses have it from the ledger. */
const lastAlias: Recorded = {
  conditions: { profile: 'hcp-terraform', behaviours: {}, concurrency: 8 },
  actions: [
    { edit: 'line', path: 'main.tether.yaml', item: { target: 'ws-e', source: 'ws-f' } },
    { edit: 'alias', kind: 'workspaces', path: 'more.tether.json', name: 'images', id: 'ws-a' },
    { edit: 'line', path: 'more.tether.json', item: { source: 'images', targets: ['ws-c', 'ws-d'] } },
    { do: 'run' },
    { edit: 'drop-file', path: 'more.tether.json' },
    { do: 'run' },
  ],
};

describe('the independent model', () => {
  it('reads an alias of the last apply in an address', async () => {
    const broken = await playAgain(lastAlias);
    assert.equal(broken?.message, undefined);
  });

  it('has a mutant for each mend that still finds its place in the product', () => {
    assert.deepEqual(adrift(), []);
  });

  let agreed = 0;
  // The number tells a reader of the test output how much of the model it covers.
  after(() => process.stdout.write(`the independent model: ${agreed} of ${courses} courses agree\n`));

  const groups = 6;
  for (let group = 0; group < groups; group += 1) {
    it(`agrees with the tool in courses ${group * 10 + 1} to ${group * 10 + 10}`, async () => {
      for (let seed = group * 10 + 1; seed <= Math.min(courses, group * 10 + 10); seed += 1) {
        const played = await playSeed(seed, stepsOf(seed));
        if (played.broken !== undefined) assert.fail(await report(played));
        agreed += 1;
      }
    });
  }
});
