/** Carries out updates and adoptions: looked at again, written in place, recorded. */
import { NotFound } from '../../client/errors';
import { type FieldValues, type Found, partOf } from '../../resources/kind';

import { digestsOf, managedValues } from './record';
import { type Place, placeOf, type Run, secretsOf, type Task } from './run';
import { refuseStale, Stale } from './stale';

/** Writes what differs, if anything does, and records the object as it is then. */
export async function update(run: Run, task: Task): Promise<string> {
  const { step, definition } = task;
  const place = placeOf(run, task);
  const id = objectId(run, task, place);
  const changes = changesOf(run, task);
  if (Object.keys(changes).length > 0) {
    if (definition.update === undefined) throw new Error(`${definition.kind} has no update`);
    const found = await readAgain(run, task, id);
    refuseStale(run, task, found);
    await definition.update(run.api, id, changes, found.values);
  }
  const before = run.ledger.objects.get(place.ledgerKey);
  const { unverified: earlier = [], ...kept } = before?.id === id ? before : { digests: {} };
  const digests = { ...kept.digests, ...(await digestsOf(run, task)) };
  const unverified = [...new Set([...earlier, ...(step.unverified ?? [])])].filter(
    (field) => !(field in digests),
  );
  await run.ledger.write({
    event: 'object',
    key: place.ledgerKey,
    object: {
      ...kept,
      kind: step.kind,
      id,
      file: step.file,
      values: managedValues(run, task),
      digests,
      ...(unverified.length === 0 ? {} : { unverified }),
      protect: step.protect,
    },
  });
  return id;
}

/** The object as it is now. Throws `Stale` when it cannot be seen any more. */
export async function readAgain(run: Run, { step, definition }: Task, id: string): Promise<Found> {
  if (definition.read === undefined) throw new Error(`${definition.kind} has no read`);
  try {
    return await definition.read(run.api, id);
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    throw new Stale(
      `${step.address}: ${id} is not there any more, or the token may no longer see it. Nothing was written; plan again`,
    );
  }
}

function objectId(run: Run, { step, definition }: Task, { key, ledgerKey }: Place): string {
  const known = step.objectId ?? run.ledger.objects.get(ledgerKey)?.id;
  if (known !== undefined) return known;
  if (definition.idPrefix !== undefined) throw new Error(`${step.id} does not say which object it is about`);
  return definition.pair.map((field) => partOf(key, field)).join('/');
}

/** Only what changes, by field; secrets besides. */
function changesOf(run: Run, task: Task): FieldValues {
  const { step } = task;
  const inputs = run.references.resolve(step.inputs);
  const changes: Record<string, FieldValues[string]> = {};
  for (const { field, to, local, secret } of step.changes) {
    const value = inputs[field] ?? to;
    if (!local && secret === undefined && value !== undefined) changes[field] = value;
  }
  return { ...changes, ...secretsOf(run, task) };
}
