/** Limits that stop an apply before its first write when a plan takes away, or makes again, more than anybody meant. Pure. */
import { approvalLine, type LimitApproval } from '../../manifest/desired';
import type { LedgerObject } from '../ledger/ledger';
import { type Context, definitionFor } from './context';
import type { Draft } from './draft';
import type { Step, Stop } from './plan';

/** Deletes and detaches, unmanaged ones in exact sets counted, against max(5, 30 %), or all that there are of several. */
export function deleteGuard(context: Context, draft: Draft): readonly Stop[] {
  const deletes = draft.steps.filter((step) => step.action === 'delete');
  const foreign = deletes.filter((step) => step.foreign).length;
  const objects = Object.keys(context.ledger.objects).length + foreign;
  const count = deletes.length;
  const all = allOf(context, draft, deletes);
  const rule = Math.max(5, Math.floor(objects * 0.3));
  const explicit = Math.max(context.options.maxDeletes ?? 0, approvedFor(context, 'deletes'));
  const limit = Math.max(context.options.maxDeletes ?? rule, approvedFor(context, 'deletes'));
  warnOfObsolete(context, draft, 'deletes', all !== null || count > rule);
  const deletions = `${count} ${count === 1 ? 'delete' : 'deletes'}`;
  if (count > (all === null ? limit : explicit)) {
    const why = all === null ? `${deletions} (limit ${limit})` : `${deletions}, which is all that ${all}`;
    return [stop(context, 'too-many-deletes', why, { action: 'deletes', count })];
  }
  if (count > 0) {
    const text = `${deletions}${foreign === 0 ? '' : ` (${foreign} foreign)`}, and ${limit} are allowed`;
    draft.notes.push({ address: '', code: 'deletes', text: all === null ? text : deletions });
  }
  return [];
}

/** Wanted objects that are missing at once, against max(3, 10 %): a wrong organization or a restored service looks like this. */
export function missingGuard(context: Context, draft: Draft): readonly Stop[] {
  const wanted = draft.inLedger.length;
  const count = draft.vanished.length;
  const rule = Math.max(3, Math.floor(wanted * 0.1));
  const limit = Math.max(context.options.acceptMissing ?? rule, approvedFor(context, 'missing'));
  warnOfObsolete(context, draft, 'missing', count > rule);
  if (count <= limit) return [];
  const why = `${count} of ${wanted} wanted objects are missing at once (limit ${limit}): ${shortList(draft.vanished)}. They would be made again`;
  return [stop(context, 'too-many-missing', why, { action: 'missing', count })];
}

const flags = { deletes: '--max-deletes', missing: '--accept-missing' } as const;

function stop(
  context: Context,
  code: Stop['code'],
  why: string,
  { action, count }: Pick<LimitApproval, 'action' | 'count'>,
): Stop {
  const line = approvalLine({ action, count, serial: serialOf(context) });
  const message = `${why}. If all of that is meant, add this line under \`approved:\`, or give ${flags[action]} ${count}:\n    - ${line}`;
  return { code, message };
}

function serialOf({ ledger }: Context): number {
  return ledger.serial;
}

/** What the lines for this very serial allow; 0 without one. */
function approvedFor(context: Context, action: LimitApproval['action']): number {
  const counts = context.desired.approved.flatMap((line) =>
    line.action === action && line.serial === serialOf(context) ? line.count : [],
  );
  return Math.max(0, ...counts);
}

/** A line for another serial approves nothing any more, and one that nothing needs would approve what nobody has seen. */
function warnOfObsolete(
  context: Context,
  draft: Draft,
  action: LimitApproval['action'],
  needed: boolean,
): void {
  if (context.options.destroy) return;
  const serial = serialOf(context);
  for (const line of context.desired.approved) {
    if (line.action !== action || line.at === undefined || (line.serial === serial && needed)) continue;
    const text = `\`${approvalLine(line)}\``;
    const message =
      line.serial === serial
        ? `nothing here needs ${text}: remove the line`
        : `${text} is obsolete: the ledger is at serial ${serial}. Remove the line`;
    draft.warnings.push({ rule: 'spent-line', severity: 'warning', message, path: '', at: line.at });
  }
}

/**
 * What the plan takes all of, when that is more than one: the ledger's objects, or these and the unmanaged ones in exact sets.
 * Null when something is kept, let go, or made again, or when a set that covers something lists something.
 */
function allOf(context: Context, draft: Draft, deletes: readonly Step[]): string | null {
  const idsOf = (some: readonly Step[]) => new Set(some.flatMap((step) => step.objectId ?? []));
  const missing = idsOf(draft.steps.filter((step) => step.reason === 'already-gone'));
  const deleted = idsOf(deletes.filter((step) => step.reason !== 'replaced'));
  const held = Object.values(context.ledger.objects).filter((object) => !missing.has(object.id));
  const isGoing = ({ kind, id, values }: LedgerObject): boolean => {
    const ends = definitionFor(context, { kind }).pair.map((field) => values[field]);
    return [id, ...ends].some((one) => typeof one === 'string' && deleted.has(one));
  };
  const foreign = deletes.filter((step) => step.foreign).length;
  if (deletes.length < 2 || !held.every(isGoing)) return null;
  if (foreign === 0 || draft.keptBySets.length > 0) return held.length > 1 ? 'this ledger holds' : null;
  return held.length === 0 ? 'its exact sets cover' : 'this ledger holds and its exact sets cover';
}

function shortList(addresses: readonly string[]): string {
  return addresses.length <= 5 ? addresses.join(', ') : `${addresses.slice(0, 5).join(', ')}, …`;
}
