/** Finds the blockers of a plan: missing approvals, and more losses than the limit. */
import { approvalLine } from '../../manifest/desired';
import type { Observation } from '../../observation/evidence';
import { counted } from '../../resources/names';
import { oauthClient, unlinkedBy } from '../../resources/oauth-client';
import { type ClientDecision, collectLeaving } from './decisions';
import type { Facts } from './facts';
import { type Blocker, type LeftAlone, type Note, type Plan, readMember, type Step } from './plan';

export function approvalBlockers(facts: Facts, steps: readonly Step[]): readonly Blocker[] {
  const missing = steps.flatMap((step) => {
    const approval = readMember(step, 'approval');
    return approval?.given === false ? [approval] : [];
  });
  const byLine = new Map(missing.map((approval) => [approvalLine(approval), approval]));
  return [...byLine].map(([line, { action, address, id }]) => {
    const what = action === 'replace' ? 'Replacing' : 'Destroying';
    // A forgotten client stays, so nobody loses it.
    const cost = facts.isIdForgotten(id) ? '' : `; ${unlinkedBy(facts.inputs.affected?.[id])}`;
    const message = `${what} ${address} (${id}) needs an approval${cost}.`;
    return { rule: 'approval', address, message, remedy: `approved: [${line}]` };
  });
}

/** Up to this number, losses need no flag. */
const fewLosses = 5;
const shareOfLosses = 0.3;

/**
 * Losses are deletes, and managed objects that are missing, even if the manifest forgets them. Links that end with their client count
 * neither as losses nor as objects. A plan has no losses to spare if nothing managed would be left, or if an exact set of which the ledger has
 * no link yet deletes what it does not list.
 */
export function lossGuard(
  facts: Facts,
  steps: readonly Step[],
  clients: readonly ClientDecision[],
): Pick<Plan, 'blockers' | 'notes' | 'losses'> {
  const deletes = steps.filter(({ action }) => action === 'delete');
  const unmanaged = deletes.filter((step) => readMember(step, 'unmanaged')).length;
  const managed = deletes.length - unmanaged;
  const states = observeRecorded(facts, clients);
  const missing = states.filter((state) => state === 'missing').length;
  const present = states.filter((state) => state === 'present').length;
  const losses = deletes.length + missing;
  const losesAll = states.length > 0 && losses > 1 && present <= managed;
  const [newSet] = deletes.flatMap((step) => readMember(step, 'newSet') ?? []);
  const ownLimit =
    losesAll || newSet ? 0 : Math.max(fewLosses, Math.floor(shareOfLosses * (present + unmanaged)));
  const { maxDeletes: limit = ownLimit } = facts.inputs;
  const lossCount = { count: losses, limit: ownLimit };
  if (losses <= limit) {
    const notes = losses > ownLimit ? [] : noteUnneededFlag(limit, ownLimit);
    return { blockers: [], notes, losses: lossCount };
  }
  const parts = [
    counted(deletes.length, 'deletion'),
    ...(missing > 0 ? [`${counted(missing, 'managed object')} missing`] : []),
  ];
  const emptied = newSet
    ? `the ledger has no link of ${newSet} yet`
    : 'no object of the ledger that can be seen would stay';
  const why = limit === 0 && ownLimit === 0 ? emptied : `the limit is ${limit}`;
  const message = `This plan has ${parts.join(' and ')}, and ${why}. Make sure that the manifests and the service are the right ones.`;
  const blocker = { rule: 'losses', message, remedy: `--max-deletes ${losses}` } as const;
  return { blockers: [blocker], notes: [], losses: lossCount };
}

/** Notes a `--max-deletes` that is not needed, because it would allow a later loss. `ownLimit` counts without it. */
export function noteUnneededFlag(maxDeletes: number, ownLimit: number): readonly Note[] {
  if (maxDeletes <= ownLimit) return [];
  const address = `--max-deletes ${maxDeletes}`;
  const message = `${address} is above the limit of ${ownLimit}, and nothing here needs it. Remove it (in CI, the variable TETHER_MAX_DELETES), or a later plan may delete as much unasked.`;
  return [{ address, message }];
}

/** Returns the states of all recorded objects and of clients that are taken over, except the links that end with their client. */
function observeRecorded(facts: Facts, clients: readonly ClientDecision[]): readonly Observation['state'][] {
  const leaving = collectLeaving(clients);
  const states = new Map<string, Observation['state']>();
  const records = clients.flatMap(({ binding }) => binding.record ?? []);
  for (const record of [...facts.recordedClients.values(), ...records]) {
    states.set(record.id, facts.observeClient(record).state);
    for (const id of record.retiring ?? []) states.set(id, facts.observeClient({ id }).state);
  }
  const links = [...facts.recordedLinks.values()].filter(({ ends }) =>
    Object.values(ends).every((id) => !leaving.has(id) && states.get(id) !== 'missing'),
  );
  const ofLinks = links.map(({ definition, ends, object }) => facts.observe(definition, ends, object).state);
  return [...states.values(), ...ofLinks];
}

/**
 * Notes each `approved` line that is not the one that a step needs, and each that matches nothing while its object exists, because it would
 * approve a later plan. The next plan may need the line of an address that is left alone.
 */
export function unusedApprovals(
  facts: Facts,
  steps: readonly Step[],
  leftAlone: readonly LeftAlone[],
): readonly Note[] {
  const approvals = steps.flatMap((step) => readMember(step, 'approval') ?? []);
  const existing = new Set((facts.foundAll(oauthClient) ?? []).map(({ id }) => id));
  return facts.inputs.manifests.approved.flatMap((line) => {
    const { address, at } = line;
    const isUsed = approvals.some(
      ({ given, ...step }) => given && step.id === line.id && step.address === address,
    );
    const needed = approvals.find(
      ({ given, ...step }) => !given && (step.id === line.id || step.address === address),
    );
    if (!isUsed && needed !== undefined) {
      const message = `The line ${approvalLine(line)} does not approve what this plan needs: ${approvalLine(needed)}.`;
      return [{ address, message, at }];
    }
    const isWaiting = leftAlone.some((left) => left.address === address);
    // An apply that has the secrets may replace the client.
    const states = Object.entries(facts.inputs.secrets?.[line.id] ?? {});
    const isUncompared =
      line.action === 'replace' &&
      states.some(([field, state]) => typeof state === 'object' && facts.isFixed(field));
    if (isUsed || !existing.has(line.id) || isWaiting || isUncompared) return [];
    const message = `The line ${approvalLine(line)} approves nothing in this plan, and the list still has ${line.id}. Remove the line, or it will approve a later plan.`;
    return [{ address, message, at }];
  });
}
