/** Records what the ledger only has to learn: managed values or files that changed without any call. */
import type { Plan } from '../plan/plan';
import type { Run } from './run';

/** Brings the entries up to date. Rejects with `JournalFailed`. */
export async function refreshBaseline(
  { ledger, definitions }: Pick<Run, 'ledger' | 'definitions'>,
  plan: Plan,
): Promise<void> {
  for (const { key, managed, file } of plan.baselineRefresh) {
    const object = ledger.objects.get(key);
    if (object === undefined) continue;
    // The record would end an unfinished create of that key, which is not what happened; but a link that is there is all its create could make.
    const isLink = definitions.get(object.kind)?.idPrefix === undefined;
    if (!isLink && ledger.pending.get(key) !== undefined) continue;
    await ledger.write({ event: 'object', key, object: { ...object, values: managed, file } });
  }
}
