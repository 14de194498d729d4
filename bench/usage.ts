/** `--require` loads this file into a measured program. At its end, it writes the program's time and memory. */
import { writeFileSync } from 'node:fs';

export interface Usage {
  /** User and system time of all threads, in milliseconds. */
  readonly cpuMs: number;
  readonly peakMiB: number;
}

const file = process.env.TETHER_BENCH_USAGE;
if (file !== undefined) {
  // Programs that the measured one starts would overwrite its figures.
  delete process.env.TETHER_BENCH_USAGE;
  process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    const usage: Usage = { cpuMs: (user + system) / 1000, peakMiB: process.resourceUsage().maxRSS / 1024 };
    writeFileSync(file, JSON.stringify(usage));
  });
}
