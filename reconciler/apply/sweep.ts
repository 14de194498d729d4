/** Carries out sweeps: deletes what arrived late under a nonce of ours, and nothing else. */
import { provedGone, unlessNotFound } from '../../resources/safe-calls';
import { ledgerKey } from '../ledger-key';
import { placeOf, type Run, type Task } from './run';
import { Stale } from './stale';

/** Deletes the object after looking that it still is what an unfinished create made; then no create goes on under its nonce. */
export async function sweep(run: Run, task: Task): Promise<string | undefined> {
  const { step, definition } = task;
  const id = step.objectId;
  const nonce = id === undefined ? step.key : await deleteLeftover(run, task, id);
  // The tombstone stays until it is old: one request may have arrived late, and its retry may too.
  const unfinished = keysUnder(run, nonce);
  if (run.continued.has(nonce)) return id;
  for (const pending of unfinished) {
    if (definition.idPrefix !== undefined) await run.ledger.recordUnconfirmed(step.kind, step.address, nonce);
    await run.ledger.endIntent(pending);
  }
  return id;
}

/** Returns the nonce of what was deleted, or is gone. */
async function deleteLeftover(run: Run, task: Task, id: string): Promise<string> {
  const { step, definition } = task;
  const { key } = placeOf(run, task);
  const isLink = definition.pair.length > 0;
  const found = definition.read === undefined ? null : await unlessNotFound(definition.read(run.api, id));
  if (found === undefined) {
    if (await provedGone(run.api, definition, id, key)) return step.key;
    throw new Stale(`${id} cannot be seen any more: plan again`);
  }
  const name = isLink ? ledgerKey(definition, found?.values ?? key) : found?.values.name;
  const nonce = typeof name === 'string' ? name : '';
  refuseOthers(run, task, id, nonce);
  await definition.delete(run.api, id, key);
  return nonce;
}

function refuseOthers(run: Run, { step }: Task, id: string, nonce: string): void {
  const isOurs = run.ledger.isUnconfirmed(nonce) || keysUnder(run, nonce).length > 0;
  if (!isOurs) {
    throw new Stale(
      `${id} is called ${JSON.stringify(nonce)} now, which no unfinished create of ours is: it was left alone. Plan again`,
    );
  }
  if (run.ledger.manages(step.kind, id))
    throw new Stale(`${id} is in use by this ledger: it was left alone. Plan again`);
}

/** The keys whose unfinished create carries that nonce. */
function keysUnder(run: Run, nonce: string): readonly string[] {
  return [...run.ledger.pending].filter(([, one]) => one.nonce === nonce).map(([key]) => key);
}
