/** What stops an apply before its first write: protection, missing approvals, too much that goes. */
import type { AffectedWorkspaces } from '../../client/api';
import { approvalLine, type LimitApproval, type ObjectApproval } from '../../manifest/desired';
import { setFields, setMembers } from '../../resources/kind';
import { unlinkedBy } from '../../resources/oauth-client';
import type { LedgerObject } from '../ledger/ledger';
import { byAddresses } from './around';
import { type Context, isForLedgerState, ledgerStateOf } from './context';
import { obsoleteLimits } from './lines';
import type { Blocker, Step } from './plan';

/** By id, of clients that the plan may end, where the service can tell. */
export type Affected = Readonly<Record<string, AffectedWorkspaces>>;

/** Links of an object that go with it: the kind, and the id of the other end. */
export type LostLinks = readonly { readonly kind: string; readonly id: string }[];

/** By steps that delete or replace an object; without those that a step makes again or a field carries over. */
export function linksLost({ registry }: Context, steps: readonly Step[]): ReadonlyMap<Step, LostLinks> {
  const ending = steps.filter(
    ({ action, reason }) => action === 'replace' || (action === 'delete' && reason !== 'replaced'),
  );
  if (ending.length === 0) return new Map();
  const sets = setFields(registry);
  const created = byAddresses(
    steps.filter(({ action }) => action === 'create'),
    ({ inputs }) => inputs,
  );
  const setsOf = (step: Step) => sets.filter(({ owner }) => owner === step.kind);
  const lostBy = (step: Step) =>
    setsOf(step).flatMap(({ field, kind, end, far }) => {
      const made = (created.get(step.address) ?? []).filter(({ inputs }) => inputs[end] !== undefined);
      const kept = [...made.map(({ inputs }) => inputs[far]), step.inputs[field]].flat();
      const today = setMembers(step.observed?.[field]);
      return today.filter((id) => !kept.includes(id)).map((id) => ({ kind, id }));
    });
  return new Map(ending.map((step) => [step, lostBy(step)]));
}

/** Approved or not: the ledger remembers protection, and a line adds to it. */
export function protectionBlockers({ bindings, ledger }: Context, steps: readonly Step[]) {
  const blockers = new Map<string, Blocker>();
  for (const { action, approval, address, key, objectId, protect } of steps) {
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
export function approvalBlockers({ desired }: Context, steps: readonly Step[], affected: Affected) {
  const blockers = new Map<string, Blocker>();
  for (const { approval, address } of steps) {
    if (approval === undefined || approval.given) continue;
    const { action, id, line } = approval;
    const other = desired.approved.find(
      (one): one is ObjectApproval => one.action === action && one.address === address,
    );
    const verb = action === 'destroy' ? 'destroying' : 'replacing';
    const remark = other && `the line there approves ${other.id}, and the object is ${id} now`;
    const message = `${verb} ${address} needs approval${remark ? ` (${remark})` : ''}: ${unlinkedBy(affected[id])}. Add this line under \`approved:\`:\n    ${line}`;
    blockers.set(`${address} ${id}`, { code: 'approval', address, message, line, ...(remark && { remark }) });
  }
  return [...blockers.values()];
}

/** Against max(5, 30 %), or all that there are of several; detaches and unmanaged objects in exact sets count. `emptiesSets`: see `planSets`. */
export function deleteLimit(
  context: Context,
  steps: readonly Step[],
  links: ReturnType<typeof linksLost>,
  emptiesSets: boolean,
) {
  const deletes = steps.filter(({ action }) => action === 'delete');
  const unmanaged = deletes.filter((step) => step.unmanaged).length;
  const replaced = deletes.filter(({ reason }) => reason === 'replaced').length;
  // Without the replacement, each would be a step that deletes.
  const lost = steps.flatMap((step) => (step.action === 'replace' ? (links.get(step) ?? []) : []));
  const count = deletes.length + lost.length;
  const all = allOf(context, steps, emptiesSets);
  const held = Object.keys(context.ledger.objects).length;
  const rule = all === null ? Math.max(5, Math.floor((held + unmanaged) * 0.3)) : 0;
  const deletions = `${count} ${count === 1 ? 'delete' : 'deletes'}`;
  const why = (most: number) =>
    all === null ? `${deletions} (limit ${most})` : `${deletions}, which is all that ${all}`;
  const { limit, ...checked } = checkLimit(context, { action: 'deletes', count, rule, why });
  const some = [
    unmanaged > 0 ? `${unmanaged} unmanaged` : [],
    replaced > 0 ? `${replaced} by replacing` : [],
    lost.length > 0 ? `${lost.length} not taken over` : [],
  ].flat();
  const known = `${deletions}${some.length === 0 ? '' : ` (${some.join(', ')})`}; the limit is ${limit} (--max-deletes)`;
  const isQuiet = count === 0 || checked.blockers.length > 0;
  const note = { address: '', code: 'deletes', text: all === null ? known : deletions };
  return { ...checked, notes: isQuiet ? [] : [note] };
}

/** Of what the plan takes all, if that is several; null when some is kept, let go or made again, or a set with members lists any. */
function allOf(context: Context, steps: readonly Step[], emptiesSets: boolean) {
  const deletes = steps.filter(({ action }) => action === 'delete');
  if (deletes.length < 2) return null;
  const idsOf = (some: readonly Step[]) => new Set(some.flatMap((step) => step.objectId ?? []));
  const missing = idsOf(steps.filter(({ reason }) => reason === 'already-gone'));
  const deleted = idsOf(deletes.filter(({ reason }) => reason !== 'replaced'));
  const held = Object.values(context.ledger.objects).filter(({ id }) => !missing.has(id));
  const isGoing = ({ kind, id, values }: LedgerObject) => {
    const ends = context.definition(kind).pair.map((field) => String(values[field]));
    return [id, ...ends].some((one) => deleted.has(one));
  };
  if (!held.every(isGoing)) return null;
  if (!emptiesSets || !deletes.some(({ unmanaged }) => unmanaged))
    return held.length > 1 ? 'this ledger holds' : null;
  return held.length === 0 ? 'its exact sets cover' : 'this ledger holds and its exact sets cover';
}

/** Wanted objects against max(3, 10 %), or all of several that the ledger holds: a wrong address or a restored service. */
export function missingLimit(
  context: Context,
  steps: readonly Step[],
  { held, missing }: { readonly held: number; readonly missing: readonly string[] },
) {
  const isAll = isAllMissing(context);
  const unwanted = isAll ? steps.filter(({ reason }) => reason === 'already-gone') : [];
  const addresses = [...missing, ...unwanted.map(({ address }) => address)];
  const count = addresses.length;
  const rule = isAll ? 0 : Math.max(3, Math.floor(held * 0.1));
  const some = `${addresses.slice(0, 5).join(', ')}${count > 5 ? ', …' : ''}`;
  const why = (limit: number) =>
    isAll
      ? `nothing that this ledger holds was found (${some}). Check that ${context.observed.address} is the right service. Wanted objects would be made again, and the others forgotten`
      : `${count} of ${held} wanted objects are missing at once (limit ${limit}): ${some}. They would be made again`;
  return checkLimit(context, { action: 'missing', count, rule, why });
}

/**
 * Whether nothing that the ledger holds is there, and more than one object is proved missing. Links of its clients count with these;
 * what is unknown says nothing: the other service may lack the workspaces too.
 */
function isAllMissing(context: Context) {
  const held = Object.values(context.ledger.objects);
  const ids = new Set(held.flatMap(({ kind, id }) => (context.isLink(kind) ? [] : id)));
  let missing = 0;
  for (const object of held) {
    const { pair } = context.definition(object.kind);
    if (pair.some((field) => ids.has(String(object.values[field])))) continue;
    const { state } = context.observeHeld(object);
    if (state === 'present') return false;
    if (state === 'missing') missing += 1;
  }
  return missing > 1;
}

const limits = {
  deletes: { code: 'too-many-deletes', flag: '--max-deletes', option: 'maxDeletes' },
  missing: { code: 'too-many-missing', flag: '--accept-missing', option: 'acceptMissing' },
} as const;

type Counted = Pick<LimitApproval, 'action' | 'count'> & { rule: number; why: (limit: number) => string };

/** A flag's limit, else the rule's (0: all there is has to be approved), which a line for this very state of the ledger may raise. */
function checkLimit(context: Context, { action, count, rule, why }: Counted) {
  const { code, flag, option } = limits[action];
  const raised = context.desired.approved.flatMap((line) =>
    line.action === action && isForLedgerState(context.ledger, line) ? line.count : [],
  );
  const usual = context.options[option] ?? rule;
  const limit = Math.max(usual, ...raised);
  const line = `- ${approvalLine({ action, count, ...ledgerStateOf(context.ledger) })}`;
  const message = `${why(limit)}. If all of that is meant, add this line under \`approved:\`, or give ${flag} ${count}:\n    ${line}`;
  const blocker = { code, message, line, remark: `${why(limit)}; or give ${flag} ${count}` };
  const warnings = obsoleteLimits(context, action, count > usual);
  return { limit, warnings, blockers: count > limit ? [blocker] : [] };
}
