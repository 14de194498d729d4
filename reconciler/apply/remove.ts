/** Carries out deletes: looked at again where it matters, deleted, and taken out of the ledger with what hung on it. */
import { NotFound } from '../../client/errors';
import { provedGone } from '../../resources/safe-calls';
import { removeLinksOf } from './record';
import { type Place, placeOf, type Run, type Task } from './run';
import { refuseStale } from './stale';

/** Deletes one object; one that is proved gone is no error. */
export async function remove(run: Run, task: Task): Promise<string | undefined> {
  const { step, definition } = task;
  const place = placeOf(run, task);
  const id = step.objectId ?? run.ledger.objects.get(place.ledgerKey)?.id;
  if (id === undefined && definition.idPrefix !== undefined) {
    throw new Error(`${step.id} does not say which object it is about`);
  }
  if (step.approval?.given === false) throw new Error(`${step.id} is not approved: ${step.approval.line}`);
  const isLink = definition.pair.length > 0;
  if (isLink || (await stillThere(run, task, place, id ?? ''))) {
    await definition.delete(run.api, id ?? '', place.key);
  }
  await takeOut(run, task, place, id);
  return id;
}

/** Deletes several links of one group in one call. */
export async function removeTogether(run: Run, tasks: readonly Task[]): Promise<void> {
  const batch = tasks[0]?.definition.batch;
  if (batch === undefined) throw new Error('these links cannot be deleted in one call');
  const places = tasks.map((task) => placeOf(run, task));
  await batch.delete(
    run.api,
    places.map((place) => place.key),
  );
  for (const [index, task] of tasks.entries()) {
    await takeOut(run, task, places[index] as Place, task.step.objectId);
  }
}

/** False when the object is proved gone; throws when it was changed or when nobody can tell. */
async function stillThere(run: Run, task: Task, { key }: Place, id: string): Promise<boolean> {
  const { definition } = task;
  if (definition.read === undefined) return true;
  try {
    refuseStale(run, task, await definition.read(run.api, id));
    return true;
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    if (await provedGone(run.api, definition, id, key)) return false;
    throw error;
  }
}

async function takeOut(run: Run, task: Task, place: Place, id: string | undefined): Promise<void> {
  const { step, definition } = task;
  run.own.linked(definition, place.key, false);
  if (id !== undefined) await removeLinksOf(run, task, id);
  const object = run.ledger.objects.get(place.ledgerKey);
  if (step.reason === 'replaced' && id !== undefined && object?.replaces === id) {
    const { replaces, ...rest } = object;
    const successor = { ...rest, replaced: replaces };
    await run.ledger.write({ event: 'object', key: place.ledgerKey, object: successor });
    return;
  }
  await run.ledger.remove(place.ledgerKey, id);
}
