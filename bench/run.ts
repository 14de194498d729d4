/** `make bench`: every bench in turn, each in a process of its own; fails when one of them fails. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { engineFolder } from '../test/support/pulumi-engine';
import { sizeOf } from './size';

const benches = ['start', 'planning', 'rate-limit'];
const ofTheEngine = ['pulumi-sets'];

/** Those that can run here; what cannot is said. */
function able(): readonly string[] {
  const required = (process.env.TETHER_REQUIRE ?? '').split(',').includes('pulumi');
  if (required || existsSync(join(engineFolder(), 'bin', 'pulumi'))) return [...benches, ...ofTheEngine];
  process.stdout.write(
    `skipped: ${ofTheEngine.join(', ')}, no Pulumi engine (make pulumi-engine builds it)\n\n`,
  );
  return benches;
}

const size = sizeOf(process.argv.slice(2));
const failed = able().filter((name) => {
  const { status } = spawnSync(process.execPath, [join(__dirname, `${name}.js`), size], { stdio: 'inherit' });
  return status !== 0;
});
if (failed.length > 0) {
  process.stderr.write(`failed: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}
