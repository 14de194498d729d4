/** Second links of one pair: which of them may go, and the step that takes one away. Pure. */
import type { Found, Key, ResourceDefinition } from '../../resources/kind';

import type { Context } from './context';
import { bareStep } from './draft';
import type { Step } from './plan';

/** True when a create of ours whose answer was lost may have made a second link under that ledger key. */
export function isLateArrival(context: Context, { kind }: ResourceDefinition, key: string): boolean {
  return context.ledger.tombstones.some((one) => one.kind === kind && one.nonce === key);
}

const because = {
  late: 'a create whose answer was lost made it twice',
  covered: 'the exact set allows this pair once',
} as const;

/** The delete of a second link. `why`: `late` is ours, `covered` is anybody's in an exact set. */
export function duplicateStep(
  link: { readonly kind: string; readonly address: string; readonly key: string },
  twin: Found,
  ids: Key,
  why: keyof typeof because,
): Step {
  return {
    ...bareStep,
    id: `delete ${link.address} (duplicate ${twin.id})`,
    action: 'delete',
    kind: link.kind,
    address: link.address,
    key: link.key,
    objectId: twin.id,
    reason: 'duplicate',
    because: because[why],
    managed: ids,
    observed: twin.values,
    ...(why === 'late' ? {} : { foreign: true as const }),
  };
}
