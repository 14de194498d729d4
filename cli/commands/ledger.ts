/** `tether ledger`: shows the ledger or frees its lock. */
import { plain } from '../../client/text';
import type { Manifests } from '../../manifest/desired';
import { readManifests } from '../../manifest/read';
import { freeLock } from '../../reconciler/ledger/store';
import { ledgerReport } from '../../reconciler/render/show';
import { renderText } from '../../reconciler/render/text';
import type { Call } from '../call';
import { UserError } from '../errors';
import { readOptions, soundManifests, storeOf, whoRuns } from '../folder';
import type { Outcome } from '../outcome';

export async function showLedger(call: Call): Promise<Outcome> {
  const manifests = manifestsHere(call);
  const store = storeOf(call, manifests);
  const ledger = await call.read('Reading the ledger', () => store.read());
  if (ledger === null)
    throw new UserError(`there is no ledger at ${store.place} yet; tether apply creates it`);
  call.print(renderText(ledgerReport(ledger, store.place), call.color));
  call.printJson('done', { place: store.place, ledger });
  return 'done';
}

export async function unlock(call: Call): Promise<Outcome> {
  const manifests = manifestsHere(call);
  const [id = ''] = call.args;
  const store = storeOf(call, manifests);
  const { who, since } = await call.read('Unlocking', () => freeLock(store, id, whoRuns(call)));
  call.print(plain(`Removed the lock of ${who} since ${since}.\n`));
  call.printJson('done', { unlocked: { id, who, since } });
  return 'done';
}

function manifestsHere(call: Call): Manifests {
  return soundManifests(call, '.', readManifests('.', readOptions(call)));
}
