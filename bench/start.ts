/** Compares the time of `tether validate` with that of a Node that does nothing. */
import { join } from 'node:path';
import { program } from '../test/support/cli';
import { root } from '../test/support/pulumi-engine';
import { measureNode } from './measure';
import { isFull, median, report } from './row';

async function main(): Promise<void> {
  if (!isFull) return;
  const cwd = join(root, 'examples/gitops');
  const time = async (...args: readonly string[]) => (await measureNode(args, { cwd })).ms;
  // The first runs fill the caches of the disk.
  await time(program, 'validate');
  // The two take turns, so that a busy moment of the machine hits both.
  const more: number[] = [];
  for (let round = 0; round < 21; round += 1) {
    const bare = await time('-e', '0');
    more.push((await time(program, 'validate')) - bare);
  }
  const middle = Math.round(median(more));
  report({
    what: 'time of `validate` of `examples/gitops` beyond that of `node -e 0`',
    goal: '≤ 160 ms',
    measured: `${middle} ms`,
    holds: middle <= 160,
    isCount: false,
  });
}

void main();
