/** An apply that is killed at any write: applying again ends in the same final state. */
import { type ApplyCase, applyCases } from './apply-cases';
import { FaultWorld, labelled } from './fault-world';

function killAtEachWrite(
  label: string,
  applyCase: ApplyCase,
  options: Parameters<typeof FaultWorld.open>[1] = {},
): void {
  describe(label, () => {
    let faults: FaultWorld;
    before(async () => {
      faults = await FaultWorld.open(applyCase, options);
    });
    after(() => faults.close());

    for (const kill of ['before', 'after'] as const) {
      it(`ends in the same final state when it is killed ${kill} any save or write`, async () => {
        for (const [index, { name }] of faults.faultless.writePoints.entries()) {
          await labelled(`${kill} ${index} (${name})`, async () => {
            faults.reset();
            await faults.run({ at: index, fault: { kill } });
            await faults.finish();
            await faults.expectFinalState();
          });
        }
      });
    }
  });
}

const lagging = { 'create-hidden-ms': '30000', 'delete-visible-ms': '30000' };

for (const [name, applyCase] of Object.entries(applyCases)) killAtEachWrite(name, applyCase);
for (const name of ['a first apply', 'a replacement'] as const) {
  killAtEachWrite(`${name}, several steps at once`, applyCases[name], { concurrency: 8 });
  killAtEachWrite(`${name}, of a service whose lists lag behind`, applyCases[name], { behaviours: lagging });
}
