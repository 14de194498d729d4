/** The flags of all commands, with their checks; and which ones belong together. */
import { basename } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { isManifestName } from '../manifest/desired';
import { ledgerFileName } from '../reconciler/ledger/disk';

class Flag<Value = true> extends Option {
  declare readonly value: Value;
}

/** Its value is checked; of one that may be repeated, `before` is what it was so far. */
function parsed<Value>(usage: string, does: string, parse: (text: string, before?: Value) => Value) {
  return new Flag<Value>(usage, does).argParser(parse);
}

/** The number that is written so, if it is in bounds. */
function asNumber(value: string, form: RegExp, expected: string, inBounds = (_: number) => true): number {
  if (form.test(value) && inBounds(Number(value))) return Number(value);
  throw new InvalidArgumentError(`Expected ${expected}.`);
}

const digits = /^\d{1,9}$/;
const decimals = /^\d{1,9}(\.\d+)?$/;
const whole = (value: string) => asNumber(value, digits, 'a whole number, 0 or more');
const notNegative = (value: string) => asNumber(value, decimals, 'a number, 0 or more');
const positive = (value: string) => asNumber(value, decimals, 'a number above 0', (number) => number > 0);
const port = (value: string) => asNumber(value, digits, 'a port, 0 to 65535', (number) => number <= 65_535);

/** Where a result is written besides; Markdown by the commands that a reviewer reads. */
export interface Report {
  readonly format: string;
  readonly file: string;
}

/** By the names that commander gives them. */
export const flags = {
  json: new Flag('--json', 'print one JSON document on stdout and nothing else'),
  report: reportIn(['json']),
  color: new Flag<boolean>('--no-color', 'no colour (also NO_COLOR)'),
  q: new Flag('-q', 'only errors on stderr; of `validate` no warnings'),
  v: parsed(
    '-v',
    'log every request and their total to stderr, and leave nothing out of plans (-vv: stack traces of internal errors too)',
    (_, before: number | undefined) => (before ?? 0) + 1,
  ),
  profile: new Flag<string>(
    '--profile <name|file>',
    'service profile; overrides `profile:` in the manifests (TETHER_PROFILE)',
  ),
  lockTimeout: parsed(
    '--lock-timeout <seconds>',
    'how long to wait for a locked ledger (default: 0)',
    notNegative,
  ),
  address: new Flag<string>('--address <url>', 'base URL of the service, with /api/v2 (TETHER_ADDRESS)'),
  rate: parsed(
    '--rate <number>',
    "requests per second (default: 29/30 of the profile's limit, at most 29; less where others use it too)",
    positive,
  ),
  timeout: parsed('--timeout <seconds>', 'time limit for one request (default: 30)', positive),
  maxDeletes: parsed(
    '--max-deletes <number>',
    'allow up to this many deletes (default: 5 or 30 %, whichever is more)',
    whole,
  ),
  acceptMissing: parsed(
    '--accept-missing <number>',
    'continue although up to this many managed objects have disappeared (default: 3 or 10 %, whichever is more)',
    whole,
  ),
  writeSecrets: new Flag('--write-secrets', 'write every secret that an update can carry, changed or not'),
  detailedExitcode: new Flag('--detailed-exitcode', 'exit code 2 when there are changes'),
  expect: parsed(
    '--expect <digest>',
    'apply only the plan with this digest, as printed by plan',
    (digest: string) => digest.trim().toLowerCase(),
  ),
  yes: new Flag('--yes', 'skip the confirmation'),
  organization: new Flag<string>(
    '--organization <name>',
    'whose clients and triggers, where no manifest of the folder says it',
  ),
  pulumi: new Flag(
    '--pulumi',
    'write nothing, and print what is not managed here as the list that `pulumi import --file` reads',
  ),
  only: parsed('--only <address>', 'show only this address, ledger key or id (repeatable)', oneMore),
  seed: new Flag<string>('--seed <file>', 'what exists at the start (default: a small organization `demo`)'),
  port: parsed('--port <number>', 'port of the API (default: a free one)', port),
  host: new Flag<string>('--host <address>', 'address to listen on (default: 127.0.0.1)'),
  behaviour: parsed(
    '--behaviour <name=value>',
    'override a behaviour the API leaves open (repeatable)',
    oneMore,
  ),
  admin: new Flag('--admin', 'also open the admin port'),
};

/** Those that were given. */
export type Flags = { readonly [Name in keyof typeof flags]?: (typeof flags)[Name]['value'] };

/** Of every command that prints a result. */
export const output = [flags.json, flags.report, flags.color, flags.q, flags.v];
export const manifests = [...output, flags.profile];
export const locking = [flags.lockTimeout];
export const network = [...manifests, ...locking, flags.address, flags.rate, flags.timeout];
/** Network commands that a reviewer reads. */
export const reviewed = [reportIn(['json', 'markdown']), ...network.filter((one) => one !== flags.report)];
export const planning = [...reviewed, flags.maxDeletes, flags.acceptMissing, flags.writeSecrets];
export const serving = [
  flags.seed,
  flags.port,
  flags.host,
  new Flag<string>('--profile <name|file>', 'profile of the service (default: default)'),
  flags.behaviour,
  flags.admin,
];

function oneMore(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function reportIn(formats: readonly string[]) {
  const known = formats.join(', ');
  const does = `also write a report to a file; format: ${known} (repeatable)`;
  return parsed('--report <format=file>', does, (value, before: readonly Report[] = []) => {
    const [, format = '', file = ''] = /^([^=]+)=(.+)$/s.exec(value) ?? [];
    if (file === '') {
      throw new InvalidArgumentError('Expected FORMAT=FILE, such as json=report.json.');
    }
    if (!formats.includes(format)) {
      throw new InvalidArgumentError(`Unknown format ${format} (supported: ${known}).`);
    }
    // A typing error must not cost a manifest or a ledger.
    if (isManifestName(basename(file)) || basename(file).startsWith(ledgerFileName)) {
      throw new InvalidArgumentError('This would overwrite a manifest or a ledger; choose another name.');
    }
    return [...before, { format, file }];
  });
}
