/** The reference of the command line, from the commands and flags it is made of. */
import { Command } from 'commander';
import { addCommands } from '../../cli/run';
import { ledgerFileName } from '../../reconciler/ledger/disk';

const intro = `<!-- Generated from the commands: do not edit. -->
# Commands

\`tether COMMAND --help\` says the same. Exit codes: 0 done, or nothing to do · 1 error, or something could not be seen or has a problem ·
2 drift found (\`drift\`), or changes (\`plan --detailed-exitcode\`) · 130 interrupted. The result is on stdout, everything else on stderr.

| Variable | Meaning |
|---|---|
| \`TETHER_ADDRESS\` | base URL of the service, with \`/api/v2\` |
| \`TETHER_TOKEN\`, \`TETHER_TOKEN_FILE\` | the token, or a file that holds it; never a flag |
| \`TETHER_PROFILE\` | as \`--profile\` |
| \`HTTPS_PROXY\`, \`NO_PROXY\` | the proxy, and the hosts that are reached without it ([more](../pipelines.md#behind-a-proxy)) |`;

const remarks = `## Which ledger

\`${ledgerFileName}\` in the folder that the command was given. One above or below it in the repository is an error: a folder
with everything below it has one ledger ([why](../decisions/0035-one-folder-one-ledger.md)).

## Only the plan that was reviewed

\`plan\` prints a digest over everything that decides what would be written; of a secret that is which one, not its value.
\`apply --expect DIGEST\` plans again, and where the digest is another shows the current plan and stops before its first write.
Give both commands the same flags. The digest approves nothing.

## What stops an apply

It stops before its first write, and says which flag or line lets it through:

- destroying or replacing a connection without approval: the line that the plan prints, under \`approved:\` in a manifest;
- what \`protect: true\` holds, whatever is approved;
- more deletes than 5 or 30 % of what an organization has, whichever is more, or all of several objects that the ledger holds
  (and that exact sets cover, where these are to be empty): the line \`{ deletes: N, serial: S, lineage: L }\` that the plan prints, under
  \`approved:\`, or \`--max-deletes\` by hand;
- more wanted objects missing at once than 3 or 10 %, whichever is more: the line \`{ missing: N, serial: S, lineage: L }\`, or
  \`--accept-missing\`;
- a secret that has to be written and is not set.

## What programs read

[JSON documents, exit codes, error codes and rule codes](json.md).`;

/** Markdown of all commands, those of groups included, in the order of the help. */
export function commandReference(): string {
  const program = new Command('tether');
  addCommands(program, async () => {});
  const commands = program.commands.flatMap((one) => (one.commands.length > 0 ? one.commands : [one]));
  const all = ['| Command | Does |', '|---|---|', ...commands.map(commandRow)].join('\n');
  return `${[intro, all, '## Flags', flagTable(commands), remarks].join('\n\n')}\n`;
}

function commandRow(command: Command): string {
  const args = command.registeredArguments.map((one) => {
    const name = one.name().toUpperCase() + (one.variadic ? '…' : '');
    return one.required ? ` ${name}` : ` [${name}]`;
  });
  return `| \`tether ${nameOf(command)}${args.join('')}\` | ${command.description()} |`;
}

/** One row for each flag, with the commands that have it. */
function flagTable(commands: readonly Command[]): string {
  const owners = new Map<string, string[]>();
  for (const command of commands) {
    for (const { flags, description } of command.options) {
      const row = `| \`${flags.replaceAll('|', '\\|')}\` | ${description} |`;
      owners.set(row, [...(owners.get(row) ?? []), nameOf(command)]);
    }
  }
  const allButOne = commands.length - 1;
  const rows = [...owners].map(([row, names]) => {
    const missing = commands.map(nameOf).filter((name) => !names.includes(name));
    return `${row} ${names.length === allButOne ? `all but ${missing.join()}` : names.join(', ')} |`;
  });
  return ['| Flag | Meaning | Of |', '|---|---|---|', ...rows].join('\n');
}

function nameOf(command: Command): string {
  const group = command.parent?.name();
  return group === undefined || group === 'tether' ? command.name() : `${group} ${command.name()}`;
}
