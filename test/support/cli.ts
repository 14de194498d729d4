/** The command line in tests: the real program in a process of its own, or `run` in this process with a hand-made world. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Io } from '../../cli/call';
import { run } from '../../cli/run';
import { type Ended, runProcess } from './run-process';

/** The program that people run. */
export const program = join(__dirname, '..', '..', 'cli', 'main.js');

export interface Running {
  readonly cwd: string;
  /** All of the environment besides PATH: nothing of this machine's settings leaks in. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the real program to its end. */
export function tether(args: readonly string[], { cwd, env = {} }: Running): Promise<Ended> {
  return runProcess(process.execPath, [program, ...args], { cwd, env: { PATH: process.env.PATH, ...env } });
}

/** What a test in this process may decide besides. */
export interface Hands extends Running {
  readonly ask?: Io['ask'];
  readonly signal?: AbortSignal;
  readonly now?: () => number;
  /** True gives stdout and stderr of a terminal. */
  readonly terminal?: boolean;
  /** Hears what is said on stderr at the moment it is said. */
  readonly onStderr?: (text: string) => void;
}

/** Runs a command in this process, where time, terminal, answers and Ctrl-C are the test's. */
export async function tetherHere(args: readonly string[], hands: Hands): Promise<Ended & { code: number }> {
  const written = { stdout: '', stderr: '' };
  const output = (name: 'stdout' | 'stderr'): Io['stdout'] => ({
    write: (text) => {
      written[name] += text;
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
    const { exitCode = code } = JSON.parse(written.stdout) as { exitCode?: number };
    assert.equal(exitCode, code, written.stdout);
  }
  return { code, ...written };
}
