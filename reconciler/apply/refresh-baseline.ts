/** Records what the ledger only has to learn: managed values or files that changed without any call. */
import type { Plan } from '../plan/plan';
import type { Run } from './run';

/** Brings the entries up to date. Rejects with `JournalFailed`. */
export async function refreshBaseline(
  { book, definitions }: Pick<Run, 'book' | 'definitions'>,
  plan: Plan,
): Promise<void> {
  for (const { key, managed, file } of plan.baselineRefresh) {
    const object = book.object(key);
    if (object === undefined) continue;
    // The record would end an unfinished create of that key, which is not what happened; but a link that is there is all its create could make.
    const isLink = definitions.get(object.kind)?.idPrefix === undefined;
    if (!isLink && book.pending(key) !== undefined) continue;
    await book.write({ event: 'object', key, object: { ...object, values: managed, file } });
  }
}
