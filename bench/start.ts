/** What `tether validate` takes before it does anything, beside a Node that does nothing. */
import { join } from 'node:path';
import { program } from '../test/support/cli';
import { root } from '../test/support/pulumi-engine';
import { type Measured, measureNode, median } from './measure';
import type { Start } from './results';
import { publish, sizeOf } from './size';
import { duration, printTable } from './table';

const cwd = join(root, 'examples/gitops');

async function main(): Promise<void> {
  const rounds = sizeOf(process.argv.slice(2)) === 'full' ? 21 : 1;
  const programs: readonly (readonly [string, readonly string[]])[] = [
    ['node -e 0', ['-e', '0']],
    ['tether --version', [program, '--version']],
    ['tether validate examples/gitops', [program, 'validate']],
  ];
  // The first round fills the caches of the disk; the others take turns, so that a busy moment hits them all.
  for (const [, args] of programs) await measureNode(args, { cwd });
  const runs = new Map<string, Measured[]>();
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, args] of programs) {
      runs.set(name, [...(runs.get(name) ?? []), await measureNode(args, { cwd })]);
    }
  }
  const middle = (name: string, figure: 'cpuMs' | 'ms' | 'peakMiB') =>
    median((runs.get(name) ?? []).map((one) => one[figure]));
  const bare = middle('node -e 0', 'cpuMs');
  const all = [...runs].map(([name, [first]]): Start => {
    const cpuMs = middle(name, 'cpuMs');
    const others = { ms: middle(name, 'ms'), peakMiB: middle(name, 'peakMiB') };
    return { name, cpuMs, moreMs: cpuMs - bare, ...others, modules: first?.modules ?? {} };
  });
  const count = (modules: Start['modules']) => Object.values(modules).reduce((sum, one) => sum + one, 0);
  printTable(`Start, median of ${rounds}, Node ${process.version}`, [
    ['', 'CPU', 'more', 'time', 'peak', 'modules', 'own', 'ajv', 'yaml'],
    ...all.map(({ name, cpuMs, moreMs, ms, peakMiB, modules }) => [
      name,
      duration(cpuMs),
      duration(moreMs),
      duration(ms),
      `${Math.round(peakMiB)} MiB`,
      count(modules),
      modules.own ?? 0,
      modules.ajv ?? 0,
      modules.yaml ?? 0,
    ]),
  ]);
  publish('start', all);
}

void main();
