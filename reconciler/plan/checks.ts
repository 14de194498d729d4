/** What stops an apply before its first write: protection, missing approvals, too much that goes or is missing. Pure. */
import { approvalLine, type LimitApproval, type ObjectApproval } from '../../manifest/desired';
import type { Observed } from '../../observation/evidence';
import { unlinkedBy } from '../../resources/oauth-client';
import type { LedgerObject } from '../ledger/ledger';
import type { Context } from './context';
import { obsoleteLimits } from './lines';
import type { Blocker, Plan, Step } from './plan';

export type Affected = Observed['affected'];

export interface Unchecked {
  readonly context: Context;
  /** The steps that delete, replace or forget. */
  readonly endings: readonly Step[];
  /** How many wanted objects the ledger has. */
  readonly held: number;
  /** Addresses of those that are missing at once. */
  readonly missing: readonly string[];
  /** Whether no exact set that has members today lists anything. */
  readonly emptiesSets: boolean;
}

export type Checked = Pick<Plan, 'blockers' | 'warnings' | 'notes'>;

/** Every reason why an apply would not start, each with what lifts it. */
export function checkPlan(plan: Unchecked, affected: Affected): Checked {
  const deletes = deleteLimit(plan);
  const missing = missingLimit(plan);
  return {
    blockers: [
      ...protectionBlockers(plan),
      ...approvalBlockers(plan, affected),
      ...deletes.blockers,
      ...missing.blockers,
    ],
    warnings: [...deletes.warnings, ...missing.warnings],
    notes: deletes.notes,
  };
}

/** Approved or not: the ledger remembers protection, and a line adds to it. */
function protectionBlockers({ context: { bindings, ledger }, endings }: Unchecked): readonly Blocker[] {
  const blockers = new Map<string, Blocker>();
  for (const { action, approval, address, key, objectId, protect } of endings) {
    if (action !== 'delete' || approval === undefined || blockers.has(address)) continue;
    const wanted = bindings.byAddress.get(address)?.object;
    const remembered = (wanted ?? ledger.objects[key])?.protect === true;
    if (!remembered && !protect) continue;
    const wayOut = !remembered
      ? `make this change first, and protect ${address} after it`
      : wanted !== undefined
        ? 'apply `protect: false` alone first, and this change after it'
        : `put its entry back with \`protect: false\`, apply, and remove it again; or let it go with \`forget: [${address}]\``;
    const message = `${address} is protected${remembered ? ' (the ledger remembers it)' : ''}, and this plan destroys ${objectId ?? 'it'}: ${wayOut}`;
    blockers.set(address, { code: 'protected', address, message });
  }
  return [...blockers.values()];
}

/** One for a replace and its delete. */
function approvalBlockers(
  { context: { desired }, endings }: Unchecked,
  affected: Affected,
): readonly Blocker[] {
  const blockers = new Map<string, Blocker>();
  for (const { approval, address } of endings) {
    if (approval === undefined || approval.given) continue;
    const { action, id, line } = approval;
    const other = desired.approved.find(
      (one): one is ObjectApproval => one.action === action && one.address === address,
    );
    const verb = action === 'destroy' ? 'destroying' : 'replacing';
    const hint =
      other === undefined ? '' : ` (the line there approves ${other.id}, and the object is ${id} now)`;
    const message = `${verb} ${address} needs approval${hint}: ${unlinkedBy(affected[id])}. Add this line under \`approved:\`:\n    ${line}`;
    blockers.set(`${address} ${id}`, { code: 'approval', address, message });
  }
  return [...blockers.values()];
}

/** Deletes and detaches, unmanaged ones in exact sets counted, against max(5, 30 %), or all that there are of several. */
function deleteLimit(plan: Unchecked): Checked {
  const { context, endings } = plan;
  const deletes = endings.filter(({ action }) => action === 'delete');
  const unmanaged = deletes.filter((step) => step.unmanaged).length;
  const count = deletes.length;
  const all = allOf(plan, deletes);
  const held = Object.keys(context.ledger.objects).length;
  const rule = all === null ? Math.max(5, Math.floor((held + unmanaged) * 0.3)) : 0;
  const limit = limitFor(context, 'deletes', rule);
  const deletions = `${count} ${count === 1 ? 'delete' : 'deletes'}`;
  const why = all === null ? `${deletions} (limit ${limit})` : `${deletions}, which is all that ${all}`;
  const checked = checkLimit(context, { action: 'deletes', count, rule, limit }, why);
  const known = `${deletions}${unmanaged === 0 ? '' : ` (${unmanaged} unmanaged)`}, and ${limit} are allowed`;
  const isQuiet = count === 0 || checked.blockers.length > 0;
  const note = { address: '', code: 'deletes', text: all === null ? known : deletions };
  return { ...checked, notes: isQuiet ? [] : [note] };
}

/**
 * What the plan takes all of, when that is more than one: the ledger's objects, or these and the unmanaged ones in exact sets.
 * Null when something is kept, let go, or made again, or when a set that covers something lists something.
 */
function allOf({ context, endings, emptiesSets }: Unchecked, deletes: readonly Step[]): string | null {
  const idsOf = (some: readonly Step[]) => new Set(some.flatMap((step) => step.objectId ?? []));
  const missing = idsOf(endings.filter(({ reason }) => reason === 'already-gone'));
  const deleted = idsOf(deletes.filter(({ reason }) => reason !== 'replaced'));
  const held = Object.values(context.ledger.objects).filter(({ id }) => !missing.has(id));
  const isGoing = (object: LedgerObject): boolean => {
    const ends = context.definition(object.kind).pair.map((field) => object.values[field]);
    return [object.id, ...ends].some((one) => typeof one === 'string' && deleted.has(one));
  };
  if (deletes.length < 2 || !held.every(isGoing)) return null;
  if (!emptiesSets || !deletes.some(({ unmanaged }) => unmanaged))
    return held.length > 1 ? 'this ledger holds' : null;
  return held.length === 0 ? 'its exact sets cover' : 'this ledger holds and its exact sets cover';
}

/**
 * Objects that are missing at once: wanted ones against max(3, 10 %), or all of several that the ledger holds, wanted or not.
 * A wrong address or organization and a restored service look like this.
 */
function missingLimit({ context, held, missing, endings }: Unchecked): Checked {
  const isAll = isAllMissing(context);
  const unwanted = isAll ? endings.filter(({ reason }) => reason === 'already-gone') : [];
  const addresses = [...missing, ...unwanted.map(({ address }) => address)];
  const count = addresses.length;
  const rule = isAll ? 0 : Math.max(3, Math.floor(held * 0.1));
  const limit = limitFor(context, 'missing', rule);
  const some = `${addresses.slice(0, 5).join(', ')}${count > 5 ? ', …' : ''}`;
  const why = isAll
    ? `nothing that this ledger holds was found (${some}). Check that ${context.observed.address} is the right service. Wanted objects would be made again, and the others forgotten`
    : `${count} of ${held} wanted objects are missing at once (limit ${limit}): ${some}. They would be made again`;
  return checkLimit(context, { action: 'missing', count, rule, limit }, why);
}

/**
 * Whether nothing that the ledger holds is there, and more than one object is proved missing. Links of its clients count with these;
 * what is unknown says nothing, as where the other service lacks the workspaces too.
 */
function isAllMissing(context: Context): boolean {
  const held = Object.values(context.ledger.objects);
  const ids = new Set(held.map(({ id }) => id));
  const states = held.flatMap((object) => {
    const { pair } = context.definition(object.kind);
    if (pair.some((field) => ids.has(String(object.values[field])))) return [];
    return context.observeHeld(object).state;
  });
  return !states.includes('present') && states.filter((state) => state === 'missing').length > 1;
}

const limits = {
  deletes: { code: 'too-many-deletes', flag: '--max-deletes', option: 'maxDeletes' },
  missing: { code: 'too-many-missing', flag: '--accept-missing', option: 'acceptMissing' },
} as const;

/** A flag's limit, else the rule's: what is all there is has to be approved (0). A line for this very serial may raise it. */
function limitFor(
  { desired, ledger: { serial }, options }: Context,
  action: LimitApproval['action'],
  rule: number,
): number {
  const raised = desired.approved.flatMap((line) =>
    line.action === action && line.serial === serial ? line.count : [],
  );
  return Math.max(options[limits[action].option] ?? rule, ...raised);
}

function checkLimit(
  context: Context,
  { action, count, rule, limit }: Pick<LimitApproval, 'action' | 'count'> & Record<'rule' | 'limit', number>,
  why: string,
): Checked {
  const warnings = obsoleteLimits(context, action, count > rule);
  if (count <= limit) return { blockers: [], warnings, notes: [] };
  const { code, flag } = limits[action];
  const line = approvalLine({ action, count, serial: context.ledger.serial });
  const message = `${why}. If all of that is meant, add this line under \`approved:\`, or give ${flag} ${count}:\n    - ${line}`;
  return { blockers: [{ code, message }], warnings, notes: [] };
}
