/** The commands with their flags and help; each loads its module only when it runs, so that starting stays fast. */
import type { Command } from 'commander';
import type { Dispatch } from './call';
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

export function addCommands(program: Command, dispatch: Dispatch): void {
  const folder = ['[folder]', 'folder of the manifests and their ledger (default: .)'] as const;
  withManifestFlags(program.command('validate'))
    .description('find every mistake in the manifests; no network, no token, no secret')
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
    .description('plan, show, ask, apply')
    .argument(...folder)
    .allowExcessArguments()
    .option('--expect <digest>', 'apply only the plan with this digest, which plan prints')
    .option('--yes', 'do not ask')
    .action((_: unknown, flags: ApplyFlags, { args }: Command) =>
      dispatch('apply', flags, args, async (call) => (await import('./commands/apply.js')).apply(call)),
    );
  withNetworkFlags(program.command('drift'))
    .description('what was changed elsewhere since the last apply; changes nothing. Exit code 2: drift')
    .argument(...folder)
    .allowExcessArguments()
    .action((_: unknown, flags: NetworkFlags, { args }: Command) =>
      dispatch('drift', flags, args, async (call) => (await import('./commands/drift.js')).drift(call)),
    );
  withPlanFlags(program.command('destroy'))
    .description(
      'delete all that is ours there, but for what a `forget` line lets go; same approvals, same guards',
    )
    .argument(...folder)
    .allowExcessArguments()
    .option('--yes', 'do not ask')
    .action((_: unknown, flags: ApplyFlags, { args }: Command) =>
      dispatch('destroy', flags, args, async (call) => (await import('./commands/apply.js')).destroy(call)),
    );
  withShowFlags(program.command('show'))
    .description('what exists: ids, callback URL, connect path, token ids, all readable fields')
    .argument(...folder)
    .allowExcessArguments()
    .action((_: unknown, flags: ShowFlags, { args }: Command) =>
      dispatch('show', flags, args, async (call) => (await import('./commands/show.js')).show(call)),
    );
  withOutputFlags(program.command('schema'))
    .description('the JSON Schema of manifests, for editors')
    .action((flags: OutputFlags) =>
      dispatch('schema', flags, [], async (call) => (await import('./commands/schema.js')).schema(call)),
    );
  addLedgerCommands(program, dispatch);
  addServe(program, dispatch);
}

function addLedgerCommands(program: Command, dispatch: Dispatch): void {
  const ledger = program.command('ledger').description('look into the ledger, or free its lock; no network');
  const add = (name: string, description: string): Command =>
    withOutputFlags(ledger.command(name).description(description));
  withLockTimeout(add('show', 'what the ledger holds')).action((flags: LedgerFlags) =>
    dispatch('ledger show', flags, [], async (call) => (await import('./commands/ledger.js')).show(call)),
  );
  add('unlock', 'free the lock of a process that you know has ended')
    .argument('<token>', 'the token that the message about the lock names')
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
