/** Records what the ledger only has to learn: managed values or files that changed without any call. */
import type { Plan } from '../plan/plan';
import type { Book } from './book';

/** Brings the entries up to date. Rejects with `JournalFailed`. */
export async function refreshBaseline(book: Book, plan: Plan): Promise<void> {
  for (const { organization, baselineRefresh } of plan.organizations) {
    for (const { key, managed, file } of baselineRefresh) {
      const object = book.object(organization, key);
      // The record would end an unfinished create of that key, which is not what happened.
      if (object === undefined || book.pending(organization, key) !== undefined) continue;
      await book.write({ event: 'object', organization, key, object: { ...object, values: managed, file } });
    }
  }
}
