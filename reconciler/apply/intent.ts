/** The journaled beginning of a create: a new one, or the one that an interrupted apply left. */
import { ApiError } from '../../client/errors';
import type { FieldValues, Intent } from '../../resources/kind';
import { nonceName } from '../../resources/names';

import type { LedgerObject, PendingIntent } from '../ledger/ledger';
import type { Place, Run, Task } from './run';

/** A create that was begun. */
export interface Begun {
  readonly intent: Intent;
  /** Records the object, once, and so ends the intent. */
  record(id: string): Promise<void>;
  /** Ends the intent when the service refused it and nothing can arrive any more. */
  abandon(error: unknown): Promise<void>;
}

/**
 * Goes on with what an earlier apply began if its inputs were the same, else clears it away; then journals the intent.
 * `object` is what the ledger is to hold of the new object, but for its id.
 */
export async function beginCreate(
  run: Run,
  task: Task,
  place: Place,
  inputs: FieldValues,
  object: Omit<LedgerObject, 'id'>,
): Promise<Begun> {
  const { definition } = task;
  const earlier = run.book.pending(place.ledgerKey);
  if (earlier !== undefined) {
    const same = (await hashOf(run, task, inputs, earlier.nonce)) === earlier.hash;
    if (definition.idPrefix !== undefined) await bury(run, task, earlier.nonce);
    if (same) return begun(run, task, place, earlier, object, 'same');
    await definition.discard?.(run.api, place.key, earlier.nonce);
  }
  const isLink = definition.pair.length > 0;
  const nonce = isLink ? place.ledgerKey : nonceName(run.organization, task.step.address, run.random(6));
  const intent: PendingIntent = {
    kind: definition.kind,
    nonce,
    hash: await hashOf(run, task, inputs, nonce),
  };
  await run.book.write({ event: 'intent', key: place.ledgerKey, intent });
  return begun(run, task, place, intent, object, 'none');
}

/** A link holds nothing but its pair, which is its nonce. */
async function hashOf(run: Run, { definition }: Task, inputs: FieldValues, nonce: string): Promise<string> {
  return definition.pair.length > 0 ? nonce : run.digests.intentHash(inputs, nonce);
}

function begun(
  run: Run,
  task: Task,
  place: Place,
  { nonce }: PendingIntent,
  object: Omit<LedgerObject, 'id'>,
  earlier: 'none' | 'same',
): Begun {
  const key = place.ledgerKey;
  let uncertain = earlier === 'same';
  let recorded = false;
  const record = async (id: string): Promise<void> => {
    if (recorded) return;
    await run.book.write({ event: 'object', key, object: { ...object, id } });
    recorded = true;
  };
  return {
    intent: {
      nonce,
      earlier,
      existed: (id) => run.seen.has(id) || run.book.objects().some(([, { id: held }]) => held === id),
      created: record,
      mayArriveLate: async () => {
        uncertain = true;
        await bury(run, task, nonce);
      },
      leftNothing: () => run.book.endIntent(key),
    },
    record,
    abandon: async (error) => {
      const nothingDone = error instanceof ApiError && error.outcome !== 'ambiguous';
      if (nothingDone && !uncertain) await run.book.endIntent(key);
    },
  };
}

/** Remembers a nonce under which a request may still be carried out. */
export async function bury(run: Run, { step, definition }: Task, nonce: string): Promise<void> {
  if (run.book.hasTombstone(nonce)) return;
  const tombstone = { kind: definition.kind, address: step.address, nonce, since: run.book.stamp() };
  await run.book.write({ event: 'late', tombstone });
}
