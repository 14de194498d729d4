/** The plan as a pure function: properties over made-up organizations. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  applyPurely,
  clientDocument,
  manifest,
  type PureWorld,
  planIn,
  pureWorld,
  triggerDocument,
} from '../../support/pure-world';

const workspaces = ['ws-a', 'ws-b', 'ws-c', 'ws-d', 'ws-e'];
const projects = ['prj-a', 'prj-b', 'prj-c', 'prj-d'];

/** Nothing that a person has to approve stands in the way of these properties. */
const everything = { maxDeletes: 1000, acceptMissing: 1000 };

const clientSpec = fc.record({
  name: fc.constantFrom('GitHub', 'GitLab', null),
  scoped: fc.constantFrom(true, false, undefined),
  key: fc.constantFrom('k1', 'k2', undefined),
  projects: fc.option(fc.subarray(projects), { nil: undefined }),
});

type ClientSpec = typeof clientSpec extends fc.Arbitrary<infer Spec> ? Spec : never;

const triggerPairs = fc.subarray(
  workspaces.flatMap((target) =>
    workspaces.filter((one) => one !== target).map((source) => [target, source] as const),
  ),
);

const wanted = fc.record({
  clients: fc.dictionary(fc.constantFrom('one', 'two', 'three'), clientSpec),
  /** Targets whose sources are an exact set. */
  exact: fc.subarray(workspaces),
  pairs: triggerPairs,
});

type Wanted = typeof wanted extends fc.Arbitrary<infer Value> ? Value : never;

function textOf({ clients, exact, pairs }: Wanted): string {
  const sets = exact.map((target) => ({
    target,
    sources: pairs.filter((pair) => pair[0] === target).map((pair) => pair[1]),
  }));
  const singles = pairs
    .filter(([target]) => !exact.includes(target))
    .map(([target, source]) => ({ target, source }));
  const entries = Object.entries(clients).map(([address, spec]) => [address, clientEntry(address, spec)]);
  return [
    `oauthClients: ${JSON.stringify(Object.fromEntries(entries))}`,
    `runTriggers: ${JSON.stringify([...sets, ...singles])}`,
  ].join('\n');
}

function clientEntry(address: string, spec: ClientSpec): object {
  return {
    name: spec.name,
    serviceProvider: 'provider_a',
    httpUrl: `https://${address}.example`,
    apiUrl: `https://${address}.example/api`,
    ...(spec.scoped === undefined ? {} : { organizationScoped: spec.scoped }),
    ...(spec.key === undefined ? {} : { key: spec.key }),
    ...(spec.projects === undefined ? {} : { projects: spec.projects }),
  };
}

/** What somebody else may do to the world. */
const meddling = fc.record({
  loseClient: fc.option(fc.nat()),
  renameClient: fc.option(fc.nat()),
  projects: fc.option(fc.subarray(projects)),
  addTriggers: fc.subarray(
    workspaces.flatMap((target) =>
      workspaces.filter((one) => one !== target).map((source) => [target, source] as const),
    ),
    { maxLength: 3 },
  ),
  loseTrigger: fc.option(fc.nat()),
  foreignClient: fc.boolean(),
});

type Meddling = typeof meddling extends fc.Arbitrary<infer Value> ? Value : never;

function meddle(world: PureWorld, done: Meddling): void {
  const pick = <Item>(items: readonly Item[], at: number | null): Item | undefined =>
    at === null || items.length === 0 ? undefined : items[at % items.length];
  const lost = pick(world.clients, done.loseClient);
  world.clients = world.clients.filter((one) => one !== lost);
  const renamed = pick(world.clients, done.renameClient);
  world.clients = world.clients.map((one) =>
    one === renamed
      ? { ...one, name: 'somebody renamed it', projectIds: done.projects ?? one.projectIds }
      : one,
  );
  const gone = pick(world.triggers, done.loseTrigger);
  world.triggers = world.triggers.filter((one) => one !== gone);
  for (const [target, source] of done.addTriggers) {
    world.counter += 1;
    world.triggers.push(
      triggerDocument(`rt-unmanaged${world.counter}`, source, target, '2026-02-02T00:00:00.000Z'),
    );
  }
  if (done.foreignClient && !world.clients.some((one) => one.id === 'oc-unmanaged')) {
    world.clients.push(
      clientDocument('oc-unmanaged', { name: 'Foreign', httpUrl: 'https://unmanaged.example' }),
    );
  }
}

function converge(world: PureWorld, want: Wanted): void {
  const { plan } = planIn(world, manifest(textOf(want)), {
    ...everything,
    approve: true,
  });
  applyPurely(world, plan);
}

function expectNothing(world: PureWorld, want: Wanted): void {
  const { plan, steps } = planIn(world, manifest(textOf(want)), everything);
  assert.deepEqual(
    steps.map((step) => step.id),
    [],
  );
  assert.deepEqual(plan.problems, []);
  assert.deepEqual(plan.unknown, []);
  assert.deepEqual(plan.baselineRefresh, []);
}

function expectDesired(world: PureWorld, want: Wanted): void {
  for (const target of want.exact) {
    const sources = world.triggers.filter((one) => one.workspaceId === target).map((one) => one.sourceableId);
    assert.deepEqual(
      sources.sort(),
      want.pairs
        .filter((pair) => pair[0] === target)
        .map((pair) => pair[1])
        .sort(),
    );
  }
  for (const [target, source] of want.pairs) {
    assert.ok(
      world.triggers.some((one) => one.workspaceId === target && one.sourceableId === source),
      `${source} → ${target}`,
    );
  }
  for (const [address, spec] of Object.entries(want.clients)) {
    const mine = world.clients.filter((one) => one.httpUrl === `https://${address}.example`);
    assert.equal(mine.length, 1, address);
    assert.equal(mine[0]?.name, spec.name);
    if (spec.scoped !== undefined) assert.equal(mine[0]?.organizationScoped, spec.scoped);
    if (spec.key !== undefined) assert.equal(mine[0]?.key, spec.key);
    if (spec.projects !== undefined)
      assert.deepEqual([...(mine[0]?.projectIds ?? [])].sort(), [...spec.projects].sort());
  }
}

describe('the plan, as a pure function', () => {
  it('leads from any state to the desired one, and then finds nothing', () => {
    fc.assert(
      fc.property(wanted, meddling, wanted, meddling, (first, done, second, again) => {
        const world = pureWorld();
        meddle(world, done);
        converge(world, first);
        expectDesired(world, first);
        expectNothing(world, first);
        meddle(world, again);
        converge(world, second);
        expectDesired(world, second);
        expectNothing(world, second);
      }),
      { numRuns: 300 },
    );
  });

  it('never creates, deletes or forgets what cannot be seen', () => {
    fc.assert(
      fc.property(
        wanted,
        wanted,
        fc.subarray(workspaces, { minLength: 1 }),
        fc.boolean(),
        (first, second, hidden, clients) => {
          const world = pureWorld();
          converge(world, first);
          for (const workspace of hidden) {
            world.hidden.add(`run triggers of ${workspace} (inbound)`);
            world.hidden.add(`run triggers of ${workspace} (outbound)`);
          }
          if (clients) world.hidden.add('OAuth clients of acme');
          const { steps } = planIn(world, manifest(textOf(second)), everything);
          const risky = new Set(['create', 'delete', 'forget', 'replace']);
          for (const step of steps.filter((one) => risky.has(one.action))) {
            assert.ok(!(clients && step.kind !== 'RunTrigger'), step.id);
            const { workspaceId, sourceableId } = step.managed;
            assert.ok(
              !(hidden.includes(String(workspaceId)) && hidden.includes(String(sourceableId))),
              step.id,
            );
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('is the same where lists are late with what the ledger knows: a Show finds it', () => {
    fc.assert(
      fc.property(wanted, meddling, wanted, fc.infiniteStream(fc.boolean()), (first, done, second, late) => {
        const world = pureWorld();
        converge(world, first);
        meddle(world, done);
        const text = manifest(textOf(second));
        const { plan } = planIn(world, text, everything);
        for (const { id } of Object.values(world.ledger.objects)) {
          if (late.next().value) world.unlisted.add(id);
        }
        assert.deepEqual(planIn(world, text, everything).plan, plan);
      }),
      { numRuns: 300 },
    );
  });

  it('gives the same answer twice, and plain JSON', () => {
    fc.assert(
      fc.property(wanted, meddling, (want, done) => {
        const world = pureWorld();
        meddle(world, done);
        const one = planIn(world, manifest(textOf(want))).plan;
        const two = planIn(world, manifest(textOf(want))).plan;
        assert.deepEqual(one, two);
        assert.deepEqual(JSON.parse(JSON.stringify(one)), one);
      }),
      { numRuns: 50 },
    );
  });
});
