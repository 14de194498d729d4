/** Plans far larger than any organization: nothing of them is done for each pair of steps, and no call gets them as arguments. */
import assert from 'node:assert/strict';
import type { PlanInputs } from '../../../reconciler/plan/context';
import { readProfile } from '../../../resources/profile';
import { registry } from '../../../resources/registry';
import { manifest, planAll, planIn, pureWorld } from '../../support/pure-world';

const sourcesPerTarget = 20;

/** So many triggers, a target's limit of sources each, of which nothing is there. */
function inputsFor(count: number): PlanInputs {
  const { inputs } = planIn(pureWorld(), manifest('runTriggers: [{ target: ws-0, source: ws-s0 }]\n'));
  const [template] = inputs.manifests.entries;
  assert.ok(template !== undefined);
  const pairs = Array.from({ length: count }, (_, index) => {
    const target = `ws-t${Math.floor(index / sourcesPerTarget)}`;
    return { target, source: `ws-s${index % sourcesPerTarget}` };
  });
  const entries = pairs.map(({ target, source }) => ({
    ...template,
    address: `RunTrigger/${target}/${source}`,
    inputs: { workspaceId: target, sourceableId: source },
  }));
  const definition = registry.find((one) => one.kind === 'RunTrigger');
  const lists = Object.fromEntries(
    pairs.flatMap(({ target }) =>
      (definition?.listedIn({ workspaceId: target }) ?? []).map((ref) => [
        ref.name,
        { state: 'read' as const, ref, items: [] },
      ]),
    ),
  );
  const profile = readProfile('hcp-terraform', '/');
  return {
    ...inputs,
    manifests: { ...inputs.manifests, profile, entries },
    observed: { ...inputs.observed, lists },
  };
}

/** The registry, with a count of how often the queue of a step is asked for. */
function countingRegistry() {
  const asked = { times: 0 };
  const counting = registry.map((definition) => {
    const { createQueue } = definition;
    if (createQueue === undefined) return definition;
    const counted: typeof createQueue = (key) => {
      asked.times += 1;
      return createQueue(key);
    };
    return { ...definition, createQueue: counted };
  });
  return { asked, counting };
}

describe('a plan of very many steps', () => {
  it('is made: 130,000 creates where targets have a limit of sources', () => {
    assert.equal(planAll(inputsFor(130_000)).steps.length, 130_000);
  });

  it('asks for the queue of a step a few times, however many steps there are', () => {
    for (const count of [200, 2000]) {
      const { asked, counting } = countingRegistry();
      assert.equal(planAll(inputsFor(count), undefined, counting).steps.length, count);
      assert.ok(asked.times <= 3 * count, `${asked.times} times for ${count} steps`);
    }
  });
});
