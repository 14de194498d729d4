/** Lines of manifests that have nothing left to do, or mislead, as only ledger and service show. */
import { approvalLine, endOfMoves, type LimitApproval } from '../../manifest/desired';
import type { Issue, Position } from '../../resources/kind';
import { suggestAddress } from '../../resources/names';
import { runTrigger } from '../../resources/run-trigger';
import { type Context, isForLedgerState, ledgerStateOf } from './context';
import type { Step } from './plan';

export function lineWarnings(context: Context, steps: readonly Step[]): readonly Issue[] {
  const { desired, options } = context;
  if (options.destroy) return [];
  const keysOf = (some: readonly Step[]) => new Set(some.map(({ key }) => key));
  const forgetting = keysOf(steps.filter(({ reason }) => reason === 'forget-line'));
  const deleting = keysOf(steps.filter(({ action }) => action === 'delete'));
  const approved = new Set(
    steps.map(({ approval, address }) => approval && `${approval.action} ${address} ${approval.id}`),
  );
  // An interrupted replacement goes on without its line, which is obsolete once the old object is gone.
  const finishing = new Set(steps.map(({ reason, objectId }) => reason === 'replaced' && objectId));
  const forgets = desired.forget.filter(({ address }) => !forgetting.has(context.keyOf(address)));
  const entries = forgets.length === 0 ? [] : [...context.objectEntries, ...context.linkEntries];
  const wanted = new Set(entries.map(({ address }) => context.keyOf(address)));
  return [
    ...misleadingAliases(context),
    ...obsoleteMoves(context),
    ...forgets.map(({ address, at }) => obsolete(obsoleteForget(context, { deleting, wanted }, address), at)),
    ...desired.approved.flatMap((line) => {
      if ('serial' in line || line.at === undefined) return [];
      const { action, address, id, at } = line;
      if (approved.has(`${action} ${address} ${id}`) || finishing.has(id)) return [];
      // A secret whose value is not at hand may turn out to be changed.
      const mayChange = Object.values(context.secrets[address] ?? {}).includes('not-compared');
      if (action === 'replace' && mayChange && context.keyOfId.get(id) === address) return [];
      const done = action === 'destroy' ? 'destroyed' : 'replaced';
      return obsolete(
        `nothing is to be ${done} as ${address} with id ${id}: remove the \`approved\` line`,
        at,
      );
    }),
  ];
}

/** A line that moves nothing may be part of a chain that another line still needs: `a` to `b`, and `b` to `c`. */
function obsoleteMoves({ ledger: { objects }, desired: { moved } }: Context) {
  const isMoving = ({ from }: { from: string }) => objects[from] !== undefined;
  const needed = new Set(moved.filter(isMoving).map(({ to }) => endOfMoves(moved, to)));
  return moved.flatMap((line) => {
    const { from, to, at } = line;
    const end = endOfMoves(moved, to);
    if (isMoving(line) || needed.has(end)) return [];
    const rest =
      objects[end] !== undefined
        ? 'is done: remove the line'
        : 'has nothing to move, the ledger knows neither: correct the line, or remove it';
    return obsolete(`the move from ${from} to ${to} ${rest}`, at);
  });
}

function obsoleteForget(
  context: Context,
  { deleting, wanted }: Readonly<Record<'deleting' | 'wanted', ReadonlySet<string>>>,
  address: string,
) {
  const { ledger, bindings } = context;
  const key = context.keyOf(address);
  if (wanted.has(key)) {
    return `${address} is in the manifests, so it stays: remove the \`forget\` line, or the other one`;
  }
  if (deleting.has(key)) {
    return `${address} is deleted all the same, because an exact set covers it: list it there, or remove the \`forget\` line`;
  }
  const abandoned = Object.keys(ledger.objects).filter((one) => !bindings.boundKeys.has(one));
  return `the ledger does not hold ${address}, or not any more: remove the \`forget\` line${suggestAddress(address, abandoned)}`;
}

/** Lines that raise a limit for another serial or ledger, or where nothing needs it: they would approve what nobody has seen. */
export function obsoleteLimits(context: Context, action: LimitApproval['action'], isNeeded: boolean) {
  const { desired, options } = context;
  const { serial, lineage } = ledgerStateOf(context.ledger);
  if (options.destroy) return [];
  return desired.approved.flatMap((line) => {
    if (line.action !== action || line.at === undefined) return [];
    const isCurrent = isForLedgerState(context.ledger, line);
    if (isCurrent && isNeeded) return [];
    const text = `\`${approvalLine(line)}\``;
    const message = isCurrent
      ? `nothing here needs ${text}: remove the line${action === 'deletes' ? ', unless it is for a destroy' : ''}`
      : `${text} is obsolete: the ledger is at serial ${serial}${lineage ? ` of lineage ${lineage}` : ''}. Remove the line`;
    return obsolete(message, line.at);
  });
}

/** Aliases of workspaces that are called otherwise, where only what is read of run triggers shows names. */
function misleadingAliases({ desired, observed }: Context): readonly Issue[] {
  const aliases = Object.entries(desired.profile.capabilities.lookupByName ? {} : desired.aliases.workspaces);
  if (aliases.length === 0) return [];
  const items = Object.values(observed.lists).flatMap((list) => (list.state === 'read' ? list.items : []));
  const names = new Map<unknown, unknown>();
  for (const { values, outputs } of runTrigger.find(items, {})) {
    names.set(values.workspaceId, outputs.workspaceName).set(values.sourceableId, outputs.sourceableName);
  }
  return aliases.flatMap(([alias, id]): Issue[] => {
    const name = names.get(id);
    // A service that does not say a name may say the id.
    if (typeof name !== 'string' || name === alias || name === id) return [];
    const { at } = desired.written.get(id) ?? {};
    const message = `alias \`${alias}\` (${id}) is called \`${name}\` there`;
    return [{ rule: 'alias-name', severity: 'warning', message, path: '', ...(at && { at }) }];
  });
}

function obsolete(message: string, at: Position): Issue {
  return { rule: 'obsolete-line', severity: 'warning', message, path: '', at };
}
