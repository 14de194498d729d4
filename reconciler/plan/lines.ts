/** Lines of the manifests that are wrong or obsolete, as only ledger and service show. Pure. */
import { approvalLine, type DesiredEntry, endOfMoves, type LimitApproval } from '../../manifest/desired';
import type { Issue, Position, ResourceDefinition } from '../../resources/kind';
import { suggestAddress } from '../../resources/names';
import { allObjects, type Context, canonicalAddress } from './context';
import type { Step } from './plan';
import { stepId } from './steps';

/** What is wrong with an end that is an id, as one sentence; null when nothing is, or it is unknown. */
export function wrongEnd(
  context: Context,
  definition: ResourceDefinition,
  entry: DesiredEntry,
): string | null {
  for (const { id, kind } of endsById(context, definition, entry)) {
    const leaving = leavingKey(context, id);
    if (leaving !== null && !isForgotten(context, leaving)) {
      return `${entry.address} needs ${id}, which is ${leaving} in the ledger, and that is not in the manifests any more: remove this line too, or let the client go with \`forget: [${leaving}]\``;
    }
    const all = allObjects(context, kind);
    const found = all?.find((one) => one.id === id);
    if (all !== null && found === undefined) {
      return `${entry.address} needs ${id}, which does not exist: correct the line, or remove it`;
    }
    const organization = found?.values.organization ?? context.organization;
    if (organization !== context.organization) {
      return `${entry.address} needs ${id}, which belongs to organization ${String(organization)}: correct the line, or remove it`;
    }
  }
  return null;
}

/** Ids of the steps that forget an object at an end of the link: after them the line adopts the link again. */
export function forgetSteps(
  context: Context,
  definition: ResourceDefinition,
  entry: DesiredEntry,
): readonly string[] {
  return endsById(context, definition, entry).flatMap(({ id }) => {
    const leaving = leavingKey(context, id);
    return leaving !== null && isForgotten(context, leaving) ? [stepId('forget', leaving)] : [];
  });
}

function endsById({ registry }: Context, { fields, pair }: ResourceDefinition, { inputs }: DesiredEntry) {
  return pair.flatMap((field) => {
    const id = inputs[field];
    const kind = registry.find((one) => one.kind === fields[field]?.refersTo);
    return typeof id === 'string' && kind !== undefined ? [{ id, kind }] : [];
  });
}

/** The address under which the ledger has an object that no manifest wants. */
function leavingKey({ bindings, keyOfId }: Context, id: string): string | null {
  const key = keyOfId.get(id);
  return key === undefined || bindings.boundKeys.has(key) ? null : key;
}

function isForgotten({ desired }: Context, key: string): boolean {
  return desired.forget.some(({ address }) => address === key);
}

/** Warnings for lines that have nothing left to do. `endings`: the steps that delete, replace or forget. */
export function obsoleteLines(context: Context, endings: readonly Step[]): readonly Issue[] {
  const { bindings, desired, options } = context;
  if (options.destroy) return [];
  const keysOf = (some: readonly Step[]) => new Set(some.flatMap(({ address, key }) => [address, key]));
  const forgetting = keysOf(endings.filter(({ reason }) => reason === 'told-to-forget'));
  const deleting = keysOf(endings.filter(({ action }) => action === 'delete'));
  const approved = new Set(
    endings.map(({ approval, address }) => approval && `${approval.action} ${address} ${approval.id}`),
  );
  // A replacement that was interrupted goes on without its line, which is obsolete only when the old object is gone.
  const finishing = new Set(
    endings.flatMap(({ reason, objectId }) => (reason === 'replaced' ? [objectId] : [])),
  );
  const moves = desired.moved.filter(({ from, to }) => bindings.obsoleteMoves.has(`${from} ${to}`));
  const forgets = desired.forget.filter(
    ({ address }) => !forgetting.has(address) && !forgetting.has(canonicalAddress(context, address)),
  );
  return [
    ...moves.map(({ from, to, at }) => obsolete(obsoleteMove(context, from, to), at)),
    ...forgets.map(({ address, at }) => obsolete(obsoleteForget(context, deleting, address), at)),
    ...desired.approved.flatMap((line) => {
      if ('serial' in line || line.at === undefined) return [];
      const { action, address, id, at } = line;
      if (approved.has(`${action} ${address} ${id}`) || finishing.has(id)) return [];
      const done = action === 'destroy' ? 'destroyed' : 'replaced';
      return obsolete(
        `nothing is to be ${done} as ${address} with id ${id}: remove the \`approved\` line`,
        at,
      );
    }),
  ];
}

function obsoleteMove({ ledger, desired }: Context, from: string, to: string): string {
  const move = `the move from ${from} to ${to}`;
  const isDone = ledger.objects[endOfMoves(desired.moved, to)] !== undefined;
  return isDone
    ? `${move} is done: remove the line`
    : `${move} has nothing to move, the ledger knows neither: correct the line, or remove it`;
}

function obsoleteForget(context: Context, deleting: ReadonlySet<string>, address: string): string {
  const { ledger, bindings, objectEntries, linkEntries } = context;
  const key = canonicalAddress(context, address);
  if ([...objectEntries, ...linkEntries].some((entry) => canonicalAddress(context, entry.address) === key)) {
    return `${address} is in the manifests, so it stays: remove the \`forget\` line, or the other one`;
  }
  if (deleting.has(key)) {
    return `${address} is deleted all the same, because an exact set covers it: list it there, or remove the \`forget\` line`;
  }
  const abandoned = Object.keys(ledger.objects).filter((one) => !bindings.boundKeys.has(one));
  return `the ledger does not hold ${address}, or not any more: remove the \`forget\` line${suggestAddress(address, abandoned)}`;
}

/** Lines that raise a limit: one for another serial approves nothing any more, one that nothing needs would approve what nobody has seen. */
export function obsoleteLimits(
  { desired, ledger: { serial }, options }: Context,
  action: LimitApproval['action'],
  isNeeded: boolean,
): readonly Issue[] {
  if (options.destroy) return [];
  return desired.approved.flatMap((line) => {
    if (line.action !== action || line.at === undefined || (line.serial === serial && isNeeded)) return [];
    const text = `\`${approvalLine(line)}\``;
    const message =
      line.serial === serial
        ? `nothing here needs ${text}: remove the line`
        : `${text} is obsolete: the ledger is at serial ${serial}. Remove the line`;
    return obsolete(message, line.at);
  });
}

function obsolete(message: string, at: Position): Issue {
  return { rule: 'spent-line', severity: 'warning', message, path: '', at };
}
