/** Runs the stages of a command for its folders. A folder that has ended takes no part in later stages. */
import { groupBy } from '../resources/groups';
import type { Call } from './call';
import { UserError } from './errors';
import type { Outcome } from './outcome';
import {
  endCommand,
  type FolderResult,
  failedResult,
  type NamedResult,
  printReports,
  refuseReport,
} from './results';

/** A folder goes on with a value, or it has ended with a result. The organization is known once the manifests are read. */
export type Stage<Value> = { readonly organization?: string } & (
  | { readonly value: Value }
  | { readonly result: FolderResult }
);

/** A folder and its present stage. */
export type FolderStage<Value> = Stage<Value> & { readonly path: string };

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
  printReports(call, call.command, results);
  return endCommand(call, results);
}

/** Ends each folder that shares something with another one, because one would undo what the other does. */
export function refuseShared<Value>(
  call: Call,
  folders: readonly FolderStage<Value>[],
  read: (value: Value) => readonly string[],
  describe: (shared: string, path: string, value: Value, other: Value) => string,
): Promise<readonly FolderStage<Value>[]> {
  const names = folders.flatMap((folder) =>
    'value' in folder ? read(folder.value).map((name) => ({ ...folder, name })) : [],
  );
  const byName = groupBy(names, ({ name }) => name);
  return forEachFolder(call, folders, async (value, path) => {
    for (const name of read(value)) {
      const twin = byName.get(name)?.find((holder) => holder.path !== path);
      if (twin !== undefined) throw new UserError(describe(name, twin.path, value, twin.value));
    }
    return { value };
  });
}
