/** Approvals of what cannot be undone, bound to the object they were given for. Pure. */
import { approvalLine, type ObjectApproval } from '../../manifest/desired';
import type { Context } from './context';
import type { Step, Stop } from './plan';

type Approval = NonNullable<Step['approval']>;

/** Whether this destruction or replacement was approved, and the line that would approve it. */
export function approvalFor(
  context: Context,
  action: 'destroy' | 'replace',
  address: string,
  id: string,
): Approval {
  const given = context.desired.approved.some(
    (one) => one.action === action && one.address === address && one.id === id,
  );
  return { action, id, given, line: `- ${approvalLine({ action, address, id })}` };
}

/** What destroying the client does to workspaces, as exactly as the service can tell. */
export function unlinks(context: Context, id: string): string {
  const affected = context.observed.affected[id];
  if (affected === undefined) {
    return `unlinks every workspace that uses ${id} from its repository, for people to link again by hand: an unknown number of workspaces`;
  }
  if (affected.count === 0) return `destroys ${id}, which no workspace uses`;
  const more = affected.count > affected.names.length ? ', …' : '';
  return `unlinks ${affected.count} workspaces from their repositories, for people to link again by hand: ${affected.names.join(', ')}${more}`;
}

/** A stop for every protected address of which something would be destroyed, approved or not: the ledger remembers protection, and a line adds to it. */
export function protectionStops(context: Context, steps: readonly Step[]): readonly Stop[] {
  const stops = new Map<string, Stop>();
  for (const { action, approval, address, key, objectId, protect } of steps) {
    if (action !== 'delete' || approval === undefined || stops.has(address)) continue;
    const claimed = context.claims.byAddress.get(address)?.object;
    const remembered = (claimed ?? context.ledger.objects[key])?.protect === true;
    if (!remembered && !protect) continue;
    const wayOut = !remembered
      ? `make this change first, and protect ${address} after it`
      : claimed !== undefined
        ? 'apply `protect: false` alone first, and this change after it'
        : `put its entry back with \`protect: false\`, apply, and remove it again; or let it go with \`forget: [${address}]\``;
    const message = `${address} is protected${remembered ? ' (the ledger remembers it)' : ''}, and this plan destroys ${objectId ?? 'it'}: ${wayOut}`;
    stops.set(address, { code: 'protected', address, message });
  }
  return [...stops.values()];
}

/** A stop for every object whose approval is missing; one for a step and the delete that belongs to it. */
export function approvalStops(context: Context, steps: readonly Step[]): readonly Stop[] {
  const stops = new Map<string, Stop>();
  for (const { approval, address } of steps) {
    if (approval === undefined || approval.given || stops.has(`${address} ${approval.id}`)) continue;
    const other = context.desired.approved.find(
      (one): one is ObjectApproval => one.action === approval.action && one.address === address,
    );
    const verb = approval.action === 'destroy' ? 'destroying' : 'replacing';
    const hint =
      other === undefined
        ? ''
        : ` (the line there approves ${other.id}, and the object is ${approval.id} now)`;
    stops.set(`${address} ${approval.id}`, {
      code: 'approval',
      address,
      message: `${verb} ${address} needs approval${hint}: it ${unlinks(context, approval.id)}. Add this line under \`approved:\`:\n    ${approval.line}`,
    });
  }
  return [...stops.values()];
}
