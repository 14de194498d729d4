/** Loaded before a measured program by `--require`: what it took is written to the file TETHER_BENCH_USAGE when it ends. */
import { writeFileSync } from 'node:fs';

export interface Usage {
  /** User and system, of all threads, in milliseconds. */
  readonly cpuMs: number;
  readonly peakMiB: number;
  /** CommonJS modules by package, `own` for those of this tree. */
  readonly modules: Readonly<Record<string, number>>;
}

function modules(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const path of Object.keys(require.cache)) {
    if (path === __filename) continue;
    const name = /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(path)?.[1] ?? 'own';
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

const file = process.env.TETHER_BENCH_USAGE;
if (file !== undefined) {
  // Only of the program itself, not of what it starts.
  delete process.env.TETHER_BENCH_USAGE;
  process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    const { maxRSS } = process.resourceUsage();
    const usage: Usage = { cpuMs: (user + system) / 1000, peakMiB: maxRSS / 1024, modules: modules() };
    writeFileSync(file, JSON.stringify(usage));
  });
}
