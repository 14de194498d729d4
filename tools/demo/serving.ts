/** Starts `tether serve` on a free port and ends it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const main = join(__dirname, '../../cli/main.js');

/** A started service. */
export interface Serving {
  /** Rejects when the service ends before it listens. */
  readonly url: Promise<string>;
  /** Ends the service. Resolves when its process has ended. */
  end(): Promise<void>;
}

function exited(child: ChildProcess): Promise<void> {
  return new Promise((done) => {
    if (child.exitCode !== null || child.signalCode !== null) done();
    else child.once('exit', () => done());
  });
}

/** Starts the service and returns at once, so that it can be ended at any time. */
export function serve(seed: string, env: NodeJS.ProcessEnv): Serving {
  process.stdout.write(`$ tether serve --seed ${seed}\n`);
  const child = spawn(process.execPath, [main, 'serve', '--seed', seed], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
  });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  const end = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited(child);
  };
  const url = new Promise<string>((done, failed) => {
    child.once('error', failed);
    child.once('exit', (code) =>
      failed(new Error(`tether serve ended with exit code ${code}: ${complaint}`)),
    );
    createInterface({ input: child.stdout }).on('line', (line) => {
      process.stdout.write(`${line}\n`);
      const address = /^listening on (\S+)$/u.exec(line)?.[1];
      if (address !== undefined) done(address);
    });
  });
  return { url, end };
}
