/** The commands: from arguments to an exit code. */
import { Command, CommanderError, type Option } from 'commander';
import { failureComment } from '../reconciler/render/comment';
import { Call, type Io } from './call';
import type { apply } from './commands/apply';
import type { exportAll } from './commands/export';
import type { graph } from './commands/graph';
import type { showLedger, unlock } from './commands/ledger';
import type { drift, plan } from './commands/plan';
import type { runServe } from './commands/serve';
import type { show } from './commands/show';
import type { schema, validate } from './commands/validate';
import type { ErrorDocument } from './documents';
import { codeOf, explain, isInterruption, UserError } from './errors';
import { type Flags, flags, locking, manifests, network, output, planning, reviewed, serving } from './flags';

const environment = `
Environment:
  TETHER_ADDRESS                    base URL of the service, with /api/v2
  TETHER_TOKEN, TETHER_TOKEN_FILE   the token, or a file that holds it; never a flag
  TETHER_PROFILE                    same as --profile
  HTTPS_PROXY, NO_PROXY             the proxy, and the hosts that are reached without it

Exit codes: 0 done, or nothing to do; 1 error; 2 drift found (drift), or changes (plan --detailed-exitcode);
130 interrupted`;

/** Returns the exit code; never throws. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let code = 0;
  const program = new Command('tether')
    .description('Infrastructure as code for VCS connections (OAuth clients) and run triggers.')
    .version((require('../../package.json') as { version: string }).version, '--version', 'print the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .showHelpAfterError('(add --help for the flags and arguments)')
    .addHelpText('after', environment);
  const words: string[] = [];
  addCommands(program, async (given, args, execute) => {
    const call = new Call(words.join(' '), given, args, io);
    try {
      call.refuseReports();
      code = await execute(call);
      call.logSent();
    } catch (error) {
      code = failed(call, error);
    } finally {
      call.progress.end();
    }
  });
  for (const group of [program, ...program.commands]) {
    group.hook('preSubcommand', (_group, command) => void words.push(command.name()));
  }
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    // Commander has printed its message already; whatever its code, 2 must never mean "used wrongly".
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      // Whoever asked for JSON parses stdout, also when another flag was misspelt.
      const wrong = { code: 'usage', message: error.message.replace(/^error: /, '') };
      if (argv.includes('--json')) new Call(words.join(' '), { json: true }, [], io).end(1, { error: wrong });
      return 1;
    }
    io.stderr.write(`error: ${explain(error, false)}\n`);
    return 1;
  }
  return code;
}

function failed(call: Call, error: unknown): number {
  const code = isInterruption(error) ? 130 : 1;
  const isDebug = call.admits('debug');
  const message = code === 130 ? 'interrupted; nothing was changed' : explain(error, isDebug);
  call.log('error', code === 130 ? message : `error: ${message}`);
  // Reads that were given up may still be in flight.
  if (code !== 130) call.logSent();
  if (call.hasEnded) return code;
  const members = {
    error: { code: codeOf(error), message },
    ...(error instanceof UserError && error.details),
  } satisfies ErrorDocument;
  try {
    call.end(code, members, () => failureComment(call.command, message));
  } catch (second) {
    call.log('error', `error: ${explain(second, isDebug)}`);
  }
  return code;
}

type Execute = (call: Call) => Promise<number>;

type Dispatch = (flags: Flags, args: readonly string[], execute: Execute) => Promise<void>;

/** Each loads its module only when it runs, so that starting stays fast; `import()` would load Node's loader of ES modules too. */
export function addCommands(program: Command, dispatch: Dispatch): void {
  const add = (name: string, does: string, own: readonly Option[], execute: Execute, group = program) => {
    const command = group.command(name).description(does);
    for (const option of own) command.addOption(option);
    return command.action(() => dispatch(command.opts(), command.args, execute));
  };
  /** For one folder; of several the command says what to do instead. */
  const addInFolder = (...command: Parameters<typeof add>) =>
    add(...command)
      .argument('[folder]', 'folder of the manifests and their ledger (default: .)')
      .allowExcessArguments();
  add(
    'validate',
    'report every mistake in the manifests (offline; needs no token and no secret)',
    manifests,
    async (call) => (require('./commands/validate') as { validate: typeof validate }).validate(call),
  ).argument('[path...]', 'a folder of manifests, or files (default: .)');
  addInFolder(
    'plan',
    'compare the manifests with what exists; changes nothing',
    [...planning, flags.detailedExitcode],
    async (call) => (require('./commands/plan') as { plan: typeof plan }).plan(call),
  );
  addInFolder(
    'apply',
    'plan the changes, ask for confirmation, apply them',
    [...planning, flags.expect, flags.yes],
    async (call) => (require('./commands/apply') as { apply: typeof apply }).apply(call),
  );
  addInFolder(
    'drift',
    'report changes made outside Tether since the last apply; changes nothing. Exit code 2: drift',
    reviewed,
    async (call) => (require('./commands/plan') as { drift: typeof drift }).drift(call),
  );
  addInFolder(
    'destroy',
    'delete everything Tether manages here, except entries under `forget`; approvals and limits as for `apply`',
    [...planning, flags.yes],
    async (call) => (require('./commands/apply') as { apply: typeof apply }).apply(call),
  );
  addInFolder(
    'show',
    'show what exists: ids, callback URL, connect path, token ids, all readable fields',
    [...network, flags.only],
    async (call) => (require('./commands/show') as { show: typeof show }).show(call),
  );
  addInFolder(
    'export',
    'write manifests and ledger entries for what exists and is not managed yet; changes nothing at the service',
    [...network, flags.organization, flags.pulumi],
    async (call) => (require('./commands/export') as { exportAll: typeof exportAll }).exportAll(call),
  );
  addInFolder(
    'graph',
    'draw the run triggers of the manifests as a graph (offline; needs no token and no secret)',
    manifests,
    async (call) => (require('./commands/graph') as { graph: typeof graph }).graph(call),
  );
  add('schema', 'print the JSON Schema of manifests, for editors', output, async (call) =>
    (require('./commands/validate') as { schema: typeof schema }).schema(call),
  );
  const ledger = program.command('ledger').description('inspect the ledger, or release its lock (offline)');
  add(
    'show',
    'show what the ledger holds',
    [...output, ...locking],
    async (call) => (require('./commands/ledger') as { showLedger: typeof showLedger }).showLedger(call),
    ledger,
  );
  add(
    'unlock',
    'release the lock of a process that you know has ended',
    output,
    async (call) => (require('./commands/ledger') as { unlock: typeof unlock }).unlock(call),
    ledger,
  ).argument('<token>', 'the token that the message about the lock shows');
  add('serve', 'run the embedded service on this machine', serving, async ({ flags: given, io }) =>
    (require('./commands/serve') as { runServe: typeof runServe }).runServe(given, io),
  );
}
