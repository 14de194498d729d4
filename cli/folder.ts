/** Opens a folder's manifests, its ledger and a client. */
import { existsSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import type { ReadApi } from '../client/api';
import { createClient, createReadOnlyClient, type StepwiseApi } from '../client/client';
import type { ClientOptions } from '../client/options';
import type { Manifests } from '../manifest/desired';
import { renderIssues, renderPosition } from '../manifest/issues';
import { ledgerFileName } from '../manifest/ledger-place';
import { type ReadOptions, readAgain, readManifests } from '../manifest/read';
import { lookUpNames } from '../observation/names';
import { ledgerSecrets } from '../reconciler/ledger/credentials';
import { emptyLedger, type Ledger } from '../reconciler/ledger/ledger';
import { openStore } from '../reconciler/ledger/open-store';
import { refuseOtherService } from '../reconciler/ledger/service';
import { howToUnlock, type LedgerStore } from '../reconciler/ledger/store';
import { makePlan } from '../reconciler/make-plan';
import { type LeftAlone, shownAction } from '../reconciler/plan/plan';
import { planReport, planSummary } from '../reconciler/render/plan';
import type { Naming } from '../reconciler/render/report';
import { groupBy } from '../resources/groups';
import { unlessItFails } from '../resources/plain-file';
import type { Call } from './call';
import { connectionOf } from './connection';
import { explain, UserError } from './errors';
import { numberVariable } from './flags';
import { type FolderResult, failedResult, runFolders, separateFolders } from './folders';
import { type Outcome, worstOf } from './outcome';

export interface Folder<Client extends ReadApi> {
  readonly manifests: Manifests;
  readonly store: LedgerStore;
  readonly place: string;
  readonly ledger: Ledger;
  readonly api: Client;
  readonly naming: Naming;
}

type Work<Client extends ReadApi> = (folder: Folder<Client>) => Promise<FolderResult>;

/** Works with a client that cannot write, and without a lock. */
export function readFolders(call: Call, paths: readonly string[], work: Work<ReadApi>): Promise<Outcome> {
  return inFolders(call, paths, async (path, read, store) => {
    return work(await open(call, path, read, store, createReadOnlyClient));
  });
}

/** Works with a client that can write, while the ledger is locked. */
export function writeFolders(call: Call, work: Work<StepwiseApi>): Promise<Outcome> {
  return inFolders(call, call.args, async (path, first, store) => {
    const { lockTimeout = 0 } = call.flags;
    call.log('info', `Locking ${store.place}`);
    const locked = async (): Promise<FolderResult> => {
      await call.read('Locking the ledger', () => store.lock({ who: whoRuns(call) }, lockTimeout * 1000));
      if (store.note) call.log('warn', store.note);
      // Somebody may have edited the manifests during the wait.
      const read = lockTimeout > 0 ? readSound(call, path) : first;
      const isSame = read.manifests.organization === first.manifests.organization;
      if (!isSame || storeOf(call, read.manifests).place !== store.place) {
        throw new UserError('`organization` or `ledger` was changed during the wait: run the command again');
      }
      return work(await open(call, path, read, store, createClient));
    };
    const nameLock = () => {
      const { place, lockAtExit: id } = store;
      if (id !== null) call.log('error', `${place} stays locked: ${howToUnlock(id)}`);
    };
    call.io.signal.addEventListener('quit', nameLock);
    let failure: string | undefined;
    const result = await locked().finally(() =>
      store.unlock().catch((error: unknown) => {
        failure = explain(error, false);
        call.log('error', `error: ${failure}`);
      }),
    );
    call.io.signal.removeEventListener('quit', nameLock);
    if (failure === undefined) return result;
    // All steps are recorded, but nobody can apply until the lock is freed.
    return { ...result, outcome: worstOf([result.outcome, 'failed']), reason: failure };
  });
}

/** Adds the organization to each result, even if the work fails. Two folders with one ledger would delete each other's links. */
function inFolders(
  call: Call,
  paths: readonly string[],
  work: (path: string, read: SoundManifests, store: LedgerStore) => Promise<FolderResult>,
): Promise<Outcome> {
  const all = separateFolders(call, paths);
  const placeOf = (path: string) => unlessItFails(() => storeOf(call, readSound(call, path).manifests).place);
  const places = all.length > 1 ? all.map(placeOf) : [];
  return runFolders(call, all, async (path) => {
    const read = readSound(call, path);
    const { organization } = read.manifests;
    try {
      const store = storeOf(call, read.manifests);
      const other = all.find((one, index) => one !== path && places[index] === store.place);
      if (other !== undefined)
        throw new UserError(`${store.place} is the ledger of ${other} too: change one \`ledger:\` line`);
      return { organization, ...(await work(path, read, store)) };
    } catch (error) {
      return { organization, ...failedResult(call, error, path) };
    }
  });
}

/** Returns the name of a lock's holder: the user, the host and the command. */
export function whoRuns({ command }: Call): string {
  return `${userInfo().username}@${hostname()}, tether ${command}`;
}

async function open<Client extends ReadApi>(
  call: Call,
  path: string,
  offline: SoundManifests,
  store: LedgerStore,
  create: (options: ClientOptions) => Client,
): Promise<Folder<Client>> {
  const { organization, profile, nameReferences } = offline.manifests;
  const ledger = (await call.read('Reading the ledger', () => store.read())) ?? emptyLedger(organization);
  const api = create(connectionOf(call, profile, organization));
  refuseOtherService({ ledger, place: store.place, manifests: offline.manifests }, api.address);
  let read = offline;
  if (nameReferences.size > 0) {
    const lookups = await call.read('Looking up names', () =>
      lookUpNames(api, organization, nameReferences.keys()),
    );
    read = readSound(call, path, readAgain(offline, { ...readOptions(call), lookups }));
  }
  const { manifests, issues } = read;
  if (issues.length > 0) call.log('warn', renderIssues(issues, new Map(), { color: call.errorColor }));
  const nameOf = (id: string) => manifests.namesById.get(id)?.name ?? id;
  const naming = { nameOf, again: (command: string) => call.again(command, path) };
  return { manifests, store, place: store.place, ledger, api, naming };
}

export function readOptions({ io, profile }: Call): ReadOptions {
  return { cwd: io.cwd, profile };
}

/** Throws `LedgerError` if the home of the ledger cannot be used. */
export function storeOf(call: Call, { folder, organization, ledger }: Manifests): LedgerStore {
  const { env, cwd, signal } = call.io;
  for (const secret of ledgerSecrets(env)) call.hide(secret);
  return openStore({ folder, organization, ledger, env, cwd, signal });
}

type SoundManifests = ReturnType<typeof readSound>;

/** Throws a `UserError` with every mistake. */
export function readSound(call: Call, path: string, read = readManifests(path, readOptions(call))) {
  const { manifests, issues, sources } = read;
  if (manifests !== null) return { ...read, manifests };
  const isPlaced = issues.some(({ at }) => at !== undefined);
  const text = isPlaced
    ? `the manifests have errors:\n\n${renderIssues(issues, sources, { color: call.errorColor })}`
    : issues.map((one) => one.message).join('\n');
  const isEmpty = issues.some(({ rule }) => rule === 'no-manifests');
  const isAbandoned = isEmpty && existsSync(join(resolve(call.io.cwd, path), ledgerFileName));
  const message = isAbandoned ? `${text}\n${abandoned}` : text;
  throw new UserError(message, { issues }, 'invalid-manifests', firstReason(issues));
}

/** A ledger without manifests is more likely a wrong checkout than a wish to delete everything. */
const abandoned = `The folder has a ledger (${ledgerFileName}) and no manifests. Nothing was deleted: restore the manifests. To delete everything in the ledger, keep a manifest with only its header, and run \`tether destroy\``;

/** Makes the plan, and the result of a command that leaves it at that. */
export async function planFolder(call: Call, folder: Folder<ReadApi>) {
  const { env, signal } = call.io;
  const variable = numberVariable(call, 'TETHER_MAX_DELETES', 'whole');
  const maxDeletes = call.flags.maxDeletes ?? variable;
  const destroy = call.command === 'destroy';
  const options = { ...folder, env, signal, destroy, maxDeletes };
  const made = await call.read('Reading', () => makePlan(options));
  const { plan, digest } = made;
  const { problems, unknown, blockers } = plan;
  const report = planReport(plan, digest, folder.naming);
  const byAction = [...groupBy(plan.steps, shownAction)];
  const counts = Object.fromEntries(byAction.map(([action, { length }]) => [action, length]));
  const result: FolderResult = {
    outcome: unknown.length + problems.length > 0 ? 'incomplete' : 'done',
    summary: planSummary(plan),
    reason: firstReason([...problems, ...unknown, ...blockers]),
    document: { counts, digest, plan },
    report,
  };
  return { made, report, result };
}

type Reason = Pick<LeftAlone, 'message' | 'at'> & { readonly address?: string };

/** Returns the first reason in one line, for the table of several folders. */
export function firstReason([first]: readonly Reason[]): string | undefined {
  if (first === undefined) return undefined;
  const { address, at, message } = first;
  return [address ?? (at && renderPosition(at)), message].filter(Boolean).join(': ');
}
