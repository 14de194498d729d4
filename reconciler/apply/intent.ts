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
  const earlier = run.ledger.pending.get(place.ledgerKey);
  if (earlier !== undefined) {
    const same = (await hashOf(run, task, inputs, earlier.nonce)) === earlier.hash;
    if (definition.idPrefix !== undefined)
      await run.ledger.recordUnconfirmed(definition.kind, task.step.address, earlier.nonce);
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
  await run.ledger.write({ event: 'intent', key: place.ledgerKey, intent });
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
    await run.ledger.write({ event: 'object', key, object: { ...object, id } });
    recorded = true;
  };
  return {
    intent: {
      nonce,
      earlier,
      existed: (id) => run.seen.has(id) || run.ledger.manages(task.definition.kind, id),
      created: record,
      mayArriveLate: async () => {
        uncertain = true;
        await run.ledger.recordUnconfirmed(task.definition.kind, task.step.address, nonce);
      },
      leftNothing: () => run.ledger.endIntent(key),
    },
    record,
    abandon: async (error) => {
      const nothingDone = error instanceof ApiError && error.outcome !== 'ambiguous';
      if (nothingDone && !uncertain) await run.ledger.endIntent(key);
    },
  };
}
