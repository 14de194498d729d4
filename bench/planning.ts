/** Requests that planning a thousand run triggers over fifty workspaces needs, beside one for each trigger. */
import { createClient } from '../client/client';
import { inParallel } from '../observation/observe';
import type { SeedObject } from '../service';
import { World } from '../test/support/world';
import { sizeOf } from './size';
import { duration, printTable, ratio } from './table';

const token = 'owner-token';

interface Extent {
  readonly workspaces: readonly string[];
  readonly pairs: readonly { readonly workspaceId: string; readonly sourceableId: string }[];
}

function extentOf(workspaceCount: number, sourcesOfEach: number): Extent {
  const workspaces = Array.from({ length: workspaceCount }, (_, index) => `ws-${index}`);
  const pairs = workspaces.flatMap((workspaceId, target) =>
    Array.from({ length: sourcesOfEach }, (_, index) => ({
      workspaceId,
      sourceableId: `ws-${(target + 1 + index) % workspaceCount}`,
    })),
  );
  return { workspaces, pairs };
}

function seedOf({ workspaces, pairs }: Extent, filled: boolean): SeedObject {
  const runTriggers = pairs.map(({ workspaceId, sourceableId }, index) => [
    `rt-${index}`,
    { workspace: workspaceId, sourceable: sourceableId },
  ]);
  return {
    organizations: {
      acme: {
        workspaces: Object.fromEntries(workspaces.map((one) => [one, {}])),
        ...(filled ? { runTriggers: Object.fromEntries(runTriggers) } : {}),
      },
    },
    tokens: { [token]: { acme: 'owner' } },
  };
}

/** Single lines, so that nothing but the choice of lists decides what is read. */
function manifestOf({ pairs }: Extent): string {
  const lines = pairs.map(
    ({ workspaceId, sourceableId }) => `  - { target: ${workspaceId}, source: ${sourceableId} }`,
  );
  return `apiVersion: tether/v1\norganization: acme\nrunTriggers:\n${lines.join('\n')}\n`;
}

interface Measured {
  readonly requests: number;
  readonly ms: number;
}

async function measured(world: World, work: () => Promise<unknown>): Promise<Measured> {
  world.service.clearRequests();
  const started = performance.now();
  await work();
  const ms = performance.now() - started;
  return { requests: world.service.requests().length, ms };
}

async function main(): Promise<void> {
  const full = sizeOf(process.argv.slice(2)) === 'full';
  const extent = full ? extentOf(50, 20) : extentOf(10, 4);
  const plan = ['plan', '--rate', '100000'];
  const world = await World.start(seedOf(extent, true));
  try {
    world.write('acme.tether.yaml', manifestOf(extent));
    await world.expect(0, ['apply', '--yes', '--rate', '100000']);
    const settled = await measured(world, () => world.expect(0, plan));
    const api = createClient({ address: world.service.url, token, rate: 100_000 });
    const ids = world.service.snapshot().runTriggers.map((one) => one.id);
    const naive = await measured(world, () =>
      inParallel(ids, async (id) => {
        await api.runTriggers.read(id);
      }),
    );
    world.service.seed(seedOf(extent, false));
    world.remove('tether.ledger.json');
    const first = await measured(world, () => world.expect(0, plan));
    const row = (name: string, one: Measured) => [
      name,
      one.requests,
      ratio(naive.requests, one.requests),
      duration(one.ms),
      duration((one.requests / 28) * 1000),
    ];
    printTable(`Planning ${extent.pairs.length} run triggers over ${extent.workspaces.length} workspaces`, [
      ['', 'requests', 'fewer', 'time here', 'at 28 a second'],
      row('one request for each trigger', naive),
      row('tether plan, all in place', settled),
      row('tether plan, none in place', first),
    ]);
  } finally {
    await world.close();
  }
}

void main();
