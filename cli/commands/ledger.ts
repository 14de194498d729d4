/** `tether ledger`: shows a ledger, moves its file, or frees the locks of a run. */
import { plain } from '../../client/text';
import { FileStore } from '../../reconciler/ledger/file-store';
import { moveLedger } from '../../reconciler/ledger/move';
import { openHome } from '../../reconciler/ledger/open-store';
import { freeLock } from '../../reconciler/ledger/store';
import { ledgerReport } from '../../reconciler/render/show';
import { renderText } from '../../reconciler/render/text';
import { counted } from '../../resources/names';
import { whoRuns } from '../author';
import type { Call } from '../call';
import { chooseFolders } from '../choose-folders';
import { UserError } from '../errors';
import { unlockAfter } from '../lock-folders';
import { ledgerContext, openLedger, readLock, readSound } from '../open-folder';
import type { Outcome } from '../outcome';
import { runFolders, toStages } from '../run-folders';

export async function showLedger(call: Call): Promise<Outcome> {
  const [path = '.'] = call.args;
  const store = openLedger(call, readSound(call, path).manifests);
  const ledger = await call.untilInterrupted('Reading the ledger', () => store.read());
  if (ledger === null)
    throw new UserError(`there is no ledger at ${store.place} yet; tether apply creates it`);
  const lock = await readLock(store);
  call.print(renderText(ledgerReport(ledger, store.place, lock), call.color));
  call.printJson('done', { place: store.place, ledger, ...lock });
  return 'done';
}

/** Ctrl-C does not abandon a move, because the user would have to run half a move again. */
export async function move(call: Call): Promise<Outcome> {
  const [path = '.'] = call.args;
  const context = ledgerContext(call, readSound(call, path).manifests);
  if (!context.ledger) throw new UserError('the manifests name no home: write it under `ledger:` first');
  const [file, home] = [new FileStore(context), openHome(context)];
  const stores = [file, home].map((store) => ({ path, store }));
  const { failures } = await unlockAfter(call, stores, async () => {
    call.showProgress('Moving the ledger');
    const ledger = await moveLedger(file, home, { who: whoRuns(call) });
    const count = counted(Object.keys(ledger.objects).length, 'object');
    const moved = `Moved ${file.place} (${count}) to ${home.place}. Delete it in version control too.`;
    call.print(`${plain(moved)}\n`);
  });
  const outcome = failures.size > 0 ? 'failed' : 'done';
  const [error] = failures.values();
  call.printJson(outcome, { ...(error && { error }), moved: { from: file.place, to: home.place } });
  return outcome;
}

export async function unlock(call: Call): Promise<Outcome> {
  const [id = '', ...paths] = call.args;
  return runFolders(call, toStages(chooseFolders(call, paths)), async (path) => {
    // A killed move has locked the home while the file is there.
    const store = openHome(ledgerContext(call, readSound(call, path).manifests));
    const work = () => freeLock(store, id, whoRuns(call));
    const { who, since } = (await unlockAfter(call, [{ path, store }], work)).result;
    const summary = `Removed the lock of ${who} since ${since}.`;
    const document = { unlocked: { id, who, since } };
    return { outcome: 'done', summary, document, text: `${plain(summary)}\n` };
  });
}
