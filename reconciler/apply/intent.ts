/** The journaled beginning of a create: a new one, or the one that an interrupted apply left. */
import { ApiError } from '../../client/errors';
import type { Intent } from '../../resources/definition';
import type { FieldValues } from '../../resources/values';
import type { PendingIntent } from '../ledger/ledger';
import { nonceName } from '../nonce';
import { ledgerObject } from './record';
import type { Place, Run, Task } from './run';

/** What an interrupted apply made has its name already, and nobody knows whether it holds what is wanted now. */
export class FinishedOtherwise extends Error {
  override readonly name = 'FinishedOtherwise';
}

/** A create that was begun; `abandon` ends it when the service refused it and nothing can arrive any more. */
export interface Begun {
  readonly intent: Intent;
  abandon(error: unknown): Promise<void>;
}

/** Goes on with what an earlier apply began if its inputs were the same, else clears it away; then journals the intent. */
export async function beginCreate(
  run: Run,
  task: Task,
  place: Place,
  inputs: FieldValues,
  replaces: string | undefined,
): Promise<Begun> {
  const { organization, definition } = task;
  const earlier = run.book.pending(organization, place.ledgerKey);
  if (earlier !== undefined) {
    const same = (await hashOf(run, task, inputs, earlier.nonce)) === earlier.hash;
    if (definition.idPrefix !== undefined && earlier.id === undefined) await bury(run, task, earlier.nonce);
    if (same) return begun(run, task, place, earlier, 'same');
    await discard(run, task, place, earlier);
  }
  const isLink = definition.pair.length > 0;
  const nonce = isLink ? place.ledgerKey : nonceName(organization, task.step.address, run.random(6));
  const intent: PendingIntent = {
    kind: definition.kind,
    nonce,
    hash: await hashOf(run, task, inputs, nonce),
    ...(replaces === undefined ? {} : { replaces }),
  };
  await run.book.write({ event: 'intent', organization, key: place.ledgerKey, intent });
  return begun(run, task, place, intent, 'none');
}

/** A link holds nothing but its pair, which is its nonce. */
async function hashOf(run: Run, { definition }: Task, inputs: FieldValues, nonce: string): Promise<string> {
  return definition.pair.length > 0 ? nonce : run.digests.intentHash(inputs, nonce);
}

function begun(run: Run, task: Task, place: Place, pending: PendingIntent, earlier: 'none' | 'same'): Begun {
  const { organization } = task;
  const key = place.ledgerKey;
  let uncertain = earlier === 'same';
  return {
    intent: {
      nonce: pending.nonce,
      earlier,
      ...(pending.id === undefined ? {} : { id: pending.id }),
      created: (id) => run.book.write({ event: 'created', organization, key, id }),
      mayArriveLate: async () => {
        uncertain = true;
        await bury(run, task, pending.nonce);
      },
    },
    abandon: async (error) => {
      const nothingDone = error instanceof ApiError && error.outcome !== 'ambiguous';
      const made = run.book.pending(organization, key)?.id !== undefined;
      if (nothingDone && !made && !uncertain) await run.book.endIntent(organization, key);
    },
  };
}

/** Remembers a nonce under which a request may still be carried out. */
export async function bury(run: Run, { organization, step, definition }: Task, nonce: string): Promise<void> {
  if (run.book.hasTombstone(organization, nonce)) return;
  const tombstone = { kind: definition.kind, address: step.address, nonce, since: run.book.stamp() };
  await run.book.write({ event: 'late', organization, tombstone });
}

/** What was left with other inputs is deleted while it is still under its nonce; else it is recorded as it is. */
async function discard(run: Run, task: Task, place: Place, earlier: PendingIntent): Promise<void> {
  const { organization, step, definition } = task;
  const named = await definition.discard?.(run.api, place.key, earlier.nonce, earlier.id);
  if (named === undefined) return;
  const seen = Object.fromEntries(
    Object.keys(step.managed).flatMap((field) => {
      const value = named.values[field];
      return value === undefined ? [] : [[field, value] as const];
    }),
  );
  const replaces = earlier.replaces === undefined ? {} : { replaces: earlier.replaces };
  const object = { ...ledgerObject(task, named.id, seen, {}), ...replaces };
  await run.book.write({ event: 'object', organization, key: place.ledgerKey, object });
  throw new FinishedOtherwise(
    `an interrupted apply had made ${named.id} with other values; the ledger has it now as it is. Plan again to see what differs`,
  );
}
