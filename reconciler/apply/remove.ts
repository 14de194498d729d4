/** Deletes, clean-ups and forgetting: out of the ledger with all links. */
import { NotFound } from '../../client/errors';
import { provedGone, unlessNotFound } from '../../resources/safe-calls';
import { ledgerKey } from '../ledger-key';
import { refuseStale, removeLinksOf } from './change';
import { objectIdOf, type Run, Stale, type Task, type Tasks } from './task';

/** One object, which may be proved missing, or several links in one call. */
export async function remove(tasks: Tasks) {
  const [{ definition, run }] = tasks;
  const ids = tasks.map(objectIdOf);
  const keys = tasks.map(({ key }) => key);
  await (definition.batch?.delete(run.api, keys) ?? Promise.all(tasks.map(callDelete)));
  for (const task of tasks) await takeOut(task);
  return ids;
}

/** What was looked at longer ago is looked at again before it is deleted. */
const freshForMs = 30_000;

/** Throws when the object was changed, or nobody can tell. A link's delete looks itself. */
async function callDelete(task: Task) {
  const { run, definition, isLink, key } = task;
  const id = objectIdOf(task);
  if (!isLink && definition.read !== undefined) {
    const look = run.looks.get(id);
    try {
      if (look && performance.now() - look.at < freshForMs) refuseStale(task, look, true);
      else refuseStale(task, await definition.read(run.api, id));
    } catch (error) {
      if (error instanceof NotFound && (await provedGone(run.api, definition, id, key))) return;
      throw error;
    }
  }
  await definition.delete(run.api, id, key);
}

async function takeOut(task: Task) {
  const { run, step, definition, isLink, key, entryKey } = task;
  const id = objectIdOf(task);
  run.own.linked(definition, key, false);
  if (!isLink) await removeLinksOf(task, id);
  const object = run.ledger.objects.get(entryKey);
  if (step.reason === 'replaced' && object?.replaces === id) {
    const { replaces, ...rest } = object;
    await run.ledger.write({ event: 'object', key: entryKey, object: { ...rest, replaced: replaces } });
    return;
  }
  if (object?.id === id) await run.ledger.remove(entryKey, id);
  else await run.ledger.write({ event: 'deleted', kind: definition.kind, id });
}

/** With its links and those of what it was about to replace. */
export async function forget(task: Task) {
  const { run, step, entryKey } = task;
  const object = run.ledger.objects.get(entryKey);
  for (const id of [object?.id, object?.replaces]) {
    if (id !== undefined) await removeLinksOf(task, id);
  }
  await run.ledger.remove(entryKey, step.objectId);
  return object?.id;
}

/** Deletes what an unfinished create left, if it still is that, and ends that create. */
export async function cleanUp(task: Task) {
  const { run, step, definition } = task;
  const id = step.objectId;
  const nonce = id === undefined ? step.key : await deleteLeftover(task, id);
  if (run.continued.has(nonce)) return id;
  for (const key of keysUnder(run, nonce)) {
    // It stays unconfirmed until it is old: after one request its retry may arrive late too.
    if (definition.idPrefix !== undefined && !run.ledger.isUnconfirmed(nonce)) {
      await run.ledger.recordUnconfirmed(definition.kind, step.address, nonce);
    }
    await run.ledger.endIntent(key);
  }
  return id;
}

/** Returns its temporary name. */
async function deleteLeftover({ run, step, definition, key, isLink }: Task, id: string) {
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

function keysUnder({ ledger }: Run, nonce: string) {
  return [...ledger.pending].flatMap(([key, one]) => (one.nonce === nonce ? key : []));
}
