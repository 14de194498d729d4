/** A thousand run triggers over fifty workspaces under Pulumi: as single links and as fifty sets, side by side. Needs the engine. */
import type { PulumiFn } from '@pulumi/pulumi/automation';
import { InboundRunTriggers, RunTrigger } from '../provider/pulumi';
import { PulumiWorld, type Ran } from '../test/support/pulumi-world';
import { sizeOf } from './size';
import { duration, printTable } from './table';

const full = sizeOf(process.argv.slice(2)) === 'full';
const targets = full ? 50 : 2;
const sources = full ? 20 : 4;
const workspaces = Array.from({ length: targets + sources }, (_, index) => `ws-${index}`);

/** The sources of each target. */
const pairs = workspaces.slice(0, targets).map((workspaceId, target) => ({
  workspaceId,
  sourceableIds: Array.from(
    { length: sources },
    (_, index) => `ws-${(target + 1 + index) % workspaces.length}`,
  ),
}));

const programs: readonly (readonly [string, PulumiFn])[] = [
  [
    'single links',
    async () => {
      for (const { workspaceId, sourceableIds } of pairs) {
        for (const sourceableId of sourceableIds) {
          new RunTrigger(`${sourceableId}-${workspaceId}`, { workspaceId, sourceableId });
        }
      }
    },
  ],
  [
    'sets',
    async () => {
      for (const pair of pairs) new InboundRunTriggers(pair.workspaceId, pair);
    },
  ],
];

async function main(): Promise<void> {
  const rows: (readonly string[])[] = [];
  for (const [name, program] of programs) {
    const world = await PulumiWorld.start({
      seed: {
        organizations: { acme: { workspaces: Object.fromEntries(workspaces.map((one) => [one, {}])) } },
        tokens: { 'owner-token': { acme: 'owner' } },
      },
      config: { 'tether:rate': { value: '100000' } },
    });
    try {
      world.program = program;
      const up = await timed(world, () => world.up());
      const bytes = Buffer.byteLength(world.stateText());
      const refresh = await timed(world, () => world.refresh());
      rows.push([
        name,
        `${Math.round(bytes / 1024)} KiB`,
        up.time,
        up.requests,
        refresh.time,
        refresh.requests,
      ]);
    } finally {
      await world.close();
    }
  }
  printTable(`${targets * sources} run triggers over ${targets} targets under Pulumi`, [
    ['', 'state', 'up', 'requests', 'refresh', 'requests'],
    ...rows,
  ]);
}

async function timed(
  world: PulumiWorld,
  work: () => Promise<Ran>,
): Promise<{ time: string; requests: string }> {
  world.service.clearRequests();
  const started = performance.now();
  const { failure } = await work();
  if (failure !== undefined) throw new Error(failure);
  return {
    time: duration(performance.now() - started),
    requests: String(world.service.requests().length),
  };
}

void main();
