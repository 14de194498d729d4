/** Carries out creates and replacements: journaled before, in the ledger as soon as the id is known. */
import { type FieldValues, type Found, partOf } from '../../resources/kind';

import { personNeeded } from '../connecting';
import type { LedgerObject } from '../ledger/ledger';
import { type Begun, beginCreate } from './intent';
import { digestsOf, managedValues, removeLinksOf } from './record';
import { type Place, placeOf, type Run, secretsOf, type Task } from './run';

/** The objects whose place a new one takes: the one that is still to be destroyed, and the one that is gone. */
interface Former {
  readonly replaces?: string | undefined;
  readonly replaced?: string | undefined;
}

/** Creates one object and returns its id. With `replaces`, the old object is remembered until it is destroyed. */
export async function create(run: Run, task: Task, replaces?: string): Promise<string> {
  const { definition } = task;
  const place = placeOf(run, task);
  const inputs = inputsOf(run, task, place);
  const before = run.ledger.objects.get(place.ledgerKey);
  // What an earlier replacement left to be destroyed is not forgotten because its successor is made again.
  const former = {
    replaces: replaces ?? before?.replaces,
    replaced: replaces === undefined ? before?.id : undefined,
  };
  const object = await unborn(run, task, definition.pair.length > 0 ? {} : former);
  const begun = await beginCreate(run, task, place, inputs, object);
  let found: Found;
  try {
    found = await definition.create(run.api, place.key, inputs, begun.intent);
  } catch (error) {
    await begun.abandon(error);
    throw error;
  }
  await finish(run, task, place, begun, found);
  const isGone = replaces === undefined && before !== undefined && before.id !== found.id;
  if (isGone) await removeLinksOf(run, task, before.id);
  return found.id;
}

/** Creates several links of one group in one call and returns their ids. */
export async function createTogether(run: Run, tasks: readonly Task[]): Promise<readonly string[]> {
  const batch = tasks[0]?.definition.batch;
  if (batch === undefined) throw new Error('these links cannot be made in one call');
  const all = await Promise.all(
    tasks.map(async (task) => {
      const place = placeOf(run, task);
      return { task, place, begun: await beginCreate(run, task, place, place.key, await unborn(run, task)) };
    }),
  );
  let found: readonly Found[];
  try {
    found = await batch.create(
      run.api,
      all.map(({ place }) => place.key),
    );
  } catch (error) {
    for (const { begun } of all) await begun.abandon(error);
    throw error;
  }
  return Promise.all(
    all.map(async ({ task, place, begun }, index) => {
      const made = found[index];
      if (made === undefined) throw new Error(`${task.step.id} was made, and its call did not say so`);
      await finish(run, task, place, begun, made);
      return made.id;
    }),
  );
}

/** What the create sends. The ends of a link are those of its place, which are known without a ledger too. */
function inputsOf(run: Run, task: Task, { key }: Place): FieldValues {
  const { step, definition } = task;
  const ends = Object.fromEntries(definition.pair.map((field) => [field, partOf(key, field)]));
  return { ...run.references.resolve({ ...step.inputs, ...ends }), ...secretsOf(run, task) };
}

/** What the ledger will hold of the new object. */
async function unborn(run: Run, task: Task, former: Former = {}): Promise<Omit<LedgerObject, 'id'>> {
  const { replaces, replaced } = former;
  const { kind, file, protect } = task.step;
  const values = managedValues(run, task);
  const digests = await digestsOf(run, task);
  return {
    kind,
    file,
    values,
    digests,
    protect,
    ...(replaces === undefined ? {} : { replaces }),
    ...(replaced === undefined ? {} : { replaced }),
  };
}

async function finish(run: Run, task: Task, { key }: Place, begun: Begun, found: Found): Promise<void> {
  await begun.record(found.id);
  run.own.linked(task.definition, key, true);
  const needed = personNeeded(found.outputs, run.api.address);
  if (needed !== null) run.note(task, needed);
}
