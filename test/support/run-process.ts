/** Runs a program to its end without blocking this process, so that a service in it can answer. */
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

/** Resolves when the program has ended and all output was read. Rejects if it cannot be started. */
export function runProcess(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<Ended> {
  return new Promise((done, failed) => {
    const env = { NODE_COMPILE_CACHE: compileCache, ...options.env };
    const child = spawn(command, args, { ...options, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    child.stdout.on('data', (chunk: Buffer) => chunks.stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.stderr.push(chunk));
    child.on('error', failed);
    child.on('close', (code) =>
      done({
        code,
        stdout: Buffer.concat(chunks.stdout).toString(),
        stderr: Buffer.concat(chunks.stderr).toString(),
      }),
    );
  });
}
