/** The steps of links: several of one client go in one call. */
import type { Api } from '../../client/api';
import type { FieldValue, Found, ResourceDefinition } from '../../resources/kind';
import type { Step } from '../plan/plan';
import type { Done } from './clients';
import type { Run } from './run';

/** All of one group: the same action on links of the same client, or a single step. */
export async function applyLinkSteps(run: Run, steps: readonly [Step, ...Step[]]): Promise<readonly Done[]> {
  const [first] = steps;
  const definition = run.definition(first);
  const api = run.apiForStep();
  switch (first.action) {
    case 'create':
      return create(run, api, definition, steps);
    case 'delete':
      return remove(run, api, definition, steps);
    case 'forget':
      for (const step of steps) run.ledger.set(run.entryOf(step), null);
      break;
    case 'move':
      for (const { from = '' } of steps) run.ledger.set(from, null);
      for (const step of steps) run.ledger.set(run.entryOf(step), {});
      break;
    default:
      for (const step of steps)
        run.ledger.set(run.entryOf(step), entry(definition, step.objectId, step.createdAt));
  }
  await run.ledger.saveSoon();
  return steps.map(() => ({}));
}

async function create(
  run: Run,
  api: Api,
  definition: ResourceDefinition,
  steps: readonly Step[],
): Promise<readonly Done[]> {
  const keys = steps.map((step) => run.keyOf(step));
  const attempt = { attemptedAt: api.serviceNow(), isOther: (id: string) => run.known.has(id) };
  const made: readonly Found[] = definition.batch
    ? await definition.batch.create(api, keys)
    : await Promise.all(keys.map((key) => definition.create(api, key, {}, attempt)));
  for (const [index, step] of steps.entries()) {
    const found = made[index];
    if (found === undefined) throw new Error(`${step.id} was made, and its call did not say so`);
    run.known.add(found.id);
    run.ledger.set(run.entryOf(step), entry(definition, found.id, found.outputs.createdAt));
  }
  await run.ledger.saveSoon();
  return made.map(({ id }) => ({ objectId: id }));
}

async function remove(
  run: Run,
  api: Api,
  definition: ResourceDefinition,
  steps: readonly Step[],
): Promise<readonly Done[]> {
  const keys = steps.map((step) => run.keyOf(step));
  if (definition.batch) await definition.batch.delete(api, keys);
  else {
    const calls = steps.map(({ objectId = '' }, index) =>
      definition.delete(api, objectId, keys[index] ?? {}),
    );
    await Promise.all(calls);
  }
  for (const step of steps) {
    const text = run.entryOf(step);
    const recorded = run.ledger.objects.get(text);
    const isOther = definition.idPrefix !== undefined && recorded?.id !== step.objectId;
    if (!isOther) run.ledger.set(text, null);
  }
  await run.ledger.saveSoon();
  return steps.map(() => ({}));
}

function entry({ idPrefix }: ResourceDefinition, id: string | undefined, createdAt: FieldValue | undefined) {
  if (idPrefix === undefined || id === undefined) return {};
  return { id, ...(typeof createdAt === 'string' && { createdAt }) };
}
