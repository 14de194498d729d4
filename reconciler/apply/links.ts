/** Executes the steps of links. Several attachments of one client go in one call. */
import type { Found } from '../../resources/kind';
import { definitionOf } from '../../resources/registry';
import { keyText, type Step } from '../plan/plan';
import type { Done, Run } from './run';

/** Executes one group: the same action on links of one client, or a single step. */
export async function applyLinkSteps(run: Run, steps: readonly [Step, ...Step[]]): Promise<readonly Done[]> {
  const [{ action }] = steps;
  const made = action === 'create' ? await create(run, steps) : [];
  if (action === 'delete') await remove(run, steps);
  for (const [index, step] of steps.entries()) record(run, step, made[index]);
  await run.ledger.saveSoon();
  return steps.map((_, index) => (made[index] === undefined ? {} : { objectId: made[index].id }));
}

async function create(run: Run, steps: readonly [Step, ...Step[]]): Promise<readonly Found[]> {
  const { batch, create: createOne } = definitionOf(steps[0].kind);
  const api = run.options.api.forStep();
  const keys = steps.map((step) => run.keyOf(step));
  const attempt = { attemptedAt: api.serviceNow(), isOther: (id: string) => run.known.has(id) };
  const made = batch
    ? await batch.create(api, keys)
    : await Promise.all(keys.map((key) => createOne(api, key, {}, attempt)));
  for (const { id } of made) run.known.add(id);
  return made;
}

async function remove(run: Run, steps: readonly [Step, ...Step[]]): Promise<void> {
  const { batch, delete: deleteOne } = definitionOf(steps[0].kind);
  const api = run.options.api.forStep();
  const keys = steps.map((step) => run.keyOf(step));
  if (batch) await batch.delete(api, keys);
  else
    await Promise.all(steps.map(({ objectId = '' }, index) => deleteOne(api, objectId, keys[index] ?? {})));
}

/** Changes the entry of a link. One that records another link of the pair is not removed. */
function record(run: Run, step: Step, made: Found | undefined): void {
  const { ledger } = run;
  const key = keyText(run.entryOf(step));
  const hasId = definitionOf(step.kind).idPrefix !== undefined;
  if (step.from !== undefined) ledger.remove(step.from);
  if (step.action === 'delete' || step.action === 'forget') {
    if (!hasId || ledger.objects.get(key)?.id === step.objectId) ledger.remove(key);
    return;
  }
  const id = made?.id ?? step.objectId;
  const createdAt = made?.outputs.createdAt ?? step.createdAt;
  ledger.set(key, hasId && id !== undefined ? { id, createdAt } : {});
}
