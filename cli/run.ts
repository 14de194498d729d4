/** Turns arguments into a command and an exit code. */
import { Command, CommanderError } from 'commander';
import { inert } from '../client/text';
import { packageVersion } from '../client/transport';
import { Call, type Io, type Stream } from './call';
import { apply } from './commands/apply';
import { exportAll } from './commands/export';
import { move, showLedger, unlock } from './commands/ledger';
import { drift, plan } from './commands/plan';
import { serve } from './commands/serve';
import { show } from './commands/show';
import { graph, schema, validate } from './commands/validate';
import { commandFlags, type Flags } from './flags';
import { type Outcome, toExitCode } from './outcome';
import { failedResult } from './results';

type Argument = readonly [usage: string, does: string];

interface CommandEntry {
  readonly does: string;
  readonly takes?: readonly Argument[];
  readonly run: (call: Call) => Promise<Outcome>;
}

const folders: Argument = ['[folder...]', 'folders of manifests, each with its own ledger (default: .)'];
const folder: Argument = ['[folder]', 'folder of the manifests and their ledger (default: .)'];

const commands: Readonly<Record<keyof typeof commandFlags, CommandEntry>> = {
  validate: {
    does: 'report every mistake in the manifests (offline; needs no token and no secret)',
    takes: [['[path...]', 'folders of manifests, or files (default: .)']],
    run: validate,
  },
  plan: { does: 'compare the manifests with what exists; changes nothing', takes: [folders], run: plan },
  apply: { does: 'show the plan, ask for confirmation, apply it', takes: [folders], run: apply },
  drift: { does: 'report changes made outside Tether since the last apply', takes: [folders], run: drift },
  destroy: {
    does: 'delete all that the ledger manages, except `forget` entries',
    takes: [folder],
    run: apply,
  },
  show: {
    does: 'show what exists: ids, callback URL, connect path, token ids, all readable fields',
    takes: [['[folder-and-addresses...]', 'a folder (default: .), then addresses (default: all)']],
    run: show,
  },
  export: { does: 'print manifests for what exists; writes nothing', run: exportAll },
  graph: {
    does: 'draw the run triggers as a Mermaid diagram (offline)',
    takes: [
      [
        '[folder-and-workspaces...]',
        'a folder (default: .), then workspaces: draw only what they trigger and what triggers them',
      ],
    ],
    run: graph,
  },
  schema: { does: 'print the JSON Schema of manifests, for editors', run: schema },
  'ledger show': { does: 'show what the ledger holds', takes: [folder], run: showLedger },
  'ledger unlock': {
    does: 'free the locks of a run that you know has ended',
    takes: [['<id>', 'the id that the message about the lock shows'], folders],
    run: unlock,
  },
  'ledger move': {
    does: "move the folder's ledger file to the home under `ledger:`",
    takes: [folder],
    run: move,
  },
  serve: { does: 'run the embedded service on this machine', run: serve },
};

const environment = `
Environment:
  TETHER_ADDRESS                    base URL of the service, with /api/v2
  TETHER_TOKEN_<ORGANIZATION>       the token of one organization; else
  TETHER_TOKEN, TETHER_TOKEN_FILE   the token, or a file that holds it; never a flag
  TETHER_PROFILE                    same as --profile
  TETHER_MAX_DELETES                same as --max-deletes
  TETHER_RATE, TETHER_TIMEOUT       requests per second (default: 29); seconds for one request (default: 30)
  TETHER_LEDGER_CREDENTIALS         https://user:token@host of each host with a ledger, with blanks between
  TETHER_SECRETS                    all that fromEnv and fromFile may name: NAME,…,folder/
  HTTPS_PROXY, NO_PROXY             the proxy, and the hosts that are reached without it
  NO_COLOR                          no colour

Exit codes: 0 done, or nothing to do; 1 error; 2 drift found (drift), or changes (plan --detailed-exitcode);
130 interrupted`;

/** Never throws. Returns the exit code. */
export async function run(argv: readonly string[], { stdout, stderr, ...hands }: Io): Promise<number> {
  const io = { ...hands, stdout: inertStream(stdout), stderr: inertStream(stderr) };
  // Wrong arguments belong to no command.
  let call = new Call('', argv.includes('--json') ? { json: true } : {}, [], io);
  let outcome: Outcome = 'done';
  const program = createProgram(io, async (started, execute) => {
    call = started;
    outcome = await execute(call);
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const failed = error instanceof CommanderError ? misusedResult(error) : failedResult(call, error);
    outcome = failed.outcome;
    call.printJson(outcome, failed.document);
  } finally {
    call.clearProgress();
  }
  return toExitCode(outcome, call.flags);
}

/** All output goes through it, that of commander too. */
function inertStream(stream: Stream): Stream {
  return { write: (text) => stream.write(inert(text)), isTTY: stream.isTTY === true };
}

/** Commander has printed the message, but not as JSON. */
function misusedResult({ message }: CommanderError) {
  const document = { error: { code: 'usage', message: message.replace(/^error: /, '') } };
  return { outcome: 'error', document } as const;
}

function createProgram(io: Io, start: (call: Call, execute: CommandEntry['run']) => Promise<void>): Command {
  const program = new Command('tether')
    .description('Infrastructure as code for VCS connections (OAuth clients) and run triggers.')
    .version(packageVersion(), '--version', 'print the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .showHelpAfterError('(add --help for the flags and arguments)')
    .addHelpText('after', environment);
  const ledger = program.createCommand('ledger').copyInheritedSettings(program);
  ledger.description('inspect the ledger, move it, or free its lock');
  for (const [name, { does, takes = [], run: execute }] of Object.entries(commands)) {
    const [first = '', second] = name.split(' ');
    const command = (second === undefined ? program : ledger).command(second ?? first).description(does);
    for (const option of commandFlags[name as keyof typeof commandFlags]) command.addOption(option);
    for (const argument of takes) command.argument(...argument);
    command.action(() => start(new Call(name, command.opts<Flags>(), command.args, io), execute));
  }
  program.addCommand(ledger);
  return program;
}
