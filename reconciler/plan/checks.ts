/** What stops an apply before its first write: approvals, protection, and limits on what a plan takes away or makes again. Pure. */
import { approvalLine, type LimitApproval, type ObjectApproval } from '../../manifest/desired';
import type { Observed } from '../../observation/evidence';
import type { LedgerObject } from '../ledger/ledger';
import { type Context, definitionFor, observationIn, pairOf } from './context';
import { obsolete } from './lines';
import type { Plan, Step, Stop } from './plan';

/** By client id: the workspaces that its end unlinks, where the service can tell. */
export type Affected = Observed['affected'];

/** A plan that all but the checks has been made for. */
export interface Unchecked {
  readonly context: Context;
  readonly steps: readonly Step[];
  /** How many wanted objects the ledger has. */
  readonly held: number;
  /** Addresses of those that are missing at once. */
  readonly missing: readonly string[];
  /** Whether an exact set that deletes something keeps something, or gets it. */
  readonly setsKeepSome: boolean;
}

/** What the checks add to a plan. */
export type Checked = Pick<Plan, 'stops' | 'warnings' | 'notes'>;

/** Every reason why an apply would not start, each with what lifts it. */
export function checkPlan(plan: Unchecked, affected: Affected): Checked {
  const parts: readonly Partial<Checked>[] = [
    { stops: protectionStops(plan) },
    { stops: approvalStops(plan, affected) },
    deleteLimit(plan),
    missingLimit(plan),
  ];
  return {
    stops: parts.flatMap((part) => part.stops ?? []),
    warnings: parts.flatMap((part) => part.warnings ?? []),
    notes: parts.flatMap((part) => part.notes ?? []),
  };
}

/** Whether this destruction or replacement was approved, and the line that would approve it. */
export function approvalFor(
  { desired }: Context,
  action: ObjectApproval['action'],
  address: string,
  id: string,
): NonNullable<Step['approval']> {
  const given = desired.approved.some(
    (one) => one.action === action && one.address === address && one.id === id,
  );
  return { action, id, given, line: `- ${approvalLine({ action, address, id })}` };
}

/** What destroying the client does to workspaces, as exactly as the service can tell. */
export function unlinks(affected: Affected, id: string): string {
  const { count, names = [] } = affected[id] ?? {};
  if (count === undefined) {
    return `unlinks every workspace that uses ${id} from its repository, for people to link again by hand: an unknown number of workspaces`;
  }
  if (count === 0) return `destroys ${id}, which no workspace uses`;
  const more = count > names.length ? ', …' : '';
  return `unlinks ${count} workspaces from their repositories, for people to link again by hand: ${names.join(', ')}${more}`;
}

/** A stop for every protected address of which something would be destroyed, approved or not: the ledger remembers protection, and a line adds to it. */
function protectionStops({ context: { bindings, ledger }, steps }: Unchecked): readonly Stop[] {
  const stops = new Map<string, Stop>();
  for (const { action, approval, address, key, objectId, protect } of steps) {
    if (action !== 'delete' || approval === undefined || stops.has(address)) continue;
    const wanted = bindings.byAddress.get(address)?.object;
    const remembered = (wanted ?? ledger.objects[key])?.protect === true;
    if (!remembered && !protect) continue;
    const wayOut = !remembered
      ? `make this change first, and protect ${address} after it`
      : wanted !== undefined
        ? 'apply `protect: false` alone first, and this change after it'
        : `put its entry back with \`protect: false\`, apply, and remove it again; or let it go with \`forget: [${address}]\``;
    const message = `${address} is protected${remembered ? ' (the ledger remembers it)' : ''}, and this plan destroys ${objectId ?? 'it'}: ${wayOut}`;
    stops.set(address, { code: 'protected', address, message });
  }
  return [...stops.values()];
}

/** A stop for every object whose approval is missing; one for a step and the delete that belongs to it. */
function approvalStops({ context: { desired }, steps }: Unchecked, affected: Affected): readonly Stop[] {
  const stops = new Map<string, Stop>();
  for (const { approval, address } of steps) {
    if (approval === undefined || approval.given || stops.has(`${address} ${approval.id}`)) continue;
    const { action, id, line } = approval;
    const other = desired.approved.find(
      (one): one is ObjectApproval => one.action === action && one.address === address,
    );
    const verb = action === 'destroy' ? 'destroying' : 'replacing';
    const hint =
      other === undefined ? '' : ` (the line there approves ${other.id}, and the object is ${id} now)`;
    const message = `${verb} ${address} needs approval${hint}: it ${unlinks(affected, id)}. Add this line under \`approved:\`:\n    ${line}`;
    stops.set(`${address} ${id}`, { code: 'approval', address, message });
  }
  return [...stops.values()];
}

/** Deletes and detaches, unmanaged ones in exact sets counted, against max(5, 30 %), or all that there are of several. */
function deleteLimit(plan: Unchecked): Partial<Checked> {
  const { context, steps } = plan;
  const { ledger, options } = context;
  const deletes = steps.filter((step) => step.action === 'delete');
  const unmanaged = deletes.filter((step) => step.foreign).length;
  const count = deletes.length;
  const all = allOf(plan, deletes);
  const rule = Math.max(5, Math.floor((Object.keys(ledger.objects).length + unmanaged) * 0.3));
  const limit = limitFor(context, 'deletes', options.maxDeletes ?? (all === null ? rule : 0));
  const warnings = obsoleteLimits(context, 'deletes', all !== null || count > rule);
  const deletions = `${count} ${count === 1 ? 'delete' : 'deletes'}`;
  if (count > limit) {
    const why = all === null ? `${deletions} (limit ${limit})` : `${deletions}, which is all that ${all}`;
    return { warnings, stops: [stop(context, 'too-many-deletes', why, { action: 'deletes', count })] };
  }
  const known = `${deletions}${unmanaged === 0 ? '' : ` (${unmanaged} foreign)`}, and ${limit} are allowed`;
  const text = all === null ? known : deletions;
  return { warnings, notes: count === 0 ? [] : [{ address: '', code: 'deletes', text }] };
}

/**
 * Objects that are missing at once: wanted ones against max(3, 10 %), or all of several that the ledger holds, wanted or not.
 * A wrong address or organization and a restored service look like this.
 */
function missingLimit(plan: Unchecked): Partial<Checked> {
  const { context, held, missing, steps } = plan;
  const all = isAllMissing(context);
  const unwanted = all ? steps.filter((step) => step.reason === 'already-gone') : [];
  const addresses = [...missing, ...unwanted.map((step) => step.address)];
  const count = addresses.length;
  const rule = Math.max(3, Math.floor(held * 0.1));
  const limit = limitFor(context, 'missing', context.options.acceptMissing ?? (all ? 0 : rule));
  const warnings = obsoleteLimits(context, 'missing', all || count > rule);
  if (count <= limit) return { warnings };
  const some = `${addresses.slice(0, 5).join(', ')}${count > 5 ? ', …' : ''}`;
  const why = all
    ? `nothing that this ledger holds was found (${some}). Check that ${context.observed.address} is the right service. Wanted objects would be made again, and the others forgotten`
    : `${count} of ${held} wanted objects are missing at once (limit ${limit}): ${some}. They would be made again`;
  return { warnings, stops: [stop(context, 'too-many-missing', why, { action: 'missing', count })] };
}

/**
 * Whether nothing that the ledger holds is there, and more than one object is proved missing. A link of one of its clients counts with
 * the client; what is unknown says nothing, as where the other service lacks the workspaces too.
 */
function isAllMissing(context: Context): boolean {
  const held = Object.values(context.ledger.objects);
  const ids = new Set(held.map(({ id }) => id));
  const roots = held.filter(({ values, ...object }) => {
    const { pair } = definitionFor(context, object);
    return !pair.some((field) => ids.has(String(values[field])));
  });
  const states = roots.map((object) => {
    const definition = definitionFor(context, object);
    const key = definition.pair.length > 0 ? pairOf(definition, object.values) : { id: object.id };
    return observationIn(context, definition, key, object.id).state;
  });
  return !states.includes('present') && states.filter((state) => state === 'missing').length > 1;
}

const flags = { deletes: '--max-deletes', missing: '--accept-missing' } as const;

function stop(
  { ledger: { serial } }: Context,
  code: Stop['code'],
  why: string,
  { action, count }: Pick<LimitApproval, 'action' | 'count'>,
): Stop {
  const line = approvalLine({ action, count, serial });
  const message = `${why}. If all of that is meant, add this line under \`approved:\`, or give ${flags[action]} ${count}:\n    - ${line}`;
  return { code, message };
}

/** The limit, or what a line for this very serial allows beyond it. */
function limitFor({ desired, ledger }: Context, action: LimitApproval['action'], limit: number): number {
  return desired.approved.reduce(
    (most, line) =>
      line.action === action && line.serial === ledger.serial ? Math.max(most, line.count) : most,
    limit,
  );
}

/** A line for another serial approves nothing any more, and one that nothing needs would approve what nobody has seen. */
function obsoleteLimits(
  { desired, ledger: { serial }, options }: Context,
  action: LimitApproval['action'],
  isNeeded: boolean,
): Plan['warnings'] {
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

/**
 * What the plan takes all of, when that is more than one: the ledger's objects, or these and the unmanaged ones in exact sets.
 * Null when something is kept, let go, or made again, or when a set that covers something lists something.
 */
function allOf({ context, steps, setsKeepSome }: Unchecked, deletes: readonly Step[]): string | null {
  const idsOf = (some: readonly Step[]) => new Set(some.flatMap((step) => step.objectId ?? []));
  const missing = idsOf(steps.filter((step) => step.reason === 'already-gone'));
  const deleted = idsOf(deletes.filter((step) => step.reason !== 'replaced'));
  const held = Object.values(context.ledger.objects).filter((object) => !missing.has(object.id));
  const isGoing = ({ kind, id, values }: LedgerObject): boolean => {
    const ends = definitionFor(context, { kind }).pair.map((field) => values[field]);
    return [id, ...ends].some((one) => typeof one === 'string' && deleted.has(one));
  };
  if (deletes.length < 2 || !held.every(isGoing)) return null;
  if (setsKeepSome || !deletes.some((step) => step.foreign))
    return held.length > 1 ? 'this ledger holds' : null;
  return held.length === 0 ? 'its exact sets cover' : 'this ledger holds and its exact sets cover';
}
