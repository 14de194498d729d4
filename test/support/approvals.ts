/** Manifests with the approvals that a person would paste into them. */
import type { LimitApproval, Manifests } from '../../manifest/desired';
import type { Plan } from '../../reconciler/plan/plan';

/** The same manifests, with the lines under `approved:` that this plan prints. */
export function withApprovals<Of extends Manifests>(manifests: Of, plan: Plan): Of {
  const organizations = manifests.organizations.map((one) => {
    const steps =
      plan.organizations.find(({ organization }) => organization === one.organization)?.steps ?? [];
    const printed = steps.flatMap(({ address, approval }) =>
      approval === undefined ? [] : [{ action: approval.action, address, id: approval.id }],
    );
    const stops = plan.organizations.find(({ organization }) => organization === one.organization)?.stops;
    const limits = (stops ?? []).flatMap(({ message }) =>
      [...message.matchAll(/\{ (deletes|missing): (\d+), serial: (\d+) \}/gu)].map(
        ([, action, count, serial]): LimitApproval => ({
          action: action === 'deletes' ? 'deletes' : 'missing',
          count: Number(count),
          serial: Number(serial),
        }),
      ),
    );
    return { ...one, approved: [...one.approved, ...printed, ...limits] };
  });
  return { ...manifests, organizations };
}
