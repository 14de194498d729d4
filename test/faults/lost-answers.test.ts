/** Responses that are lost, delayed or wrong, at each kind of write: applying again ends in the same final state. */
import { applyCases } from './apply-cases';
import type { WritePoint } from './fault-injector';
import { FaultWorld, labelled } from './fault-world';
import { createGaps, recoverableFaults } from './faults';

for (const [caseName, applyCase] of Object.entries(applyCases)) {
  describe(`${caseName}, with a response that is lost, delayed or wrong`, () => {
    let faults: FaultWorld;
    before(async () => {
      faults = await FaultWorld.open(applyCase);
    });
    after(() => faults.close());

    for (const [faultName, fault] of Object.entries({ ...recoverableFaults, ...createGaps })) {
      it(`ends in the same final state: ${faultName}`, async () => {
        for (const call of listCalls(faults.faultless.writePoints)) {
          if (faultName in createGaps && call === 'create client') continue;
          await labelled(call, async () => {
            faults.reset();
            await faults.run({ at: call, fault });
            await faults.finish();
            await faults.pass(301_000);
            await faults.finish();
            await faults.expectFinalState();
          });
        }
      });
    }
  });
}

/** Returns the names of the calls. A fault at a name hits the first call of that name. */
function listCalls(points: readonly WritePoint[]): ReadonlySet<string> {
  return new Set(points.flatMap(({ kind, name }) => (kind === 'call' ? [name] : [])));
}
