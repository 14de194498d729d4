#!/usr/bin/env node
/** The process around the command line: arguments, streams, signals and the exit code. */
import { run } from './run';

// Each thread that computed a digest keeps its 16 MiB, and no more than two are computed at once. Node reads it before the first one.
process.env.UV_THREADPOOL_SIZE ??= '2';

const stop = new AbortController();

function interrupted(signal: NodeJS.Signals): void {
  // What stands on the line may be progress.
  process.stderr.write(process.stderr.isTTY ? '\r\u001b[K' : '\n');
  if (stop.signal.aborted) process.exit(130);
  const again = signal === 'SIGINT' ? 'Ctrl-C' : signal;
  process.stderr.write(`Interrupted: waiting for requests in flight. ${again} again quits now\n`);
  stop.abort();
}

/** Handlers are there once something has asked for the signal: until then nothing is to be put in order, and the process ends at once. */
function listen(): AbortSignal {
  if (process.listenerCount('SIGINT') === 0) process.on('SIGINT', interrupted).on('SIGTERM', interrupted);
  return stop.signal;
}

// A reader that has seen enough (`tether apply | head`) is no reason to leave work half done.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

/** Asked on stderr, so that stdout stays the result. Ctrl-C is a signal, as the terminal stays as it is. */
async function ask(message: string): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  // Ctrl-D: no answer is no.
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  try {
    const answer = terminal.question(`${message} (y/N) `, { signal: stop.signal });
    return /^\s*y(es)?\s*$/i.test(await Promise.race([answer, closed]));
  } finally {
    terminal.close();
  }
}

// It never throws: whatever goes wrong is a message and an exit code.
void run(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  get signal() {
    return listen();
  },
  now: Date.now,
  ask: process.stdin.isTTY && process.stderr.isTTY ? ask : null,
}).then((code) => {
  process.exitCode = code;
  // Reads that were given up may still wait for their answers.
  if (code === 130) process.stdout.write('', () => process.exit(130));
});
