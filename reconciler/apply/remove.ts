/** Deletes, clean-ups and forgetting: looked at again where it matters, then out of the ledger with all that hung on it. */
import { NotFound } from '../../client/errors';
import { provedGone, unlessNotFound } from '../../resources/safe-calls';
import { ledgerKey } from '../ledger-key';
import { refuseStale, removeLinksOf } from './change';
import { idOf, type Run, Stale, type Task } from './task';

/** Deletes one object, where one that is proved missing is no error, or several links in one call. */
export async function remove(run: Run, tasks: readonly Task[]): Promise<readonly string[]> {
  const ids = tasks.map(idOf);
  const keys = tasks.map(({ key }) => key);
  const batch = tasks[0]?.definition.batch;
  if (batch === undefined) await Promise.all(tasks.map((task) => callDelete(run, task)));
  else await batch.delete(run.api, keys);
  for (const task of tasks) await takeOut(run, task);
  return ids;
}

/** Deletes nothing that is proved missing; throws when it was changed or when nobody can tell. A link's delete looks itself. */
async function callDelete(run: Run, task: Task): Promise<void> {
  const { definition, isLink, key } = task;
  const id = idOf(task);
  if (!isLink && definition.read !== undefined) {
    try {
      refuseStale(run, task, await definition.read(run.api, id));
    } catch (error) {
      if (error instanceof NotFound && (await provedGone(run.api, definition, id, key))) return;
      throw error;
    }
  }
  await definition.delete(run.api, id, key);
}

async function takeOut(run: Run, task: Task): Promise<void> {
  const { step, definition, isLink, key, ledgerKey: entryKey } = task;
  const id = idOf(task);
  run.own.linked(definition, key, false);
  if (!isLink) await removeLinksOf(run, task, id);
  const object = run.ledger.objects.get(entryKey);
  if (step.reason === 'replaced' && object?.replaces === id) {
    const { replaces, ...rest } = object;
    await run.ledger.write({ event: 'object', key: entryKey, object: { ...rest, replaced: replaces } });
    return;
  }
  await run.ledger.remove(entryKey, id);
}

/** Takes the object out of the ledger, with its links and those of what it was about to replace; nothing is called. */
export async function forget(run: Run, task: Task): Promise<string | undefined> {
  const object = run.ledger.objects.get(task.ledgerKey);
  for (const id of [object?.id, object?.replaces]) {
    if (id !== undefined) await removeLinksOf(run, task, id);
  }
  await run.ledger.remove(task.ledgerKey, task.step.objectId);
  return object?.id;
}

/** Deletes what an unfinished create left, after looking that it still is that; then no create goes on under its temporary name. */
export async function cleanUp(run: Run, task: Task): Promise<string | undefined> {
  const { step, definition } = task;
  const id = step.objectId;
  const nonce = id === undefined ? step.key : await deleteLeftover(run, task, id);
  if (run.continued.has(nonce)) return id;
  for (const key of keysUnder(run, nonce)) {
    // It stays unconfirmed until it is old: one request may have arrived late, and its retry may too.
    if (definition.idPrefix !== undefined) {
      await run.ledger.recordUnconfirmed(definition.kind, step.address, nonce);
    }
    await run.ledger.endIntent(key);
  }
  return id;
}

/** Returns the temporary name of what was deleted, or is missing. */
async function deleteLeftover(run: Run, task: Task, id: string): Promise<string> {
  const { step, definition, key, isLink } = task;
  const found = definition.read === undefined ? null : await unlessNotFound(definition.read(run.api, id));
  if (found === undefined) {
    if (await provedGone(run.api, definition, id, key)) return step.key;
    throw new Stale(`${id} cannot be seen any more: plan again`);
  }
  const name = isLink ? ledgerKey(definition, found?.values ?? key) : found?.values.name;
  const nonce = typeof name === 'string' ? name : '';
  if (!run.ledger.isUnconfirmed(nonce) && keysUnder(run, nonce).length === 0) {
    throw new Stale(
      `${id} is called ${JSON.stringify(nonce)} now, which no unfinished create of ours is: it was left alone. Plan again`,
    );
  }
  if (run.ledger.manages(step.kind, id)) {
    throw new Stale(`${id} is in use by this ledger: it was left alone. Plan again`);
  }
  await definition.delete(run.api, id, key);
  return nonce;
}

/** The keys of the unfinished creates with that temporary name. */
function keysUnder(run: Run, nonce: string): readonly string[] {
  return [...run.ledger.pending].filter(([, one]) => one.nonce === nonce).map(([key]) => key);
}
