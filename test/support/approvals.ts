/** Manifests with the approvals that a person would paste into them. */
import type { Manifests } from '../../manifest/desired';
import type { Plan } from '../../reconciler/plan/plan';

/** The same manifests, with the lines under `approved:` that this plan prints. */
export function withApprovals<Of extends Manifests>(manifests: Of, plan: Plan): Of {
  const organizations = manifests.organizations.map((one) => {
    const steps =
      plan.organizations.find(({ organization }) => organization === one.organization)?.steps ?? [];
    const printed = steps.flatMap(({ address, approval }) =>
      approval === undefined ? [] : [{ action: approval.action, address, id: approval.id }],
    );
    return { ...one, approved: [...one.approved, ...printed] };
  });
  return { ...manifests, organizations };
}
