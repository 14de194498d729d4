/** Executes the steps of links. Several attachments of one client go in one call. */
import type { Found } from '../../resources/kind';
import { findDefinition } from '../../resources/registry';
import { keyText, type LinkStep } from '../plan/plan';
import type { Done, Run } from './run';

/** Executes one group: the same action on links of one client, or a single step. */
export async function applyLinkSteps(
  run: Run,
  steps: readonly [LinkStep, ...LinkStep[]],
): Promise<readonly Done[]> {
  const [{ action, kind, objectId = '' }] = steps;
  const definition = findDefinition(kind);
  const { batch } = definition;
  const api = run.options.api.forStep(run.beforeWrite);
  const keys = steps.map((step) => run.toCallKey(step));
  // Steps of a kind without batches come alone.
  const [key = {}] = keys;
  let createdLinks: readonly Found[] = [];
  if (action === 'create') {
    const attempt = { attemptedAt: api.serviceNow(), isOther: (id: string) => run.existingIds.has(id) };
    createdLinks = batch ? await batch.create(api, keys) : [await definition.create(api, key, {}, attempt)];
    for (const { id } of createdLinks) run.existingIds.add(id);
  } else if (action === 'delete') {
    await (batch ? batch.delete(api, keys) : definition.delete(api, objectId, key));
  }
  for (const [index, step] of steps.entries()) record(run, step, createdLinks[index]);
  await run.ledger.saveSoon();
  return steps.map((_, index) => {
    const id = createdLinks[index]?.id;
    return id === undefined ? {} : { objectId: id };
  });
}

/** Changes the entry of a link. An entry that records another link of the pair is not removed. */
function record(run: Run, step: LinkStep, createdLink: Found | undefined): void {
  const { ledger } = run;
  const key = keyText(run.toLedgerKey(step));
  const hasId = findDefinition(step.kind).idPrefix !== undefined;
  if (step.action === 'move') ledger.remove(step.from);
  if (step.action === 'delete' || step.action === 'forget') {
    if (!hasId || ledger.objects.get(key)?.id === step.objectId) ledger.remove(key);
    return;
  }
  const id = createdLink?.id ?? step.objectId;
  ledger.set(key, hasId && id !== undefined ? { id } : {});
}
