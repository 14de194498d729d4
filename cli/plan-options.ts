/** The flags of planning as the planner's options. */
import type { PlanOptions } from '../reconciler/plan/plan';
import type { PlanFlags } from './flags';

/** `destroy` is the command, not a flag. */
export function planOptionsOf(flags: PlanFlags, destroy: boolean): PlanOptions {
  return {
    maxDeletes: flags.maxDeletes ?? null,
    acceptMissing: flags.acceptMissing ?? null,
    writeSecrets: flags.writeSecrets === true,
    destroy,
  };
}
