/** The write-only values an apply needs: which ones, and how they are found again. */

import type { ResolvedSecrets, WantedSecret } from '../../resources/secrets';
import type { Plan } from '../plan/plan';

/** The values by address and field, as `resolveSecrets` gives them. */
export type SecretValues = Pick<ResolvedSecrets, 'value'>;

/** Everything the plan writes and somebody must resolve before the first step, in plan order, each once. */
export function neededSecrets(plan: Plan): readonly WantedSecret[] {
  const needed = new Map<string, WantedSecret>();
  for (const { address, secrets } of plan.steps) {
    for (const [field, source] of Object.entries(secrets)) {
      needed.set(JSON.stringify([address, field]), { address, field, source });
    }
  }
  return [...needed.values()];
}
