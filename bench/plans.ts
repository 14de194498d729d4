/** Measures the calls, CPU and memory of whole runs of the program. */
import { World } from '../test/support/world';
import { fewestPages } from './fewest-pages';
import { type Measured, measureTether } from './measure';
import { isFull, median, report, seconds } from './row';
import { type Extent, makeLedger, makeManifest, makeSecrets, makeSeed, random, ring } from './worlds';

const medium: Extent = {
  profile: 'default',
  clients: 20,
  projects: 10,
  workspaces: 100,
  pairs: ring(100, 10),
};
const small: Extent = { profile: 'default', clients: 2, projects: 2, workspaces: 12, pairs: ring(12, 4) };

function run(world: World, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return measureTether(args, { cwd: world.folder, env: { ...world.env, ...env } });
}

async function firstApplyAndNoOpPlan(extent: Extent): Promise<void> {
  const { pairs, clients, projects } = extent;
  const world = await World.start(makeSeed(extent));
  try {
    world.write(makeManifest(extent), 'acme.tether.yaml');
    const secrets = makeSecrets(extent);
    await run(world, ['apply', '--yes'], secrets);
    const calls = world.service.requests().length;
    // One list of clients, one more before the first is created, and two calls for each client.
    const most = 2 + fewestPages(pairs, pairs) + 2 * clients + pairs.length;
    report({
      what: `first apply of ${clients} clients with ${projects} projects each and ${pairs.length} triggers`,
      goal: `≤ ${most} calls`,
      measured: `${calls}`,
      holds: calls <= most,
      isCount: true,
    });
    if (!isFull) return;
    const without: Measured[] = [];
    const withSecret: Measured[] = [];
    // The two take turns, so that a busy moment of the machine hits both.
    for (let round = 0; round < 7; round += 1) {
      without.push(await run(world, ['plan']));
      withSecret.push(await run(world, ['plan'], secrets));
    }
    const [bare, cpuMs] = [medianCpu(without), medianCpu(withSecret)];
    report({
      what: 'no-op plan of the same, with the secret that all clients share: CPU',
      goal: '≤ 2 s',
      measured: seconds(cpuMs),
      holds: cpuMs <= 2000,
      isCount: false,
    });
    report({
      what: 'the same ÷ that without the secret',
      goal: '≤ 1.5',
      measured: `${(cpuMs / bare).toFixed(2)} (${seconds(cpuMs)}, ${seconds(bare)})`,
      holds: cpuMs <= 1.5 * bare,
      isCount: false,
    });
  } finally {
    await world.close();
  }
}

function medianCpu(runs: readonly Measured[]): number {
  return median(runs.map((measured) => measured.cpuMs));
}

/** Writes ten files, because a folder with many triggers has several. */
function writeManifests(world: World, extent: Extent): void {
  const perFile = Math.ceil(extent.pairs.length / 10);
  for (let file = 0; file < 10; file += 1) {
    const pairs = extent.pairs.slice(file * perFile, (file + 1) * perFile);
    world.write(makeManifest({ ...extent, pairs }), `part-${file}.tether.yaml`);
  }
}

async function largePlans(): Promise<void> {
  const pairs = random(100_000, 5_000, 40);
  const extent: Extent = { profile: 'default', clients: 0, projects: 0, workspaces: 5_000, pairs };
  for (const [name, isFilled] of [
    ['no-op', true],
    ['first', false],
  ] as const) {
    const world = await World.start(makeSeed(extent, isFilled));
    try {
      writeManifests(world, extent);
      if (isFilled) world.write(JSON.stringify(makeLedger(extent, world.service.url)), 'tether.ledger.json');
      const { cpuMs, peakMiB } = await run(world, ['plan']);
      report({
        what: `${name} plan of 100,000 triggers over 5,000 workspaces: CPU, peak memory`,
        goal: '≤ 12 s, ≤ 500 MB',
        measured: `${seconds(cpuMs)}, ${Math.round(peakMiB * 1.048576)} MB`,
        holds: cpuMs <= 12_000 && peakMiB * 1.048576 <= 500,
        isCount: false,
      });
    } finally {
      await world.close();
    }
  }
}

async function main(): Promise<void> {
  await firstApplyAndNoOpPlan(isFull ? medium : small);
  if (isFull) await largePlans();
}

void main();
