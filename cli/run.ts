/** The commands with their flags and help, and the way from arguments to an exit code; nothing here ends the process. */
import { Command, CommanderError } from 'commander';
import type { Dispatch } from './call';
import { explain, isInterruption, OutputRefused, ReportUnwritten, UserError } from './errors';
import {
  type ApplyFlags,
  type LedgerFlags,
  type ManifestFlags,
  type NetworkFlags,
  type OutputFlags,
  type PlanFlags,
  type ServeFlags,
  type ShowFlags,
  withLockTimeout,
  withManifestFlags,
  withNetworkFlags,
  withOutputFlags,
  withPlanFlags,
  withServeFlags,
  withShowFlags,
} from './flags';
import type { Io } from './io';
import { Output } from './output';
import { refuseReports } from './report-files';

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
    const output = new Output(flags, io);
    try {
      refuseReports(flags, args, io);
      code = await execute({ command, flags, args, output, io });
    } catch (error) {
      code = failed(command, error, output);
    }
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    // Commander has printed its message already; whatever its code, 2 must never mean "used wrongly".
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

function failed(command: string, error: unknown, output: Output): number {
  const code = isInterruption(error) ? 130 : 1;
  const message = code === 130 ? 'interrupted; nothing was changed' : explain(error, output.admits('debug'));
  output.log('error', code === 130 ? message : `error: ${message}`);
  if (error instanceof ReportUnwritten) return code;
  const details = error instanceof UserError ? error.details : {};
  try {
    const document = { command, exitCode: code, error: { message }, ...details };
    if (error instanceof OutputRefused) output.printDocument(document);
    else output.document(document);
  } catch (second) {
    output.log('error', `error: ${explain(second, output.admits('debug'))}`);
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
  new Output({ json: true }, io).document({
    command: path.join(' '),
    exitCode: 1,
    error: { message: text },
  });
}

function version(): string {
  const { version: text } = require('../../package.json') as { version: string };
  return text;
}

/** Adds all commands; each loads its module only when it runs, so that starting stays fast. */
export function addCommands(program: Command, dispatch: Dispatch): void {
  const folder = ['[folder]', 'folder of the manifests and their ledger (default: .)'] as const;
  withManifestFlags(program.command('validate'))
    .description('report every mistake in the manifests (offline; needs no token and no secret)')
    .argument('[path...]', 'a folder of manifests, or files (default: .)')
    .action((args: string[], flags: ManifestFlags) =>
      dispatch('validate', flags, args, async (call) =>
        (await import('./commands/validate.js')).validate(call),
      ),
    );
  withPlanFlags(program.command('plan'))
    .description('compare the manifests with what exists; changes nothing')
    .argument(...folder)
    .option('--detailed-exitcode', 'exit code 2 when there are changes')
    .allowExcessArguments()
    .action((_: unknown, flags: PlanFlags & { detailedExitcode?: true }, { args }: Command) =>
      dispatch('plan', flags, args, async (call) => (await import('./commands/plan.js')).plan(call)),
    );
  withPlanFlags(program.command('apply'))
    .description('plan the changes, ask for confirmation, apply them')
    .argument(...folder)
    .allowExcessArguments()
    .option('--expect <digest>', 'apply only the plan with this digest, as printed by plan')
    .option('--yes', 'skip the confirmation')
    .action((_: unknown, flags: ApplyFlags, { args }: Command) =>
      dispatch('apply', flags, args, async (call) => (await import('./commands/apply.js')).apply(call)),
    );
  withNetworkFlags(program.command('drift'))
    .description(
      'report changes made outside Tether since the last apply; changes nothing. Exit code 2: drift',
    )
    .argument(...folder)
    .allowExcessArguments()
    .action((_: unknown, flags: NetworkFlags, { args }: Command) =>
      dispatch('drift', flags, args, async (call) => (await import('./commands/drift.js')).drift(call)),
    );
  withPlanFlags(program.command('destroy'))
    .description(
      'delete everything Tether manages here, except entries under `forget`; approvals and limits as for `apply`',
    )
    .argument(...folder)
    .allowExcessArguments()
    .option('--yes', 'skip the confirmation')
    .action((_: unknown, flags: ApplyFlags, { args }: Command) =>
      dispatch('destroy', flags, args, async (call) => (await import('./commands/apply.js')).destroy(call)),
    );
  withShowFlags(program.command('show'))
    .description('show what exists: ids, callback URL, connect path, token ids, all readable fields')
    .argument(...folder)
    .allowExcessArguments()
    .action((_: unknown, flags: ShowFlags, { args }: Command) =>
      dispatch('show', flags, args, async (call) => (await import('./commands/show.js')).show(call)),
    );
  withOutputFlags(program.command('schema'))
    .description('print the JSON Schema of manifests, for editors')
    .action((flags: OutputFlags) =>
      dispatch('schema', flags, [], async (call) => (await import('./commands/validate.js')).schema(call)),
    );
  addLedgerCommands(program, dispatch);
  addServe(program, dispatch);
}

function addLedgerCommands(program: Command, dispatch: Dispatch): void {
  const ledger = program.command('ledger').description('inspect the ledger, or release its lock (offline)');
  const add = (name: string, description: string): Command =>
    withOutputFlags(ledger.command(name).description(description));
  withLockTimeout(add('show', 'show what the ledger holds')).action((flags: LedgerFlags) =>
    dispatch('ledger show', flags, [], async (call) =>
      (await import('./commands/ledger.js')).showLedger(call),
    ),
  );
  add('unlock', 'release the lock of a process that you know has ended')
    .argument('<token>', 'the token that the message about the lock shows')
    .action((token: string, flags: LedgerFlags) =>
      dispatch('ledger unlock', flags, [token], async (call) =>
        (await import('./commands/ledger.js')).unlock(call),
      ),
    );
}

function addServe(program: Command, dispatch: Dispatch): void {
  withServeFlags(program.command('serve'))
    .description('run the embedded service on this machine')
    .action((flags: ServeFlags) =>
      dispatch('serve', flags, [], async (call) =>
        (await import('./commands/serve.js')).runServe(call.flags, call.io),
      ),
    );
}
