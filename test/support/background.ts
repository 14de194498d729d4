/** Runs the real program beside the test, which can signal, kill or await it. */
import { spawn } from 'node:child_process';
import { program, type Running } from './cli';
import type { Ended } from './run-process';

export interface Background {
  /** Resolves when the program has ended. */
  readonly ended: Promise<Ended & { readonly signal: NodeJS.Signals | null }>;
  signal(signal: NodeJS.Signals): void;
  /** The text that it has written to stdout so far. */
  stdout(): string;
  /** The same for stderr. */
  stderr(): string;
}

/** Starts the program. The caller awaits `ended` before the end of the test. */
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

/** This is more than any machine needs, and less than the runner's timeout, so that a failure names the condition. */
const mostLooks = 100_000;

/** Checks the condition every few milliseconds. Resolves when it holds, and rejects if it never does. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  for (let looks = 0; !condition(); looks += 1) {
    if (looks === mostLooks) throw new Error(`never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
