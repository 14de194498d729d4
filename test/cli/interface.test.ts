/** The commands and flags, all of them: one more is a cost, and needs a decision. */
import assert from 'node:assert/strict';
import { Command } from 'commander';
import { addCommands } from '../../cli/run';

const output = ['--json', '--report', '--no-color', '-q', '-v'];
const network = [...output, '--profile', '--lock-timeout', '--address', '--rate', '--timeout'];
const planning = [...network, '--max-deletes', '--accept-missing', '--write-secrets'];

const commands: Readonly<Record<string, readonly string[]>> = {
  'validate [path...]': [...output, '--profile'],
  'plan [folder]': [...planning, '--detailed-exitcode'],
  'apply [folder]': [...planning, '--expect', '--yes'],
  'drift [folder]': network,
  'destroy [folder]': [...planning, '--yes'],
  'show [folder]': [...network, '--only'],
  'export [folder]': [...network, '--organization', '--pulumi'],
  'graph [folder]': [...output, '--profile'],
  schema: output,
  'ledger show': [...output, '--lock-timeout'],
  'ledger unlock <token>': output,
  serve: ['--seed', '--port', '--host', '--profile', '--behaviour', '--admin'],
};

describe('the command line', () => {
  const program = new Command('tether');
  addCommands(program, async () => {});
  const all = program.commands.flatMap((one) => (one.commands.length > 0 ? one.commands : [one]));
  const nameOf = (one: Command): string =>
    [one.parent === program ? '' : one.parent?.name(), one.name(), one.usage().replace(/\[options\] ?/, '')]
      .filter((part) => part !== '' && part !== undefined)
      .join(' ');

  it('has these commands with these flags, each under one name', () => {
    const found = all.map((one): [string, string[]] => [
      nameOf(one),
      one.options.map(({ flags }) => flags.split(/ [<[]/)[0] ?? '').sort(),
    ]);
    const wanted = Object.entries(commands).map(([name, flags]): [string, string[]] => [
      name,
      [...flags].sort(),
    ]);
    assert.deepEqual(Object.fromEntries(found), Object.fromEntries(wanted));
  });
});
