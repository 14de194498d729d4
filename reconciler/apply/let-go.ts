/** Carries out what only the ledger sees: moves and letting go. */
import { removeLinksOf } from './record';
import { placeOf, type Run, type Task } from './run';

/** Gives the ledger entry its new key, and its new file and protection. */
export async function move(run: Run, { step }: Task): Promise<string | undefined> {
  const from = step.movedFrom;
  if (from === undefined) throw new Error(`${step.id} does not say what it moves`);
  await run.ledger.write({ event: 'moved', from, to: step.key });
  const object = run.ledger.objects.get(step.key);
  if (object !== undefined && object.file !== step.file) {
    await run.ledger.write({
      event: 'object',
      key: step.key,
      object: { ...object, file: step.file },
    });
  }
  return object?.id;
}

/** Takes the object and its links out of the ledger; nothing is called. */
export async function forget(run: Run, task: Task): Promise<string | undefined> {
  const { step } = task;
  const { ledgerKey } = placeOf(run, task);
  const object = run.ledger.objects.get(ledgerKey);
  if (object !== undefined) await removeLinksOf(run, task, object.id);
  await run.ledger.remove(ledgerKey, step.objectId);
  return object?.id;
}
