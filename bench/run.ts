/** `make bench`: every bench in turn, each in a process of its own; fails when one of them fails, and writes results.json where all were full. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { engineFolder, root } from '../test/support/pulumi-engine';
import { summary } from './goals';
import { type Results, resultsFile } from './results';
import { sizeOf } from './size';

const [asked = 'full', ...chosen] = process.argv.slice(2);
const size = sizeOf([asked]);
const full = ['calls', 'costs', 'growth', 'rate', 'connections', 'start', 'service', 'install', 'pulumi'];
const benches = size === 'full' ? full : full.filter((name) => name !== 'install');

/** Those that can run here; what cannot is said. */
function able(): readonly string[] {
  const wanted = chosen.length > 0 ? chosen : benches;
  const required = (process.env.TETHER_REQUIRE ?? '').split(',').includes('pulumi');
  if (required || existsSync(join(engineFolder(), 'bin', 'pulumi'))) return wanted;
  process.stdout.write('skipped: pulumi, no Pulumi engine (make pulumi-engine builds it)\n\n');
  return wanted.filter((name) => name !== 'pulumi');
}

async function main(): Promise<void> {
  const figures: Partial<Results> = { node: process.version, processors: cpus().length };
  const failed: string[] = [];
  const started = performance.now();
  for (const name of able()) {
    const child = spawn(
      process.execPath,
      ['--max-old-space-size=8192', join(__dirname, `${name}.js`), size],
      {
        stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      },
    );
    child.on('message', (published: Partial<Results>) => Object.assign(figures, published));
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) failed.push(name);
  }
  process.stdout.write(`${((performance.now() - started) / 1000).toFixed(0)} s in all\n`);
  if (size === 'full' && chosen.length === 0 && failed.length === 0) {
    writeFileSync(join(root, resultsFile), `${JSON.stringify(figures, null, 1)}\n`);
    process.stdout.write(`\n${summary(figures as Results)}\nwrote ${resultsFile}\n`);
  }
  if (failed.length > 0) {
    process.stderr.write(`failed: ${failed.join(', ')}\n`);
    process.exitCode = 1;
  }
}

void main();
