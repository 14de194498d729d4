/** `tether ledger`: shows the ledger or frees its lock. */
import { plain } from '../../client/text';
import { freeLock, type LedgerStore } from '../../reconciler/ledger/store';
import { ledgerReport } from '../../reconciler/render/show';
import { renderText } from '../../reconciler/render/text';
import type { Call } from '../call';
import { UserError } from '../errors';
import { readSound, storeOf, whoRuns } from '../folder';
import type { Outcome } from '../outcome';

export async function showLedger(call: Call): Promise<Outcome> {
  const store = storeHere(call);
  const ledger = await call.read('Reading the ledger', () => store.read());
  if (ledger === null)
    throw new UserError(`there is no ledger at ${store.place} yet; tether apply creates it`);
  call.print(renderText(ledgerReport(ledger, store.place), call.color));
  call.printJson('done', { place: store.place, ledger });
  return 'done';
}

export async function unlock(call: Call): Promise<Outcome> {
  const [id = ''] = call.args;
  const store = storeHere(call);
  // An interruption may leave a lock that this command took to see whether there is one.
  const work = call.read('Unlocking', () => freeLock(store, id, whoRuns(call)));
  const { who, since } = await work.finally(() => store.unlock());
  call.print(`${plain(`Removed the lock of ${who} since ${since}.`)}\n`);
  call.printJson('done', { unlocked: { id, who, since } });
  return 'done';
}

function storeHere(call: Call): LedgerStore {
  return storeOf(call, readSound(call, '.').manifests);
}
