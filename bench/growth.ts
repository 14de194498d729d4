/** How cost grows with the number of triggers: plans through files, network and ledger, pages of long lists, warnings of long cycles. */
import { World } from '../test/support/world';
import { fewestPages } from './bound';
import { expectedExcess } from './expected';
import { measureTether, median } from './measure';
import type { Growth } from './results';
import { publish, sizeOf } from './size';
import { duration, printTable } from './table';
import { type Extent, hub, ledgerOf, manifestOf, type Pair, random, ring, seedOf, token } from './worlds';

const isFull = sizeOf(process.argv.slice(2)) === 'full';
const sizes = isFull ? [1_000, 10_000, 100_000, 300_000, 1_000_000] : [1_000];
const timeoutMs = 300_000;
const perFile = 10_000;

/** Several files, as a folder with many triggers has; all of them are read. */
function writeManifests(world: World, extent: Extent): void {
  for (let first = 0; first < extent.pairs.length; first += perFile) {
    const pairs = extent.pairs.slice(first, first + perFile);
    world.write(`part-${first / perFile}.tether.yaml`, manifestOf({ ...extent, pairs }));
  }
}

async function worldOf(workspaces: number, pairs: readonly Pair[], isFilled: boolean): Promise<World> {
  const extent: Extent = { profile: 'default', workspaces, pairs, clients: 0, projects: 0 };
  const world = await World.start(seedOf(extent, isFilled));
  writeManifests(world, extent);
  if (isFilled) world.write('tether.ledger.json', JSON.stringify(ledgerOf(extent)));
  return world;
}

async function measured(world: World, args: readonly string[]) {
  world.service.clearRequests();
  const env = { TETHER_ADDRESS: world.service.url, TETHER_TOKEN: token, TETHER_RATE: '100000' };
  const { cpuMs, peakMiB, stdout, stderr } = await measureTether(args, { cwd: world.folder, env, timeoutMs });
  return {
    cpuMs,
    peakMiB,
    calls: world.service.requests().length,
    lines: (stdout + stderr).split('\n').length - 1,
  };
}

/** One run of a busy machine takes a third more than the next; the largest would take the bench half an hour. */
const roundsOf = (triggers: number) => (isFull && triggers <= 100_000 ? 3 : 1);

const steps = [
  ['no-op plan', true],
  ['first plan', false],
] as const;

async function growth(): Promise<Growth[]> {
  const all: Growth[] = [];
  for (const triggers of sizes) {
    const workspaces = Math.ceil(triggers / 20);
    const pairs = random(triggers, workspaces, 40);
    for (const [step, isFilled] of steps) {
      const before = all.filter((one) => one.step === step).at(-1);
      if (before?.failed !== undefined) continue;
      const world = await worldOf(workspaces, pairs, isFilled);
      try {
        const runs = [];
        for (let round = 0; round < roundsOf(triggers); round += 1) {
          runs.push(await measured(world, ['plan']));
        }
        const cpuMs = median(runs.map((run) => run.cpuMs));
        const peakMiB = Math.max(...runs.map((run) => run.peakMiB));
        const [{ calls } = { calls: Number.NaN }] = runs;
        const { cpuMs: last = 0, triggers: fewer = 1 } = before ?? {};
        const exponent =
          before === undefined ? {} : { exponent: Math.log(cpuMs / last) / Math.log(triggers / fewer) };
        all.push({ triggers, step, cpuMs, peakMiB, calls, ...exponent });
      } catch (error) {
        const isLate = error instanceof Error && error.name === 'AbortError';
        const isFull = error instanceof Error && /heap out of memory|null/.test(error.message);
        const why = isFull ? 'out of memory' : String(error).slice(0, 200);
        all.push({ triggers, step, failed: isLate ? `not within ${timeoutMs / 1000} s` : why });
      } finally {
        await world.close();
      }
    }
  }
  return all;
}

/** Calls of a plan that changes nothing, for one source of so many. */
async function pages() {
  const all: { triggers: number; calls: number; bound: number }[] = [];
  for (const triggers of isFull ? [250, 10_000] : [250]) {
    const pairs = hub(1, triggers);
    const world = await worldOf(triggers + 1, pairs, true);
    try {
      const { calls } = await measured(world, ['plan']);
      all.push({ triggers, calls, bound: fewestPages(pairs, pairs) });
    } finally {
      await world.close();
    }
  }
  return all;
}

/** Lines of `validate` about triggers that all form cycles. */
async function warnings() {
  const triggers = isFull ? 100_000 : 1_000;
  const workspaces = triggers / 10;
  const world = await worldOf(workspaces, ring(workspaces, 10), false);
  try {
    const all = await measured(world, ['validate']);
    const quiet = await measured(world, ['validate', '-q']);
    return {
      triggers,
      lines: all.lines,
      quietLines: quiet.lines,
      cpuMs: quiet.cpuMs,
      peakMiB: quiet.peakMiB,
    };
  } finally {
    await world.close();
  }
}

async function main(): Promise<void> {
  const grown = await growth();
  const title =
    'Plans of triggers, 20 for each workspace at random, through files, network and ledger; up to 100,000 the median CPU and the highest peak of three';
  printTable(title, [
    ['', 'triggers', 'calls', 'CPU', 'peak', 'exponent'],
    ...grown.map(({ step, triggers, calls = '', cpuMs, peakMiB = Number.NaN, exponent, failed }) =>
      cpuMs === undefined
        ? [step, triggers, failed ?? '']
        : [step, triggers, calls, duration(cpuMs), `${Math.round(peakMiB)} MiB`, exponent?.toFixed(2) ?? ''],
    ),
  ]);
  const paged = await pages();
  printTable('A plan that changes nothing, one source of all triggers', [
    ['', 'calls', 'pages'],
    ...paged.map(({ triggers, calls, bound }) => [`${triggers} triggers`, calls, bound]),
  ]);
  const [{ triggers, calls, bound } = { triggers: 0, calls: 0, bound: 0 }] = paged;
  const [more] = expectedExcess[`a list of ${triggers} triggers, no-op`] ?? [0];
  if (!isFull && calls !== bound + more) {
    process.stderr.write(
      `a list of ${triggers} triggers, no-op: ${calls} calls, expected ${bound} + ${more}\n`,
    );
    process.exitCode = 1;
  }
  const warned = await warnings();
  printTable(`validate of ${warned.triggers} triggers in a ring`, [
    ['', 'lines', 'with -q', 'CPU', 'peak'],
    ['', warned.lines, warned.quietLines, duration(warned.cpuMs), `${Math.round(warned.peakMiB)} MiB`],
  ]);
  publish('growth', grown);
  publish('pages', paged);
  publish('warnings', warned);
}

void main();
