/** Opens the folders of a command. No two of them may share a ledger. */
import type { ReadApi } from '../client/api';
import { createReadOnlyClient } from '../client/client';
import type { ClientOptions } from '../client/options';
import type { Call } from './call';
import { chooseFolders } from './choose-folders';
import {
  type OfflineFolder,
  type OpenFolder,
  openFolder,
  openLedger,
  readLock,
  readSound,
} from './open-folder';
import { refuseReport } from './results';
import { type FolderStage, forEachFolder, refuseShared, toStages } from './run-folders';

export async function readFolders(
  call: Call,
  paths: readonly string[],
): Promise<readonly FolderStage<OfflineFolder>[]> {
  const chosenFolders = toStages(chooseFolders(call, paths));
  refuseReport(call);
  const soundFolders = await forEachFolder(call, chosenFolders, async (path) => {
    const reading = readSound(call, path);
    return { value: reading, organization: reading.manifests.organization };
  });
  const folders = await forEachFolder(call, soundFolders, async (reading, path) => {
    return { value: { path, reading, store: openLedger(call, reading.manifests) } };
  });
  const describe = (place: string, path: string) =>
    `${place} is the ledger of ${path} too: change one \`ledger:\` line`;
  return refuseShared(call, folders, ({ store }) => [store.place], describe);
}

export async function openAll<Client extends ReadApi>(
  call: Call,
  folders: readonly FolderStage<OfflineFolder>[],
  create: (options: ClientOptions) => Client,
): Promise<readonly FolderStage<OpenFolder<Client>>[]> {
  const openedFolders = await forEachFolder(call, folders, async (folder) => {
    return { value: await openFolder(call, folder, create) };
  });
  const describe = (lineage: string, path: string) =>
    `the ledger is a copy of that of ${path} (lineage ${lineage}): remove the copy, or name another place under \`ledger:\``;
  return refuseShared(
    call,
    openedFolders,
    ({ ledger }) => (ledger.lineage === '' ? [] : [ledger.lineage]),
    describe,
  );
}

/** Opens folders with clients that cannot write, and without a lock. */
export async function openFolders(
  call: Call,
  paths: readonly string[],
): Promise<readonly FolderStage<OpenFolder<ReadApi>>[]> {
  const folders = await openAll(call, await readFolders(call, paths), createReadOnlyClient);
  return forEachFolder(call, folders, async (folder) => {
    return {
      value: {
        ...folder,
        ...(await call.untilInterrupted('Reading the lock', () => readLock(folder.store))),
      },
    };
  });
}
