/** Carries out creates and replacements: journaled before, finished when the ledger has the object. */
import type { Found } from '../../resources/definition';
import { beginCreate } from './intent';
import { digestsOf, ledgerObject, managedValues, removeLinksOf } from './record';
import { type Place, placeOf, type Run, secretsOf, type Task } from './run';

/** Creates one object and returns its id. With `replaces`, the old object is remembered until it is destroyed. */
export async function create(run: Run, task: Task, replaces?: string): Promise<string> {
  const { organization, step, definition } = task;
  const place = placeOf(run, task);
  const inputs = { ...run.references.resolve(organization, step.inputs), ...secretsOf(run, task) };
  const { intent, abandon } = await beginCreate(run, task, place, inputs, replaces);
  let found: Found;
  try {
    found = await definition.create(run.api, place.key, inputs, intent);
  } catch (error) {
    await abandon(error);
    throw error;
  }
  return finish(run, task, place, found, replaces);
}

/** Creates several links of one group in one call and returns their ids. */
export async function createTogether(run: Run, tasks: readonly Task[]): Promise<readonly string[]> {
  const places = tasks.map((task) => placeOf(run, task));
  const batch = tasks[0]?.definition.batch;
  if (batch === undefined) throw new Error('these links cannot be made in one call');
  const begun = await Promise.all(
    tasks.map((task, index) => {
      const place = places[index] as Place;
      return beginCreate(run, task, place, place.key, undefined);
    }),
  );
  let found: readonly Found[];
  try {
    found = await batch.create(
      run.api,
      places.map((place) => place.key),
    );
  } catch (error) {
    for (const { abandon } of begun) await abandon(error);
    throw error;
  }
  return Promise.all(
    tasks.map((task, index) => finish(run, task, places[index] as Place, found[index] as Found, undefined)),
  );
}

async function finish(
  run: Run,
  task: Task,
  { key, ledgerKey }: Place,
  found: Found,
  replaces: string | undefined,
): Promise<string> {
  const { organization, step, definition } = task;
  const digests = await digestsOf(run, task);
  const object = ledgerObject(task, found.id, managedValues(run, task), digests);
  const before = run.book.object(organization, ledgerKey);
  await run.book.write({
    event: 'object',
    organization,
    key: ledgerKey,
    object: replaces === undefined ? object : { ...object, replaces },
  });
  run.own.linked(definition, key, true);
  if (definition.pair.length === 0) run.references.set(organization, step.address, found.id);
  const isGone = replaces === undefined && before !== undefined && before.id !== found.id;
  if (isGone) await removeLinksOf(run, task, before.id);
  return found.id;
}
