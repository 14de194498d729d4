/** The flags that commands share, as commander options with their checks. */
import { basename } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { isManifestName } from '../manifest/source';
import { ledgerName } from '../reconciler/ledger/disk';

/** Flags of every command that prints a result; `serve` has none of them. */
export interface OutputFlags {
  readonly json?: true;
  /** `FORMAT=FILE`, checked. */
  readonly report?: readonly Report[];
  /** False with `--no-color`. */
  readonly color?: boolean;
  readonly q?: true;
  /** How often it was given. */
  readonly v?: number;
}

export interface Report {
  readonly format: 'json';
  readonly file: string;
}

/** Flags of commands that read manifests. */
export interface ManifestFlags extends OutputFlags {
  readonly profile?: string;
}

/** Flags of commands that make calls. */
export interface NetworkFlags extends ManifestFlags {
  readonly address?: string;
  /** Seconds. */
  readonly lockTimeout?: number;
  /** Requests a second. */
  readonly rate?: number;
  /** Seconds. */
  readonly timeout?: number;
}

/** Flags of `show`. */
export interface ShowFlags extends NetworkFlags {
  readonly only: readonly string[];
}

/** Flags of `plan`, `apply` and `destroy`. */
export interface PlanFlags extends NetworkFlags {
  readonly maxDeletes?: number;
  readonly acceptMissing?: number;
  readonly writeSecrets?: true;
}

/** Flags of `apply` and `destroy` beyond those of `plan`. */
export interface ApplyFlags extends PlanFlags {
  readonly yes?: true;
  /** Of `apply`: the digest of the plan that was reviewed. */
  readonly expect?: string;
}

/** Flags of the `ledger` commands. */
export interface LedgerFlags extends OutputFlags {
  /** Seconds; not of `unlock`. */
  readonly lockTimeout?: number;
}

/** Flags of `serve`. */
export interface ServeFlags extends OutputFlags {
  /** Path of a seed file. */
  readonly seed?: string;
  /** Path of the data file. */
  readonly data?: string;
  readonly port?: number;
  /** Address to listen on; the loopback when left out. */
  readonly host?: string;
  /** Name or file of a profile. */
  readonly profile?: string;
  /** Each `NAME=VALUE`. */
  readonly behaviour?: readonly string[];
  readonly admin?: boolean;
}

export function withOutputFlags(command: Command): Command {
  return command
    .option('--json', 'print one JSON document on stdout and nothing else')
    .addOption(
      new Option('--report <format=file>', 'also write a report to a file; format: json (repeatable)')
        .argParser(report)
        .default([], 'none'),
    )
    .option('--no-color', 'no colour (also NO_COLOR)')
    .option('-q', 'only errors on stderr')
    .addOption(
      new Option('-v', 'log every request to stderr (-vv: stack traces of internal errors too)')
        .argParser((_: string, before: number) => before + 1)
        .default(0, 'off'),
    );
}

export function withManifestFlags(command: Command): Command {
  return withOutputFlags(command).option(
    '--profile <name|file>',
    'service profile; overrides `profile:` in the manifests (TETHER_PROFILE)',
  );
}

export function withNetworkFlags(command: Command): Command {
  return withLockTimeout(withManifestFlags(command))
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

export function withShowFlags(command: Command): Command {
  return withNetworkFlags(command).addOption(
    repeatable('--only <address>', 'show only this address, ledger key or id (repeatable)'),
  );
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
    .option('--host <address>', 'address to listen on (default: the loopback)')
    .option('--profile <name|file>', 'profile of the service (default: default)')
    .addOption(
      repeatable('--behaviour <name=value>', 'override a behaviour the API leaves open (repeatable)'),
    )
    .option('--admin', 'also open the admin port');
}

function repeatable(flags: string, description: string): Option {
  return new Option(flags, description).argParser(collect).default([], 'none');
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function report(value: string, before: readonly Report[]): readonly Report[] {
  const at = value.indexOf('=');
  const format = value.slice(0, at);
  const file = value.slice(at + 1);
  if (at < 1 || file === '')
    throw new InvalidArgumentError('Expected FORMAT=FILE, such as json=report.json.');
  if (format !== 'json') throw new InvalidArgumentError(`Unknown format ${format} (supported: json).`);
  return [...before, { format, file: output(file) }];
}

/** A file that a command writes: a typing error must not cost a manifest or a ledger. */
function output(file: string): string {
  const name = basename(file);
  const isKept = isManifestName(name) || name.startsWith(ledgerName);
  if (!isKept) return file;
  throw new InvalidArgumentError('This would overwrite a manifest or a ledger; choose another name.');
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
