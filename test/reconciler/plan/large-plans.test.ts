/** Plans far larger than any organization: nothing of them is done for each pair of steps, and no call gets them as arguments. */
import assert from 'node:assert/strict';
import type { PlanInputs } from '../../../reconciler/plan/context';
import { readProfile } from '../../../resources/profile';
import { registry } from '../../../resources/registry';
import { triggersOf } from '../../../resources/run-trigger';
import {
  clientDocument,
  manifest,
  planAll,
  planIn,
  pureWorld,
  triggerDocument,
} from '../../support/pure-world';

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

/** A list that counts how often one of its items is read. */
function counting<Item>(items: readonly Item[], count: { reads: number }): readonly Item[] {
  return new Proxy(items, {
    get: (target, name, receiver) => {
      if (typeof name === 'string' && /^\d+$/.test(name)) count.reads += 1;
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
}

describe('what a plan reads of long lists grows as they do', () => {
  const few = 100;
  const many = 2000;

  /** Reads for each of so many objects, of all lists that `inputsFor` counts. */
  const readsOf = (inputs: (count: number, counter: { reads: number }) => PlanInputs, steps: number) =>
    [few, many].map((count) => {
      const counter = { reads: 0 };
      assert.equal(planAll(inputs(count, counter)).steps.length, steps * count);
      return counter.reads / count;
    });

  const expectLinear = ([one = 0, other = 0]: readonly number[]) => {
    assert.ok(one > 0 && other <= 2 * one, `${one} reads for each of ${few}, ${other} for each of ${many}`);
  };

  it('one source of all triggers', () => {
    const inputs = (count: number, counter: { reads: number }): PlanInputs => {
      const world = pureWorld();
      const targets = Array.from({ length: count }, (_, index) => `ws-${index}`);
      world.triggers = targets.map((target) => triggerDocument(`rt-${target}`, 'ws-hub', target));
      const lines = targets.map((target) => `  - { target: ${target}, source: ws-hub }\n`);
      const planned = planIn(world, manifest(`runTriggers:\n${lines.join('')}`)).inputs;
      const ref = triggersOf('ws-hub', 'outbound');
      const items = counting(world.triggers, counter);
      return {
        ...planned,
        observed: { ...planned.observed, lists: { [ref.name]: { state: 'read', ref, items } } },
      };
    };
    expectLinear(readsOf(inputs, 1));
  });

  it('clients with an exact set of projects each', () => {
    const inputs = (count: number, counter: { reads: number }): PlanInputs => {
      const world = pureWorld();
      const names = Array.from({ length: count }, (_, index) => `c${index}`);
      world.clients = names.map((name) => clientDocument(`oc-${name}`, { name, projectIds: ['prj-1'] }));
      const fields =
        'serviceProvider: provider_a, httpUrl: "https://git.example.com", apiUrl: "https://git.example.com/api/v3"';
      const lines = names.map(
        (name) => `  ${name}: { id: oc-${name}, name: ${name}, ${fields}, projects: [prj-1] }\n`,
      );
      const planned = planIn(world, manifest(`oauthClients:\n${lines.join('')}`)).inputs;
      const lists = Object.fromEntries(
        Object.entries(planned.observed.lists).map(([name, list]) => [
          name,
          list.state === 'read' ? { ...list, items: counting(list.items, counter) } : list,
        ]),
      );
      const { entries, sets } = planned.manifests;
      const manifests = {
        ...planned.manifests,
        entries: counting(entries, counter),
        sets: counting(sets, counter),
      };
      return { ...planned, manifests, observed: { ...planned.observed, lists } };
    };
    expectLinear(readsOf(inputs, 2));
  });
});
