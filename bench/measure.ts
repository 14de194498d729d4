/** Programs in processes of their own, with what they took. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from '../test/support/cli';
import { type Ended, runProcess } from '../test/support/run-process';
import type { Usage } from './usage';

export type Measured = Ended & Usage & { readonly ms: number };

export interface Place {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** After that many milliseconds it is ended. */
  readonly timeoutMs?: number;
}

/** Runs Node with these arguments to its end. Throws where it does not end with 0, or not in time. */
export async function measureNode(args: readonly string[], place: Place): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'tether-bench-'));
  const file = join(folder, 'usage.json');
  const { cwd, env, timeoutMs } = place;
  const options = {
    cwd,
    env: { PATH: process.env.PATH, ...env, TETHER_BENCH_USAGE: file },
    ...(timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) }),
  };
  try {
    const started = performance.now();
    const all = ['--require', join(__dirname, 'usage.js'), ...args];
    const ended = await runProcess(process.execPath, all, options);
    const ms = performance.now() - started;
    const { code, stderr } = ended;
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}\n${stderr.slice(-2000)}`);
    return { ...ended, ...(JSON.parse(readFileSync(file, 'utf8')) as Usage), ms };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the program that people run. */
export function measureTether(args: readonly string[], place: Place): Promise<Measured> {
  return measureNode([program, ...args], place);
}

/** The one in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, two) => one - two);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
