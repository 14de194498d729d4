/** Runs the command line in tests, as the real program or as `run` in this process. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Io } from '../../cli/call';
import { run } from '../../cli/run';
import { type Ended, runProcess } from './run-process';

/** The program that people run. */
export const program = join(__dirname, '..', '..', 'cli', 'main.js');

export interface Running {
  readonly cwd: string;
  /** The whole environment besides PATH, so that no setting of this machine leaks in. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Arguments of Node that run it with the digests of this process. */
export const programArgs = ['--require', join(__dirname, 'cheap-digests.js'), program];

/** Runs the real program to its end. */
export function tether(args: readonly string[], { cwd, env = {} }: Running): Promise<Ended> {
  return runProcess(process.execPath, [...programArgs, ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
  });
}

/** Further settings of a test in this process. */
export interface Hands extends Running {
  readonly ask?: Io['ask'];
  readonly signal?: AbortSignal;
  readonly now?: () => number;
  /** True gives stdout and stderr of a terminal. */
  readonly terminal?: boolean;
  /** Receives each text for stderr at once. */
  readonly onStderr?: (text: string) => void;
}

/** Runs a command in this process. The test controls time, terminal, answers and Ctrl-C. */
export async function tetherHere(args: readonly string[], hands: Hands): Promise<Ended & { code: number }> {
  const printed = { stdout: '', stderr: '' };
  const output = (name: 'stdout' | 'stderr'): Io['stdout'] => ({
    write: (text) => {
      printed[name] += text;
      if (name === 'stderr') hands.onStderr?.(text);
    },
    ...(hands.terminal ? { isTTY: true } : {}),
  });
  const code = await run(args, {
    stdout: output('stdout'),
    stderr: output('stderr'),
    env: hands.env ?? {},
    cwd: hands.cwd,
    signal: hands.signal ?? new AbortController().signal,
    now: hands.now ?? Date.now,
    ask: hands.ask ?? null,
  });
  if (args.includes('--json') && args[0] !== 'serve') {
    const { exitCode = code } = JSON.parse(printed.stdout) as { exitCode?: number };
    assert.equal(exitCode, code, printed.stdout);
  }
  return { code, ...printed };
}
