/** From arguments to an exit code; nothing here ends the process. */
import { Command, CommanderError } from 'commander';
import { explain, isInterruption, OutputRefused, ReportUnwritten, UserError } from './errors';
import type { Io } from './io';
import { refuseOutputs } from './outputs';
import { addCommands } from './program';
import { Voice } from './voice';

const environment = `
Environment:
  TETHER_ADDRESS                    base URL of the service, with /api/v2
  TETHER_TOKEN, TETHER_TOKEN_FILE   the token, or a file that holds it; never a flag
  TETHER_PROFILE                    as --profile

Exit codes: 0 done, or nothing to do; 1 error; 2 drift found (drift), or changes (plan --detailed-exitcode);
130 interrupted`;

/** Runs one command line; 0 done, 1 error, 2 drift or, where that was asked for, changes found, 130 interrupted. Never throws. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let code = 0;
  const program = new Command('tether')
    .description('Infrastructure as code for VCS connections (OAuth clients) and run triggers.')
    .version(version(), '--version', 'print the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .showHelpAfterError('(add --help for the flags and arguments)')
    .addHelpText('after', environment);
  addCommands(program, async (command, flags, args, execute) => {
    const voice = new Voice(flags, io);
    try {
      refuseOutputs(flags, args, io);
      code = await execute({ command, flags, args, voice, io });
    } catch (error) {
      code = failed(command, error, voice);
    }
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    // Commander has printed its message already; whatever it says, 2 must never mean "used wrongly".
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      if (argv.includes('--json')) usedWrongly(program, argv, error.message, io);
      return 1;
    }
    io.stderr.write(`error: ${explain(error, false)}\n`);
    return 1;
  }
  return code;
}

function failed(command: string, error: unknown, voice: Voice): number {
  const code = isInterruption(error) ? 130 : 1;
  const message = code === 130 ? 'interrupted; nothing was changed' : explain(error, voice.admits('debug'));
  voice.log('error', code === 130 ? message : `error: ${message}`);
  if (error instanceof ReportUnwritten) return code;
  const details = error instanceof UserError ? error.details : {};
  try {
    const document = { command, exitCode: code, error: { message }, ...details };
    if (error instanceof OutputRefused) voice.printDocument(document);
    else voice.document(document);
  } catch (second) {
    voice.log('error', `error: ${explain(second, voice.admits('debug'))}`);
  }
  return code;
}

/** Whoever asked for JSON parses stdout, also when another flag was misspelt. */
function usedWrongly(program: Command, argv: readonly string[], message: string, io: Io): void {
  const path: string[] = [];
  let known: Command | undefined = program;
  for (const word of argv) {
    known = known.commands.find((one) => one.name() === word);
    if (known === undefined) break;
    path.push(word);
  }
  const text = message.replace(/^error: /, '');
  new Voice({ json: true }, io).document({
    command: path.join(' '),
    exitCode: 1,
    error: { message: text },
  });
}

function version(): string {
  const { version: text } = require('../../package.json') as { version: string };
  return text;
}
