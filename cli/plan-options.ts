/** The flags of planning as the planner's options. */
import type { PlanOptions } from '../reconciler/plan/options';
import type { PlanFlags } from './flags';

/** `destroy` is the command, not a flag. */
export function planOptionsOf(flags: PlanFlags, destroy: boolean): PlanOptions {
  return {
    targets: flags.target.length === 0 ? null : flags.target,
    adopt: flags.adopt,
    allowDestroy: flags.allowDestroy,
    allowReplace: flags.allowReplace,
    maxDeletes: flags.maxDeletes ?? null,
    acceptMissing: flags.acceptMissing ?? null,
    writeSecrets: flags.writeSecrets === true,
    destroy,
  };
}
