/** Makes a plan: desired, observed and ledger in, steps out. No clock, no randomness, no I/O. */
import { unlinkedBy } from '../../resources/oauth-client';
import { headOf } from '../ledger/ledger';
import { bindClients } from './bind';
import { planClients } from './clients';
import { approvalBlockers, lossBlockers, unusedApprovals } from './guards';
import { type PlanInputs, World } from './inputs';
import { planLinks } from './links';
import { inOrder, makeRoom, withNeeds } from './order';
import type { LeftAlone, Plan, Step } from './plan';

export function plan(inputs: PlanInputs): Plan {
  const world = new World(inputs);
  const clients = planClients(world, bindClients(world));
  const links = planLinks(world, clients);
  const room = makeRoom(world, [...clients.steps, ...links.steps]);
  const ordered = inOrder(world, withNeeds(world, room.steps, links, room));
  const replaced = new Set(
    ordered.flatMap(({ action, objectId = '' }) => (action === 'replace' ? [objectId] : [])),
  );
  const steps = ordered.map((step) => withEffects(world, step, replaced));
  const { ledger, manifests, place } = inputs;
  return {
    organization: world.organization,
    profileName: manifests.profileName,
    ledger: headOf(ledger, place),
    steps,
    problems: [...clients.problems, ...links.problems, ...room.problems],
    unknown: [...unknownNames(world), ...clients.unknown, ...links.unknown],
    blockers: [...approvalBlockers(world, steps), ...lossBlockers(world, steps, clients.leaving)],
    notes: [...clients.notes, ...links.notes, ...unusedApprovals(world, steps)],
    unchanged: clients.unchanged + links.unchanged,
  };
}

/** Names that were not found, or found twice. */
export function unknownNames({ inputs: { manifests, destroy } }: World): readonly LeftAlone[] {
  if (destroy) return [];
  return [...manifests.names].flatMap(([address, { at, why }]) =>
    why === undefined ? [] : [{ address, message: why, at }],
  );
}

/** The end of a client says what it does to workspaces: once, where a replacement and its delete are in one plan. */
function withEffects(world: World, step: Step, replaced: ReadonlySet<string>): Step {
  const { action, kind, objectId } = step;
  const isTold = action === 'delete' && replaced.has(objectId ?? '');
  if (objectId === undefined || isTold || world.isLink(kind) || !endsObject(action)) return step;
  return { ...step, risks: [unlinkedBy(world.inputs.affected[objectId]), ...step.risks] };
}

function endsObject(action: Step['action']): boolean {
  return action === 'delete' || action === 'replace';
}

/** Ids of the clients that a plan ends. */
export function endedClients({ steps }: Plan, isLink: (kind: string) => boolean): readonly string[] {
  const ids = steps.flatMap(({ action, kind, objectId }) =>
    objectId !== undefined && !isLink(kind) && endsObject(action) ? [objectId] : [],
  );
  return [...new Set(ids)];
}
