/**
 * The flags of all commands, and the numbers that environment variables give. The name of a flag here is its long name in camel case, as the
 * command line parser returns it.
 */
import { InvalidArgumentError, Option } from 'commander';
import type { SettingSource } from '../client/account';
import { UserError } from './errors';

class Flag<Value = true> extends Option {
  declare readonly value: Value;
}

function parsed<Value>(usage: string, does: string, parse: (text: string, before?: Value) => Value) {
  return new Flag<Value>(usage, does).argParser(parse);
}

const forms = {
  whole: { form: /^\d{1,9}$/, expected: 'a whole number, 0 or more', min: 0 },
  notNegative: { form: /^\d{1,9}(\.\d+)?$/, expected: 'a number, 0 or more', min: 0 },
  positive: { form: /^\d{1,9}(\.\d+)?$/, expected: 'a number above 0', min: Number.MIN_VALUE },
} as const;

type Form = keyof typeof forms;

/** Throws the error that `refuse` makes of the expected form. */
function parseNumber(text: string, name: Form, refuse: (expected: string) => Error): number {
  const { form, expected, min } = forms[name];
  if (form.test(text) && Number(text) >= min) return Number(text);
  throw refuse(expected);
}

function asNumber(form: Form) {
  const refuse = (expected: string) => new InvalidArgumentError(`Expected ${expected}.`);
  return (text: string) => parseNumber(text, form, refuse);
}

/** Throws a `UserError` that names the variable. */
export function numberVariable(source: Pick<SettingSource, 'variable'>, name: string, form: Form) {
  const text = source.variable(name);
  const refuse = (expected: string) => new UserError(`${name} is "${text}": expected ${expected}`);
  return text === undefined ? undefined : parseNumber(text, form, refuse);
}

function parsePair(text: string, before: Readonly<Record<string, string>> = {}) {
  const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === '') throw new InvalidArgumentError('Expected NAME=VALUE.');
  return { ...before, [name]: value };
}

export const flags = {
  json: new Flag('--json', 'print one JSON document on stdout and nothing else'),
  markdown: new Flag<string>('--markdown <file>', 'also write a report for a pull request or an issue'),
  q: new Flag('-q', 'on stderr, print errors only'),
  v: parsed<number>('-v', 'log requests to stderr (-vv: also stack traces)', (_, before = 0) => before + 1),
  profile: new Flag<string>(
    '--profile <name|file>',
    'service profile; overrides that of the manifests (TETHER_PROFILE)',
  ),
  lockTimeout: parsed('--lock-timeout <seconds>', 'time to wait for the lock', asNumber('notNegative')),
  address: new Flag<string>('--address <url>', 'base URL of the service, with /api/v2 (TETHER_ADDRESS)'),
  maxDeletes: parsed('--max-deletes <n>', 'allow up to n losses (TETHER_MAX_DELETES)', asNumber('whole')),
  detailedExitcode: new Flag('--detailed-exitcode', 'exit code 2 when there are changes'),
  expect: parsed('--expect <digest>', 'apply only the plan with this digest', (text: string) => text.trim()),
  yes: new Flag('--yes', 'skip the confirmation'),
  organization: new Flag<string>('--organization <name>', 'the organization to export').makeOptionMandatory(),
  pulumi: new Flag('--pulumi', 'print a TypeScript program that adopts everything'),
  seed: new Flag<string>('--seed <file>', 'what exists at the start (default: a small organization `demo`)'),
  port: parsed('--port <number>', 'port of the API (default: a free one)', asNumber('whole')),
  behaviour: parsed('--behaviour <name=value>', 'choose a behaviour the API leaves open', parsePair),
  admin: new Flag('--admin', 'also open the admin port'),
};

export type Flags = { readonly [Name in keyof typeof flags]?: (typeof flags)[Name]['value'] };

const printing = [flags.json, flags.q, flags.v];
const network = [...printing, flags.profile, flags.address];
/** A printed `Next:` repeats these. It may name `plan`, `apply` or `destroy`, and they all take them. */
export const repeatedFlags = [flags.profile, flags.address, flags.maxDeletes];
const planning = [...printing, ...repeatedFlags, flags.markdown];

export const commandFlags = {
  validate: [...printing, flags.markdown, flags.profile],
  plan: [...planning, flags.detailedExitcode],
  apply: [...planning, flags.lockTimeout, flags.yes, flags.expect],
  drift: [...network, flags.markdown],
  destroy: [...planning, flags.lockTimeout, flags.yes],
  show: network,
  export: [...network, flags.organization, flags.pulumi],
  graph: [...printing, flags.profile],
  schema: [flags.json],
  'ledger show': [...printing, flags.profile],
  'ledger unlock': [...printing, flags.profile],
  'ledger move': [...printing, flags.profile],
  serve: [flags.seed, flags.port, flags.profile, flags.behaviour, flags.admin],
} as const;
