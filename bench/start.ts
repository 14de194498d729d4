/** How long `tether validate` takes, beside a Node that does nothing. */
import { join } from 'node:path';
import { program } from '../test/support/cli';
import { root } from '../test/support/pulumi-engine';
import { runProcess } from '../test/support/run-process';
import { sizeOf } from './size';
import { duration, printTable, ratio } from './table';

const example = join(root, 'examples/gitops');

async function timed(args: readonly string[]): Promise<number> {
  const started = performance.now();
  const ended = await runProcess(process.execPath, args, { cwd: example, env: { PATH: process.env.PATH } });
  if (ended.code !== 0) throw new Error(`node ${args.join(' ')}: ${ended.code}\n${ended.stderr}`);
  return performance.now() - started;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, two) => one - two);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

async function main(): Promise<void> {
  const rounds = sizeOf(process.argv.slice(2)) === 'full' ? 21 : 3;
  const programs: readonly (readonly [string, readonly string[]])[] = [
    ['node -e 0', ['-e', '0']],
    ['tether --version', [program, '--version']],
    ['tether validate examples/gitops', [program, 'validate']],
  ];
  // The first round fills the caches of the disk; the others take turns, so that a busy moment hits them all.
  for (const [, args] of programs) await timed(args);
  const times = new Map<string, number[]>();
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, args] of programs) times.set(name, [...(times.get(name) ?? []), await timed(args)]);
  }
  const bare = median(times.get('node -e 0') ?? []);
  printTable(`Start, median of ${rounds}`, [
    ['', 'time', 'of a bare Node'],
    ...[...times].map(([name, all]) => [name, duration(median(all)), ratio(median(all), bare)]),
  ]);
}

void main();
