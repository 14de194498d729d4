/** The budget that `plan -v` prints is what the service was asked, on graphs of every shape. */
import assert from 'node:assert/strict';
import type { SeedObject } from '../../service';
import { bareHead, github, World } from '../support/world';

type Pair = readonly [target: number, source: number];

const upTo = (count: number) => [...Array(count).keys()];

/** The same numbers for the same seed. */
function numbers(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function distinct(count: number, next: () => Pair): Pair[] {
  const pairs = new Map<string, Pair>();
  while (pairs.size < count) {
    const [target, source] = next();
    if (target !== source) pairs.set(`${target} ${source}`, [target, source]);
  }
  return [...pairs.values()];
}

const random = numbers(7);
/** Of 24 targets each in one trigger of every group: those with most triggers go first by greed, and none of them is needed. */
const againstGreed = upTo(23).flatMap((less) =>
  upTo(Math.floor(24 / (less + 2))).flatMap((group) =>
    upTo(less + 2).map((one): Pair => [group * (less + 2) + one, 24 + (less + 2) * 12 + group]),
  ),
);

const shapes: Readonly<Record<string, readonly Pair[]>> = {
  ring: upTo(20).flatMap((one) => [1, 2, 3].map((on): Pair => [one, (one + on) % 20])),
  random: distinct(60, () => [random(20), random(20)]),
  layered: upTo(24).flatMap((one) =>
    [0, 1].map((more): Pair => [8 + one, 8 * Math.floor(one / 8) + ((one * 3 + more) % 5)]),
  ),
  'a hub with several pages': upTo(250).map((one): Pair => [one + 1, 0]),
  'five sources of many targets': upTo(200).map((one): Pair => [one + 5, one % 5]),
  'power law': distinct(80, () => [random(40), Math.floor(40 ** (random(1000) / 1000)) - 1]),
  'against greed': againstGreed,
};

/** Most triggers of which no two have an end in common: no fewer lists show them, for none shows two of these. */
function mostApart(pairs: readonly Pair[]): number {
  const takenBy = new Map<number, number>();
  const take = (target: number, tried: Set<number>): boolean =>
    pairs.some(([end, source]) => {
      if (end !== target || tried.has(source)) return false;
      tried.add(source);
      const other = takenBy.get(source);
      const isFree = other === undefined || take(other, tried);
      if (isFree) takenBy.set(source, target);
      return isFree;
    });
  const targets = new Set(pairs.map(([target]) => target));
  return [...targets].filter((target) => take(target, new Set())).length;
}

const name = (one: number) => `ws-${one}`;

function seedOf(pairs: readonly Pair[]): SeedObject {
  const most = Math.max(...pairs.flat()) + 2;
  return {
    organizations: { acme: { workspaces: Object.fromEntries(upTo(most).map((one) => [name(one), {}])) } },
    tokens: { 'owner-token': { acme: 'owner' } },
  };
}

function manifestOf(pairs: readonly Pair[]): string {
  const lines = pairs.map(([target, source]) => `  - { target: ${name(target)}, source: ${name(source)} }`);
  return `apiVersion: tether/v1\norganization: acme\nrunTriggers:\n${lines.join('\n')}\n`;
}

describe('the budget of a plan', () => {
  let world: World;
  afterEach(() => world.close());

  /** What `plan -v` printed, held against what the service was asked. */
  async function planned() {
    world.service.clearRequests();
    const { stderr, stdout } = await world.expect(0, ['plan', '-v']);
    const line = /(\d+) lists? needed, (\d+) read(.*): (\d+) requests?(.*)/.exec(stderr);
    assert.ok(line, stderr);
    const [text, needed, read, , requests] = line;
    assert.equal(Number(requests), world.service.requests().length, text);
    return { text, needed: Number(needed), read: Number(read), requests: Number(requests), stdout };
  }

  for (const [shape, pairs] of Object.entries(shapes)) {
    it(`is what was asked, and the least that can be: ${shape}`, async () => {
      const lists = mostApart(pairs);
      const unused = Math.max(...pairs.flat()) + 1;
      world = await World.start(seedOf(pairs));
      world.write('acme.tether.yaml', manifestOf(pairs));
      const first = await planned();
      assert.deepEqual([first.needed, first.read, first.requests], [lists, lists, lists], first.text);
      if (shape === 'five sources of many targets') {
        assert.match(first.stdout, /access to 200 targets not checked/);
      }
      await world.expect(0, ['apply', '--yes']);
      const again = await planned();
      const pages = shape === 'a hub with several pages' ? 3 : lists;
      assert.deepEqual([again.needed, again.read, again.requests], [lists, lists, pages], again.text);
      assert.match(again.stdout, /^No changes\./m);
      // One line goes, one comes, and somebody deletes what a third is about.
      const deleted = world.service.snapshot().runTriggers.at(-1);
      await world.somebody.runTriggers.delete(deleted?.id ?? '');
      const [gone, ...kept] = pairs;
      world.write('acme.tether.yaml', manifestOf([...kept, [unused, gone?.[1] ?? 0]]));
      const changed = await planned();
      assert.match(changed.text, /1 by id/);
      assert.ok(changed.requests <= pages + 4, changed.text);
      await world.applyAndExpectNothing();
    });
  }

  it('has what names mean, clients and their projects in it too', async () => {
    const projects = { 'prj-web': { name: 'web' }, 'prj-docs': { name: 'docs' } };
    const workspaces = { 'ws-app': { name: 'app' }, 'ws-dns': { name: 'dns' } };
    const organizations = { acme: { projects, workspaces } };
    world = await World.start(
      { organizations, tokens: { 'owner-token': { acme: 'owner' } } },
      { profile: 'hcp-terraform' },
    );
    const start = `${bareHead}profile: hcp-terraform\n`;
    const links = 'runTriggers:\n  - { target: app, source: dns }\n';
    world.write(
      'acme.tether.yaml',
      `${start}${github.replace('provider_a', 'github')}    projects: [prj-web, prj-docs]\n${links}`,
    );
    assert.match((await planned()).text, /: 4 requests \(2 for names\)/);
    await world.applyAndExpectNothing();
    assert.match((await planned()).text, /: 3 requests \(1 for names\)/);
    // The client goes.
    world.write('acme.tether.yaml', `${start}${links}`);
    assert.match((await planned()).text, /: 4 requests \(1 for workspaces of clients that go, 1 for names\)/);
  });
});
