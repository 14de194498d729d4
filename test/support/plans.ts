/** Hand-written plans for tests of what follows planning: everything left out is empty or the common case. */
import type { Plan, Step } from '../../reconciler/plan/plan';

/** A step; `action` and `address` are enough for most. */
export function stepOf(given: Partial<Step> & Pick<Step, 'action' | 'address'>): Step {
  return {
    id: `${given.action} ${given.address}`,
    kind: given.address.split('/')[0] ?? '',
    key: given.address,
    reason: 'new',
    because: 'it is in the manifest and not in the service',
    changes: [],
    risks: [],
    needs: [],
    inputs: {},
    secrets: {},
    managed: {},
    file: 'main.tether.yaml',
    protect: false,
    ...given,
  };
}

/** A plan of `acme` unless said. */
export function planOf(given: Partial<Plan> = {}): Plan {
  return {
    organization: 'acme',
    profileName: 'default',
    steps: [],
    unchanged: [],
    unknown: [],
    problems: [],
    warnings: [],
    notes: [],
    blockers: [],
    baselineRefresh: [],
    ...given,
  };
}
