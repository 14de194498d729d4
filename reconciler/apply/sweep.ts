/** Carries out sweeps: deletes what arrived late under a nonce of ours, and nothing else. */
import { provedGone, unlessNotFound } from '../../resources/gone';
import { ledgerKey } from '../ledger-key';
import { bury } from './intent';
import { placeOf, type Run, type Task } from './run';
import { Stale } from './stale';

/** Deletes the object after reading that it still carries exactly a nonce that the ledger remembers. */
export async function sweep(run: Run, task: Task): Promise<string> {
  const { organization, step, definition } = task;
  const { key } = placeOf(run, task);
  const id = step.objectId;
  if (id === undefined || definition.read === undefined) {
    throw new Error(`${step.id} does not say which object it is about`);
  }
  const found = await unlessNotFound(definition.read(run.api, id));
  if (found === undefined) {
    if (await provedGone(run.api, definition, id, key)) return id;
    throw new Stale(`${id} cannot be seen any more: plan again`);
  }
  const name = definition.pair.length > 0 ? ledgerKey(definition, found.values) : found.values.name;
  const nonce = typeof name === 'string' ? name : '';
  refuseOthers(run, task, id, nonce);
  await definition.delete(run.api, id, key);
  // The tombstone stays until it is old: one request may have arrived late, and its retry may too.
  for (const pending of run.book.pendingUnder(organization, nonce)) {
    await bury(run, task, nonce);
    await run.book.endIntent(organization, pending);
  }
  return id;
}

function refuseOthers(run: Run, { organization, step }: Task, id: string, nonce: string): void {
  const isOurs =
    run.book.hasTombstone(organization, nonce) || run.book.pendingUnder(organization, nonce).length > 0;
  if (!isOurs) {
    throw new Stale(
      `${id} is called ${JSON.stringify(nonce)} now, which no unfinished create of ours is: it was left alone. Plan again`,
    );
  }
  const inUse = run.book
    .objects(organization)
    .some(([, object]) => object.kind === step.kind && object.id === id);
  if (inUse || run.continued.has(`${organization} ${nonce}`)) {
    throw new Stale(`${id} is in use by this ledger: it was left alone. Plan again`);
  }
}
