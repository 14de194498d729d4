/** `make bench`: runs each bench in a process of its own, and prints all figures as one table beside their goals. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { engineFolder } from '../test/support/pulumi-engine';
import type { Row } from './row';

const [size = 'full', ...chosen] = process.argv.slice(2);
const benches = chosen.length > 0 ? chosen : ['calls', 'plans', 'folders', 'rate', 'start', 'pulumi'];

function canRun(name: string): boolean {
  if (name !== 'pulumi') return true;
  const isRequired = (process.env.TETHER_REQUIRE ?? '').split(',').includes('pulumi');
  return isRequired || existsSync(join(engineFolder(), 'bin', 'pulumi'));
}

/** Prints the rows of a bench as they come. Returns false when the bench ended with an error or missed a count. */
async function succeeds(name: string): Promise<boolean> {
  let isGood = true;
  // The service of the largest world needs more memory than Node takes by default.
  const args = ['--max-old-space-size=8192', join(__dirname, `${name}.js`), size];
  const child = spawn(process.execPath, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  child.on('message', ({ what, goal, measured, holds, isCount }: Row) => {
    const mark = holds ? 'yes' : '**no**';
    process.stdout.write(`| ${what} | ${goal} | ${measured} | ${mark} | \`make bench ONLY=${name}\` |\n`);
    if (isCount && !holds) isGood = false;
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return isGood && code === 0;
}

async function main(): Promise<void> {
  process.stdout.write(
    `Node ${process.version}\n\n| Figure | Goal | Measured | Holds | Command |\n|---|---|---|---|---|\n`,
  );
  const failed: string[] = [];
  for (const name of benches.filter(canRun)) {
    if (!(await succeeds(name))) failed.push(name);
  }
  if (!benches.every(canRun)) {
    process.stdout.write('\nskipped: pulumi, no Pulumi engine (make pulumi-engine builds it)\n');
  }
  if (failed.length > 0) {
    process.stderr.write(`failed: ${failed.join(', ')}\n`);
    process.exitCode = 1;
  }
}

void main();
