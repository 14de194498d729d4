/** Executes the steps of links. Several attachments of one client go in one call. */
import type { Api } from '../../client/api';
import type { Found } from '../../resources/kind';
import { definitionOf } from '../../resources/registry';
import { keyText, type Step } from '../plan/plan';
import type { Done, Run } from './run';

/** Executes one group: the same action on links of one client, or a single step. */
export async function applyLinkSteps(run: Run, steps: readonly [Step, ...Step[]]): Promise<readonly Done[]> {
  const [{ action }] = steps;
  const api = run.apiForStep();
  const made = action === 'create' ? await create(run, api, steps) : [];
  if (action === 'delete') await remove(run, api, steps);
  for (const [index, step] of steps.entries()) {
    if (step.from !== undefined) run.ledger.remove(step.from);
    if (action === 'delete' || action === 'forget') removeEntry(run, step);
    else record(run, step, made[index]);
  }
  await run.ledger.saveSoon();
  return steps.map((_, index) => (made[index] === undefined ? {} : { objectId: made[index].id }));
}

function record(run: Run, step: Step, made: Found | undefined): void {
  const id = made?.id ?? step.objectId;
  const createdAt = made?.outputs.createdAt ?? step.createdAt;
  const hasId = definitionOf(step.kind).idPrefix !== undefined && id !== undefined;
  run.ledger.set(keyText(run.entryOf(step)), hasId ? { id, createdAt } : {});
}

/** Removes the entry of a link, unless the entry records another link of the pair. */
function removeEntry(run: Run, step: Step): void {
  const key = keyText(run.entryOf(step));
  const hasId = definitionOf(step.kind).idPrefix !== undefined;
  const isOther = hasId && run.ledger.objects.get(key)?.id !== step.objectId;
  if (!isOther) run.ledger.remove(key);
}

async function create(run: Run, api: Api, steps: readonly [Step, ...Step[]]): Promise<readonly Found[]> {
  const { batch, create: createOne } = definitionOf(steps[0].kind);
  const keys = steps.map((step) => run.keyOf(step));
  const attempt = { attemptedAt: api.serviceNow(), isOther: (id: string) => run.known.has(id) };
  const made = batch
    ? await batch.create(api, keys)
    : await Promise.all(keys.map((key) => createOne(api, key, {}, attempt)));
  if (made.length < steps.length) throw new Error('a call made links, and did not name each of them');
  for (const { id } of made) run.known.add(id);
  return made;
}

async function remove(run: Run, api: Api, steps: readonly [Step, ...Step[]]): Promise<void> {
  const { batch, delete: deleteOne } = definitionOf(steps[0].kind);
  const keys = steps.map((step) => run.keyOf(step));
  if (batch) await batch.delete(api, keys);
  else
    await Promise.all(steps.map(({ objectId = '' }, index) => deleteOne(api, objectId, keys[index] ?? {})));
}
