/** The real program running beside the test, to be signalled, killed or waited for. */
import { spawn } from 'node:child_process';
import { program, type Running } from './cli';
import type { Ended } from './run-process';

export interface Background {
  /** Resolves when the program is gone. */
  readonly ended: Promise<Ended & { readonly signal: NodeJS.Signals | null }>;
  signal(signal: NodeJS.Signals): void;
  /** What it has written to stdout so far. */
  stdout(): string;
  /** The same for stderr. */
  stderr(): string;
}

/** Starts the program; the caller waits for `ended` before the test is over. */
export function startTether(args: readonly string[], { cwd, env = {} }: Running): Background {
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    written.stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    written.stderr += chunk.toString();
  });
  return {
    ended: new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => resolve({ code, signal, ...written }));
    }),
    signal: (signal) => {
      child.kill(signal);
    },
    stdout: () => written.stdout,
    stderr: () => written.stderr,
  };
}

/** Far more than any machine needs, and still fewer than the runner's timeout has room for, so that a failure says what was waited for. */
const mostLooks = 100_000;

/** Resolves once the condition holds, looked at each few milliseconds; rejects when it never does. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  for (let looks = 0; !condition(); looks += 1) {
    if (looks === mostLooks) throw new Error(`never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
