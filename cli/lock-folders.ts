/** Locks the ledgers of a command's folders, and frees them whatever happens. */
import { randomUUID } from 'node:crypto';
import { errorCode } from '../client/errors';
import { howToUnlock, type LedgerStore } from '../reconciler/ledger/store';
import type { SharedFindings } from '../reconciler/shared-limit';
import { whoRuns } from './author';
import { type Call, shellWord } from './call';
import { explain, UserError } from './errors';
import { type OfflineFolder, openLedger, readSound } from './open-folder';
import { findWorst, type Outcome } from './outcome';
import { endCommand, type NamedResult, printOverview } from './results';
import { currentValues, type FolderStage, forEachFolder } from './run-folders';

interface LockedResults extends SharedFindings {
  readonly results: readonly NamedResult[];
  /** The table of these very results is printed. */
  readonly isPrinted: boolean;
}

/** Works while all ledgers are locked, and ends the command. */
export async function lockFolders(
  call: Call,
  folders: readonly FolderStage<OfflineFolder>[],
  work: (lockedFolders: readonly FolderStage<OfflineFolder>[]) => Promise<LockedResults>,
): Promise<Outcome> {
  const { result, failures } = await unlockAfter(call, currentValues(folders), async () =>
    work(await lockAll(call, folders)),
  );
  const { results, isPrinted, ...findings } = result;
  const unlocked = results.map((folder): NamedResult => {
    const error = failures.get(folder.folder);
    if (error === undefined) return folder;
    const { message: reason } = error;
    // All steps are recorded, but nobody can apply until the lock is freed.
    const outcome = findWorst([folder.outcome, 'failed']);
    const failure = [folder.failure, reason].filter(Boolean).join('\n');
    return { ...folder, outcome, reason, failure, document: { error, ...folder.document } };
  });
  if (unlocked.length > 1 && (!isPrinted || failures.size > 0)) {
    call.print('\n');
    printOverview(call, call.command, unlocked, findings);
  }
  return endCommand(call, unlocked, findings);
}

type LockedFolder = Pick<OfflineFolder, 'path' | 'store'>;

/** The `error` members of documents. The keys are the paths of folders. */
type Failures = ReadonlyMap<string, { readonly code: string; readonly message: string }>;

/**
 * Does the work, which may lock these stores, and then unlocks them, side by side. A second Ctrl-C names the locks that stay. A failure to unlock is printed and returned by
 * the path of its folder, so that it hides no error of the work.
 */
export async function unlockAfter<Result>(
  call: Call,
  folders: readonly LockedFolder[],
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly failures: Failures }> {
  const failures = new Map<string, { code: string; message: string }>();
  const unlock = async (path: string, store: LedgerStore): Promise<void> => {
    await store.unlock().catch((error: unknown) => {
      const message = explain(error, false);
      failures.set(path, { code: errorCode(error), message });
      call.log('error', `error: ${message}`);
    });
  };
  const listener = () => nameLocks(call, folders);
  call.io.signal.addEventListener('quit', listener);
  try {
    return { result: await work(), failures };
  } finally {
    await Promise.all(folders.map(({ path, store }) => unlock(path, store)));
    call.io.signal.removeEventListener('quit', listener);
  }
}

function nameLocks(call: Call, folders: readonly LockedFolder[]): void {
  const lockedFolders = folders.filter(({ store }) => store.lockAtExit !== null);
  const [id] = lockedFolders.flatMap(({ store }) => store.lockAtExit ?? []);
  if (id === undefined) return;
  const places = lockedFolders.map(({ store }) => store.place).join(', ');
  const paths = folders.length > 1 ? lockedFolders.map(({ path }) => shellWord(path)) : [];
  const verb = lockedFolders.length === 1 ? 'stays' : 'stay';
  call.log('error', `${places} ${verb} locked: ${howToUnlock(id, paths)}`);
}

/** Locks in the order of the places, so that two runs never wait for each other. One id frees all locks of a run. */
async function lockAll(
  call: Call,
  folders: readonly FolderStage<OfflineFolder>[],
): Promise<readonly FolderStage<OfflineFolder>[]> {
  const { lockTimeout = 0 } = call.flags;
  const deadline = performance.now() + lockTimeout * 1000;
  const holder = { id: randomUUID(), who: whoRuns(call) };
  // The name of a file depends on the working directory, so its absolute path counts.
  const placeAt = (folder: FolderStage<OfflineFolder>) => {
    if ('result' in folder) return '';
    const { reading, store } = folder.value;
    return reading.manifests.ledger === null ? reading.manifests.folder : store.place;
  };
  const byPlace = folders.toSorted((left, right) => (placeAt(left) < placeAt(right) ? -1 : 1));
  const lockedFolders = await forEachFolder(call, byPlace, async (folder) => {
    const { store } = folder;
    call.log('info', `Locking ${store.place}`);
    const left = Math.max(0, deadline - performance.now());
    await call.untilInterrupted('Locking the ledger', () => store.lock(holder, left));
    if (store.note) call.log('warn', store.note);
    return { value: folder };
  });
  const inOrder = folders.flatMap(({ path }) => lockedFolders.filter((folder) => folder.path === path));
  // Somebody may have edited the manifests while one of the locks was waited for.
  return lockTimeout === 0 ? inOrder : forEachFolder(call, inOrder, (folder) => readAfterWait(call, folder));
}

async function readAfterWait(call: Call, { path, reading: before, store }: OfflineFolder) {
  const reading = readSound(call, path);
  const isSame = reading.manifests.organization === before.manifests.organization;
  if (!isSame || openLedger(call, reading.manifests).place !== store.place) {
    throw new UserError('`organization` or `ledger` was changed during the wait: run the command again');
  }
  return { value: { path, reading, store } };
}
