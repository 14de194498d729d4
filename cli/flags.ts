/** The flags of the commands, as commander options with their checks. */
import { basename } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { isManifestName } from '../manifest/source';
import { ledgerName } from '../reconciler/ledger/disk';

/** Every flag; a command is given those that `run.ts` declares for it. */
export interface Flags {
  readonly json?: true;
  /** `FORMAT=FILE`, checked. */
  readonly report?: readonly Report[];
  /** False with `--no-color`. */
  readonly color?: boolean;
  readonly q?: true;
  /** How often it was given. */
  readonly v?: number;
  /** A name or a file. */
  readonly profile?: string;
  readonly address?: string;
  /** Seconds. */
  readonly lockTimeout?: number;
  /** Requests a second. */
  readonly rate?: number;
  /** Seconds. */
  readonly timeout?: number;
  readonly only?: readonly string[];
  readonly maxDeletes?: number;
  readonly acceptMissing?: number;
  readonly writeSecrets?: true;
  readonly detailedExitcode?: true;
  /** The digest of the plan that was reviewed, in lower case. */
  readonly expect?: string;
  readonly yes?: true;
  readonly seed?: string;
  readonly data?: string;
  readonly port?: number;
  readonly host?: string;
  /** Each `NAME=VALUE`. */
  readonly behaviour?: readonly string[];
  readonly admin?: boolean;
}

export interface Report {
  readonly format: 'json';
  readonly file: string;
}

/** Flags of every command that prints a result. */
export function withOutputFlags(command: Command): Command {
  return command
    .option('--json', 'print one JSON document on stdout and nothing else')
    .option('--report <format=file>', 'also write a report to a file; format: json (repeatable)', report)
    .option('--no-color', 'no colour (also NO_COLOR)')
    .option('-q', 'only errors on stderr')
    .option(
      '-v',
      'log every request to stderr (-vv: stack traces of internal errors too)',
      (_: string, before: number | undefined) => (before ?? 0) + 1,
    );
}

export function withManifestFlags(command: Command): Command {
  return withOutputFlags(command).option(
    '--profile <name|file>',
    'service profile; overrides `profile:` in the manifests (TETHER_PROFILE)',
  );
}

/** The flags of commands that make calls, and the one folder of each; of several the command says what to do instead. */
export function withNetworkFlags(command: Command): Command {
  return withLockTimeout(withManifestFlags(command))
    .argument('[folder]', 'folder of the manifests and their ledger (default: .)')
    .allowExcessArguments()
    .option('--address <url>', 'base URL of the service, with /api/v2 (TETHER_ADDRESS)')
    .option(
      '--rate <number>',
      "requests per second (default: 14/15 of the profile's limit, at most 28)",
      positive,
    )
    .option('--timeout <seconds>', 'time limit for one request (default: 30)', positive);
}

export function withPlanFlags(command: Command): Command {
  return withNetworkFlags(command)
    .option(
      '--max-deletes <number>',
      'allow up to this many deletes (default: 5 or 30 %, whichever is more)',
      whole,
    )
    .option(
      '--accept-missing <number>',
      'continue although up to this many managed objects have disappeared (default: 3 or 10 %, whichever is more)',
      whole,
    )
    .option('--write-secrets', 'write every secret that an update can carry, changed or not');
}

export function withLockTimeout(command: Command): Command {
  return command.option(
    '--lock-timeout <seconds>',
    'how long to wait for a locked ledger (default: 0)',
    notNegative,
  );
}

export function withServeFlags(command: Command): Command {
  return command
    .option('--seed <file>', 'what exists at the start (default: a small organization `demo`)')
    .option('--data <file>', 'keep everything in this JSON file (default: in memory only)')
    .option('--port <number>', 'port of the API (default: a free one)', port)
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--profile <name|file>', 'profile of the service (default: default)')
    .option('--behaviour <name=value>', 'override a behaviour the API leaves open (repeatable)', oneMore)
    .option('--admin', 'also open the admin port');
}

/** For a flag that may be given several times. */
export function oneMore(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function report(value: string, before: readonly Report[] = []): readonly Report[] {
  const at = value.indexOf('=');
  const format = value.slice(0, at);
  const file = value.slice(at + 1);
  if (at < 1 || file === '')
    throw new InvalidArgumentError('Expected FORMAT=FILE, such as json=report.json.');
  if (format !== 'json') throw new InvalidArgumentError(`Unknown format ${format} (supported: json).`);
  // A typing error must not cost a manifest or a ledger.
  if (isManifestName(basename(file)) || basename(file).startsWith(ledgerName)) {
    throw new InvalidArgumentError('This would overwrite a manifest or a ledger; choose another name.');
  }
  return [...before, { format, file }];
}

function whole(value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('Expected a whole number, 0 or more.');
}

function notNegative(value: string): number {
  if (/^\d{1,9}(\.\d+)?$/.test(value)) return Number(value);
  throw new InvalidArgumentError('Expected a number, 0 or more.');
}

function positive(value: string): number {
  if (notNegative(value) > 0) return Number(value);
  throw new InvalidArgumentError('Expected a number above 0.');
}

function port(value: string): number {
  if (whole(value) <= 65_535) return Number(value);
  throw new InvalidArgumentError('Expected a port, 0 to 65535.');
}
