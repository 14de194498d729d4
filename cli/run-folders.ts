/** Runs the stages of a command for its folders. A folder that has ended takes no part in later stages. */
import { randomUUID } from 'node:crypto';
import type { ReadApi } from '../client/api';
import { createClient, createReadOnlyClient, type StepwiseApi } from '../client/client';
import type { ClientOptions } from '../client/options';
import { howToUnlock, type LedgerStore } from '../reconciler/ledger/store';
import { changedLinks, type Plan } from '../reconciler/plan/plan';
import type { Together } from '../reconciler/shared-limit';
import { groupBy } from '../resources/groups';
import { whoRuns } from './author';
import { type Call, shellWord } from './call';
import { chooseFolders } from './choose-folders';
import { explain, UserError } from './errors';
import { type Folder, openFolder, openLedger, readLock, readSound, type SoundManifests } from './open-folder';
import { findWorst, type Outcome } from './outcome';
import {
  endCommand,
  type FolderResult,
  failedResult,
  type NamedResult,
  nothingTogether,
  printOverview,
  printReports,
  refuseReport,
  toOverview,
} from './results';

/** A folder goes on with a value, or it has ended with a result. */
export type Stage<Value> = { readonly value: Value } | { readonly result: FolderResult };

/** A folder and its present stage. */
export type FolderStage<Value> = Stage<Value> & { readonly path: string; readonly organization?: string };

/** Runs one stage in each folder in turn. An error ends one folder, and an interruption ends all. */
export async function forEachFolder<From, To>(
  call: Call,
  folders: readonly FolderStage<From>[],
  work: (value: From, path: string) => Promise<Stage<To>>,
): Promise<readonly FolderStage<To>[]> {
  const later: FolderStage<To>[] = [];
  const isInterrupted = (folder: FolderStage<unknown>) =>
    'result' in folder && folder.result.outcome === 'interrupted';
  for (const folder of folders) {
    if ('result' in folder) {
      later.push(folder);
      continue;
    }
    const { value, ...about } = folder;
    const isOver = [...folders, ...later].some(isInterrupted);
    const attempt = isOver ? Promise.resolve({ result: notStarted }) : work(value, folder.path);
    const fail = (error: unknown) => ({ result: failedResult(call, error, folder.path) });
    later.push({ ...about, ...(await attempt.catch(fail)) });
  }
  return later;
}

const notStarted = { outcome: 'interrupted', summary: '', reason: 'not started', document: {} } as const;

export function toStages(paths: readonly string[]): readonly FolderStage<string>[] {
  return paths.map((path) => ({ path, value: path }));
}

/** Returns the values of the folders that have not ended. */
export function currentValues<Value>(folders: readonly FolderStage<Value>[]): readonly Value[] {
  return folders.flatMap((folder) => ('value' in folder ? [folder.value] : []));
}

/** Returns the results of all folders. `toResult` ends those that have not ended. */
export function toResults<Value>(
  folders: readonly FolderStage<Value>[],
  toResult: (value: Value) => FolderResult,
): readonly NamedResult[] {
  return folders.map((folder) => {
    const { path, organization } = folder;
    const result = 'result' in folder ? folder.result : toResult(folder.value);
    return { folder: path, ...(organization !== undefined && { organization }), ...result };
  });
}

/** Runs the only stage of a command in which no folder depends on another, and ends the command. */
export async function runFolders<Value>(
  call: Call,
  folders: readonly FolderStage<Value>[],
  work: (value: Value, path: string) => Promise<FolderResult>,
): Promise<Outcome> {
  refuseReport(call);
  const ended = await forEachFolder<Value, FolderResult>(call, folders, async (value, path) => {
    return { result: await work(value, path) };
  });
  const results = toResults(ended, (result) => result);
  printReports(call, call.command, results, nothingTogether);
  return endCommand(call, results);
}

/** Opens folders with clients that cannot write, and without a lock. */
export async function openFolders(
  call: Call,
  paths: readonly string[],
): Promise<readonly FolderStage<Folder<ReadApi>>[]> {
  const folders = await openAll(call, await readFolders(call, paths), createReadOnlyClient);
  return forEachFolder(call, folders, async (folder) => {
    return { value: { ...folder, ...(await call.read('Reading the lock', () => readLock(folder.store))) } };
  });
}

interface LockedResults extends Together {
  readonly results: readonly NamedResult[];
  /** The table of these very results is printed. */
  readonly isPrinted: boolean;
}

/** Works with clients that can write while all ledgers are locked, and ends the command. */
export async function lockFolders(
  call: Call,
  work: (folders: readonly FolderStage<Folder<StepwiseApi>>[]) => Promise<LockedResults>,
): Promise<Outcome> {
  const read = await readFolders(call, call.args);
  const nameLocks = () => {
    const lockedFolders = currentValues(read).filter(({ store }) => store.lockAtExit !== null);
    const [id] = lockedFolders.flatMap(({ store }) => store.lockAtExit ?? []);
    if (id === undefined) return;
    const places = lockedFolders.map(({ store }) => store.place).join(', ');
    const paths = read.length > 1 ? lockedFolders.map(({ path }) => shellWord(path)) : [];
    const verb = lockedFolders.length === 1 ? 'stays' : 'stay';
    call.log('error', `${places} ${verb} locked: ${howToUnlock(id, paths)}`);
  };
  call.io.signal.addEventListener('quit', nameLocks);
  const failures = new Map<string, string>();
  const unlock = async ({ store, path }: OfflineFolder): Promise<void> => {
    const fail = (error: unknown) => {
      failures.set(path, explain(error, false));
      call.log('error', `error: ${failures.get(path)}`);
    };
    await store.unlock().catch(fail);
  };
  const workLocked = async () => {
    try {
      return await work(await openAll(call, await lockAll(call, read), createClient));
    } finally {
      await Promise.all(currentValues(read).map(unlock));
      call.io.signal.removeEventListener('quit', nameLocks);
    }
  };
  const { results, isPrinted, ...together } = await workLocked();
  const unlocked = results.map((result): NamedResult => {
    const failure = failures.get(result.folder);
    // All steps are recorded, but nobody can apply until the lock is freed.
    return failure === undefined
      ? result
      : { ...result, outcome: findWorst([result.outcome, 'failed']), reason: failure };
  });
  if (unlocked.length > 1 && (!isPrinted || failures.size > 0)) {
    call.print('\n');
    printOverview(call, toOverview(call.command, unlocked, together));
  }
  return endCommand(call, unlocked, together);
}

/** A folder before the first request. */
interface OfflineFolder {
  readonly path: string;
  readonly reading: SoundManifests;
  readonly store: LedgerStore;
}

async function readFolders(
  call: Call,
  paths: readonly string[],
): Promise<readonly FolderStage<OfflineFolder>[]> {
  const chosen = toStages(chooseFolders(call, paths));
  refuseReport(call);
  const read = await forEachFolder(call, chosen, async (path) => ({ value: readSound(call, path) }));
  const named = read.map((folder) =>
    'value' in folder ? { ...folder, organization: folder.value.manifests.organization } : folder,
  );
  const offline = await forEachFolder(call, named, async (reading, path) => {
    return { value: { path, reading, store: openLedger(call, reading.manifests) } };
  });
  const describe = (place: string, path: string) =>
    `${place} is the ledger of ${path} too: change one \`ledger:\` line`;
  return refuseShared(call, offline, ({ store }) => [store.place], describe);
}

/** Ends each folder that shares something with another one, because their plans would delete each other's links. */
function refuseShared<Value>(
  call: Call,
  folders: readonly FolderStage<Value>[],
  read: (value: Value) => readonly string[],
  describe: (shared: string, path: string) => string,
): Promise<readonly FolderStage<Value>[]> {
  const names = folders.flatMap((folder) =>
    'value' in folder ? read(folder.value).map((name) => ({ name, path: folder.path })) : [],
  );
  const byName = groupBy(names, ({ name }) => name);
  return forEachFolder(call, folders, async (value, path) => {
    for (const name of read(value)) {
      const twin = byName.get(name)?.find((holder) => holder.path !== path);
      if (twin !== undefined) throw new UserError(describe(name, twin.path));
    }
    return { value };
  });
}

/** Ends each folder whose plan changes a link that another one changes too, because each was made before the other is applied. */
export function refuseSharedLinks<Value extends { readonly plan: Plan }>(
  call: Call,
  folders: readonly FolderStage<Value>[],
): Promise<readonly FolderStage<Value>[]> {
  const describe = (link: string, path: string) =>
    `this plan and that of ${path} both change ${link.split(' ').at(-1)}: declare it in one of them, or run ${call.command} for one folder after the other`;
  return refuseShared(call, folders, ({ plan }) => changedLinks(plan), describe);
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
  const locked = await forEachFolder(call, byPlace, async ({ path, reading: before, store }) => {
    call.log('info', `Locking ${store.place}`);
    const left = Math.max(0, deadline - performance.now());
    await call.read('Locking the ledger', () => store.lock(holder, left));
    if (store.note) call.log('warn', store.note);
    // Somebody may have edited the manifests during the wait.
    const reading = lockTimeout > 0 ? readSound(call, path) : before;
    const isSame = reading.manifests.organization === before.manifests.organization;
    if (!isSame || openLedger(call, reading.manifests).place !== store.place) {
      throw new UserError('`organization` or `ledger` was changed during the wait: run the command again');
    }
    return { value: { path, reading, store } };
  });
  return folders.flatMap(({ path }) => locked.filter((folder) => folder.path === path));
}

async function openAll<Client extends ReadApi>(
  call: Call,
  folders: readonly FolderStage<OfflineFolder>[],
  create: (options: ClientOptions) => Client,
): Promise<readonly FolderStage<Folder<Client>>[]> {
  const open = await forEachFolder(call, folders, async ({ path, reading, store }) => {
    return { value: await openFolder(call, path, reading, store, create) };
  });
  const describe = (lineage: string, path: string) =>
    `the ledger is a copy of that of ${path} (lineage ${lineage}): remove the copy, or name another place under \`ledger:\``;
  return refuseShared(call, open, ({ ledger }) => (ledger.lineage === '' ? [] : [ledger.lineage]), describe);
}
