#!/usr/bin/env node
/** Connects the command line with the process. */
import { setMaxListeners } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { toExitCode } from './outcome';
import { run } from './run';

const stop = new AbortController();
// Each folder of a command listens, and Node would warn of the eleventh.
setMaxListeners(0, stop.signal);
const [interruptedCode, failedCode] = [toExitCode('interrupted'), toExitCode('error')];

function interrupted(signal: NodeJS.Signals): void {
  // The line may show progress, so it is cleared or ended.
  process.stderr.write(process.stderr.isTTY ? '\r\u001b[K' : '\n');
  if (stop.signal.aborted) {
    stop.signal.dispatchEvent(new Event('quit'));
    process.exit(interruptedCode);
  }
  const again = signal === 'SIGINT' ? 'Ctrl-C' : signal;
  process.stderr.write(`Interrupted: waiting for requests in flight. ${again} again quits now\n`);
  stop.abort();
}

// Output that fails must not stop an apply in the middle. It fails the command, except after `tether apply | head`.
process.stderr.on('error', () => {});
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE' || process.exitCode === failedCode || process.exitCode === interruptedCode) return;
  process.stderr.write(`error: the output cannot be written (${code})\n`);
  process.exitCode = failedCode;
});

/** Asks on stderr, so that stdout has only the result. */
async function ask(message: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  // Ctrl-D closes the input, which counts as "no".
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  try {
    const answer = terminal.question(`${message} (y/N) `, { signal: stop.signal });
    return /^\s*y(es)?\s*$/i.test(await Promise.race([answer, closed]));
  } finally {
    terminal.close();
  }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupted);

// The YAML package reads a variable for each token, and a copy answers faster than `process.env` itself.
const { env } = process;
process.env = { ...env };

void run(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  env,
  cwd: process.cwd(),
  signal: stop.signal,
  now: Date.now,
  ask: process.stdin.isTTY && process.stderr.isTTY ? ask : null,
}).then((code) => {
  process.exitCode ??= code;
  // Abandoned reads may still wait for their answers.
  if (code === interruptedCode) process.stdout.write('', () => process.exit(code));
});
