/** `tether ledger`: looking into the ledger, and freeing a lock whose holder is dead. */
import { plain } from '../../client/text';
import type { Manifests } from '../../manifest/desired';
import { readManifests } from '../../manifest/read';
import type { Ledger } from '../../reconciler/ledger/ledger';
import { openStore, unlockDead } from '../../reconciler/ledger/open-store';
import { counted } from '../../reconciler/render/report';
import type { Call } from '../call';
import { UserError } from '../errors';
import { readOptions, soundManifests, storeContext } from '../folder';
import { exitCodeOf, type Outcome } from '../outcome';

export async function showLedger(call: Call): Promise<Outcome> {
  const manifests = manifestsHere(call);
  const store = openStore(manifests.ledgerPlace, storeContext(call, manifests));
  const ledger = await call.read('Reading the ledger', () => store.read());
  if (ledger === null)
    throw new UserError(`there is no ledger at ${store.place} yet; tether apply creates it`);
  call.print(renderLedger(ledger, store.place));
  call.printJson({ ...headOf(call), place: store.place, ledger });
  return 'done';
}

export async function unlock(call: Call): Promise<Outcome> {
  const manifests = manifestsHere(call);
  const [id = ''] = call.args;
  const { who, since } = await unlockDead(manifests.ledgerPlace, storeContext(call, manifests), id);
  call.print(plain(`Removed the lock of ${who} since ${since}.\n`));
  call.printJson({ ...headOf(call), unlocked: { id, who, since } });
  return 'done';
}

function manifestsHere(call: Call): Manifests {
  return soundManifests(call, '.', readManifests('.', readOptions(call)));
}

function headOf({ command }: Call) {
  return { version: 1, command, exitCode: exitCodeOf('done') };
}

function renderLedger(ledger: Ledger, place: string): string {
  const { organization, serial, lineage, objects, pending } = ledger;
  const lines = [
    ...Object.entries(objects).map(([key, { id, digests = {}, retiring = [] }]) => [
      key,
      ...(id === undefined ? [] : [id]),
      ...Object.keys(digests).map((field) => `${field}: (secret, written)`),
      ...retiring.map((old) => `retiring: ${old}`),
    ]),
    ...Object.entries(pending).map(([address, { attemptedAt }]) => [
      address,
      `create started at ${attemptedAt}`,
    ]),
  ].map((parts) => `  ${parts.join('  ')}`);
  const count = counted(Object.keys(objects).length, 'object');
  const head = `${organization} · ledger ${place}: lineage ${lineage}, serial ${serial}, ${count}`;
  return `${[head, ...lines].map((line) => plain(line)).join('\n')}\n`;
}
