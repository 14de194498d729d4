/** What whole runs of the program cost: calls beside the bound, CPU, memory, and what digests add. */
import { World } from '../test/support/world';
import { fewestPages } from './bound';
import { measureTether } from './measure';
import type { Cost } from './results';
import { publish, sizeOf } from './size';
import { duration, printTable } from './table';
import { type Extent, manifestOf, ring, secretsOf, seedOf } from './worlds';

const isFull = sizeOf(process.argv.slice(2)) === 'full';

const small = { profile: 'default', clients: 5, projects: 4, workspaces: 20, pairs: ring(20, 5) } as const;
const medium = {
  profile: 'default',
  clients: 20,
  projects: 10,
  workspaces: 100,
  pairs: ring(100, 10),
} as const;
const large = {
  profile: 'hcp-terraform',
  clients: 50,
  projects: 10,
  workspaces: 300,
  pairs: ring(300, 17).slice(0, 5000),
} as const;
const worlds: Readonly<Record<string, Extent>> = isFull ? { medium, large } : { small };

async function costsOf(name: string, extent: Extent): Promise<Cost[]> {
  const { profile, pairs, clients } = extent;
  const world = await World.start(seedOf(extent), { profile, behaviours: { 'max-sources': 'off' } });
  const env = { ...world.env, ...secretsOf(extent) };
  const costs: Cost[] = [];
  const measure = async (step: string, bound: number, command: string, ...args: readonly string[]) => {
    world.service.clearRequests();
    const own = step.includes('without secrets') ? world.env : env;
    const { cpuMs, peakMiB, ms } = await measureTether([command, ...args], {
      cwd: world.folder,
      env: { ...own, TETHER_RATE: step.includes('28/s') ? '28' : '100000' },
    });
    const calls = world.service.requests().length;
    costs.push({ world: name, step, calls, bound, cpuMs, peakMiB, ms });
  };
  try {
    world.write('acme.tether.yaml', manifestOf(extent));
    const lists = 1 + fewestPages(pairs, pairs);
    await measure('first plan', lists, 'plan');
    // The clients are listed once more before the first is created; each is one POST, and one call for its projects.
    await measure('first apply', lists + 1 + 2 * clients + pairs.length, 'apply', '--yes');
    await measure('no-op plan', lists, 'plan');
    await measure('no-op plan, without secrets', lists, 'plan');
    await measure('no-op plan at 28/s', lists, 'plan');
    await measure('no-op plan at 28/s, without secrets', lists, 'plan');
    const most = ['--yes', '--max-deletes', '100000'];
    await world.approve(['destroy', ...most], { env });
    await measure('destroy', lists + 2 * clients + pairs.length, 'destroy', ...most);
    return costs;
  } finally {
    await world.close();
  }
}

async function main(): Promise<void> {
  const all: Cost[] = [];
  for (const [name, extent] of Object.entries(worlds)) all.push(...(await costsOf(name, extent)));
  printTable('What runs cost', [
    ['', 'step', 'calls', 'bound', 'CPU', 'peak', 'time'],
    ...all.map(({ world, step, calls, bound, cpuMs, peakMiB, ms }) => [
      world,
      step,
      calls,
      bound,
      duration(cpuMs),
      `${Math.round(peakMiB)} MiB`,
      duration(ms),
    ]),
  ]);
  publish('costs', all);
  // What was looked at long ago is looked at again: of large worlds on a slow machine the table tells.
  const wrong = isFull ? [] : all.filter(({ calls, bound }) => calls !== bound);
  const texts = wrong.map((one) => `${one.world}, ${one.step}: ${one.calls} calls, expected ${one.bound}\n`);
  process.stderr.write(texts.join(''));
  if (wrong.length > 0) process.exitCode = 1;
}

void main();
