/** Runs programs in processes of their own, and measures them. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from '../test/support/cli';
import { runProcess } from '../test/support/run-process';
import type { Usage } from './usage';

export interface Measured extends Usage {
  readonly ms: number;
}

export interface Place {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs Node with these arguments. Throws when it does not end with 0. */
export async function measureNode(args: readonly string[], { cwd, env }: Place): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'tether-bench-'));
  const file = join(folder, 'usage.json');
  try {
    const started = performance.now();
    const { code, stderr } = await runProcess(
      process.execPath,
      ['--require', join(__dirname, 'usage.js'), ...args],
      { cwd, env: { PATH: process.env.PATH, ...env, TETHER_BENCH_USAGE: file } },
    );
    const ms = performance.now() - started;
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}\n${stderr.slice(-2000)}`);
    return { ...(JSON.parse(readFileSync(file, 'utf8')) as Usage), ms };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function measureTether(args: readonly string[], place: Place): Promise<Measured> {
  return measureNode([program, ...args], place);
}
