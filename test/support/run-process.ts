/** Runs programs without blocking this process, so that a service in it can answer. */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

/** How a program ended; `code` is null when a signal ended it. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The folder of Node's compile cache (Node 22 and newer), which makes further starts faster. */
export const compileCache = resolve(__dirname, '../../.compile-cache');

interface Place {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Starts a program. `stdout` and `stderr` give what it has written so far. */
export function startProcess(command: string, args: readonly string[], options: Place) {
  const env = { NODE_COMPILE_CACHE: compileCache, ...options.env };
  const child = spawn(command, args, { ...options, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  return {
    /** Resolves when the program has ended and all output was read. Rejects if it cannot be started. */
    ended: new Promise<Ended>((done, failed) => {
      child.on('error', failed);
      child.on('close', (code) => done({ code, ...output }));
    }),
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    stdout: () => output.stdout,
    stderr: () => output.stderr,
  };
}

/** Runs a program to its end. */
export function runProcess(command: string, args: readonly string[], options: Place): Promise<Ended> {
  return startProcess(command, args, options).ended;
}
