#!/usr/bin/env node
/** The process around the command line: arguments, streams, signals and the exit code. */
import { run } from './run';

const stop = new AbortController();

function interrupted(signal: NodeJS.Signals): void {
  // What stands on the line may be progress.
  process.stderr.write(process.stderr.isTTY ? '\r\u001b[K' : '\n');
  if (stop.signal.aborted) process.exit(130);
  const again = signal === 'SIGINT' ? 'Ctrl-C' : signal;
  process.stderr.write(`Interrupted: waiting for requests in flight. ${again} again quits now\n`);
  stop.abort();
}

process.on('SIGINT', interrupted);
process.on('SIGTERM', interrupted);

// A reader that has seen enough (`tether apply | head`) is no reason to leave work half done.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

/** Asked on stderr, so that stdout stays the result. */
async function ask(message: string): Promise<boolean> {
  const { default: confirm } = await import('@inquirer/confirm');
  const context = { input: process.stdin, output: process.stderr, signal: stop.signal };
  return confirm({ message, default: false }, context);
}

// It never throws: whatever goes wrong is a message and an exit code.
void run(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  signal: stop.signal,
  now: Date.now,
  ask: process.stdin.isTTY && process.stderr.isTTY ? ask : null,
}).then((code) => {
  process.exitCode = code;
  // Reads that were given up may still wait for their answers.
  if (code === 130) process.stdout.write('', () => process.exit(130));
});
