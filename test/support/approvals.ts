/** Manifests with the approvals that a person would paste into them. */
import type { LimitApproval, Manifests } from '../../manifest/desired';
import type { Plan } from '../../reconciler/plan/plan';

/** The same manifests, with the lines under `approved:` that this plan prints. */
export function withApprovals(manifests: Manifests, plan: Plan): Manifests {
  const printed = plan.steps.flatMap(({ address, approval }) =>
    approval === undefined ? [] : [{ action: approval.action, address, id: approval.id }],
  );
  const limits = plan.blockers.flatMap(({ message }) =>
    [...message.matchAll(/\{ (deletes|missing): (\d+), serial: (\d+)(?:, lineage: ([^ ]+))? \}/gu)].map(
      ([, action, count, serial, lineage]): LimitApproval => ({
        action: action === 'deletes' ? 'deletes' : 'missing',
        count: Number(count),
        serial: Number(serial),
        ...(lineage !== undefined && { lineage }),
      }),
    ),
  );
  return { ...manifests, approved: [...manifests.approved, ...printed, ...limits] };
}
