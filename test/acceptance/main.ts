/** `make acceptance` and `make acceptance-clean`: the suite against the service that the environment names. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { engineFolder } from '../support/pulumi-engine';
import { cleanUp } from './cleanup';
import { tetherProgram } from './command-folder';
import { findPlaces } from './places';
import { Requests, Unanswered } from './requests';
import { Scope } from './scope';
import { Refused, readSettings } from './settings';
import { runSuite } from './suite';

const stop = new AbortController();
const print = (line: string): void => void process.stderr.write(`${line}\n`);

function interrupted(): void {
  if (stop.signal.aborted) process.exit(130);
  print('Interrupted: removing what this run made. Ctrl-C again quits now and leaves it there.');
  stop.abort();
}

/** The end of the input counts as "no". */
async function ask(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  const answer = await Promise.race([terminal.question(`${question} (y/N) `), closed]);
  terminal.close();
  return /^\s*y(es)?\s*$/i.test(answer);
}

async function main(command: string | undefined): Promise<number> {
  const settings = readSettings(process.env, process.cwd());
  // Pulumi's engine inherits the environment, where other variables of Tether would change the account.
  for (const name of Object.keys(process.env)) {
    if (/^(?:TETHER|TFE)_/.test(name)) delete process.env[name];
  }
  if (command === 'clean') {
    const requests = new Requests(settings);
    const places = await findPlaces(requests, settings);
    return cleanUp(requests, settings, places, new Scope(places), { print, ask });
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupted);
  const { exitCode, table = '' } = await runSuite({
    settings,
    tether: tetherProgram,
    signal: stop.signal,
    print,
    hasEngine: existsSync(join(engineFolder(), 'bin', 'pulumi')),
  });
  process.stdout.write(table);
  return exitCode;
}

main(process.argv[2]).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    if (stop.signal.aborted) {
      process.exitCode = 130;
      return;
    }
    if (!(error instanceof Refused || error instanceof Unanswered)) throw error;
    const sentences = error instanceof Refused ? error.sentences : [error.message];
    for (const sentence of sentences) print(`- ${sentence}`);
    print('Nothing was made.');
    process.exitCode = 1;
  },
);
