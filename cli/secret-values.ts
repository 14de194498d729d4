/** Every secret that a step will write, read before the first write; all that are missing are named at once. */
import { neededSecrets } from '../reconciler/apply/apply';
import type { Plan } from '../reconciler/plan/plan';
import { type ResolvedSecrets, resolveSecrets } from '../resources/secrets';
import type { Call } from './call';
import { UserError } from './errors';
import type { OutputFlags } from './flags';

/** The values; throws a `UserError` that names every missing one, never a value. */
export async function valuesToWrite(
  plan: Plan,
  root: string,
  call: Call<OutputFlags>,
): Promise<ResolvedSecrets> {
  const wanted = neededSecrets(plan);
  const resolved = await resolveSecrets(wanted, { env: call.io.env, root });
  if (resolved.failures.length > 0) {
    const lines = resolved.failures.map((one) => `  ${one.address} ${one.field}: ${one.why}`);
    throw new UserError(
      `secrets that have to be written are missing; nothing was changed:\n${lines.join('\n')}`,
      { missingSecrets: resolved.failures },
    );
  }
  for (const { address, field } of wanted) {
    const value = resolved.value(address, field);
    if (value !== undefined) call.voice.hide(value);
  }
  return resolved;
}
