/** Opens a folder's manifests, its ledger and a client. */
import { existsSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import type { ReadApi } from '../client/api';
import { createClient, createReadOnlyClient } from '../client/client';
import type { ClientOptions } from '../client/options';
import type { Manifests } from '../manifest/desired';
import { renderIssues, renderPosition } from '../manifest/issues';
import { type ReadManifests, type ReadOptions, readAgain, readManifests } from '../manifest/read';
import { lookUpNames } from '../observation/names';
import { ledgerFileName } from '../reconciler/ledger/file-store';
import { emptyLedger, type Ledger } from '../reconciler/ledger/ledger';
import { ledgerSecrets, openStore } from '../reconciler/ledger/open-store';
import type { LedgerStore } from '../reconciler/ledger/store';
import { type MadePlan, makePlan } from '../reconciler/make-plan';
import { countActions, type LeftAlone, type Plan } from '../reconciler/plan/plan';
import { planSummary } from '../reconciler/render/plan';
import type { Naming } from '../reconciler/render/report';
import type { Issue } from '../resources/kind';
import { resolveSecret } from '../resources/secrets';
import type { Call } from './call';
import { connectionOf } from './connection';
import { explain, UserError } from './errors';
import { numberVariable } from './flags';
import { type FolderResult, failedResult } from './folders';

export interface Folder<Client extends ReadApi> {
  readonly manifests: Manifests;
  readonly store: LedgerStore;
  readonly ledger: Ledger;
  readonly api: Client;
  readonly naming: Naming;
}

export type Api = ReturnType<typeof createClient>;

type Work<Client extends ReadApi> = (folder: Folder<Client>) => Promise<FolderResult>;

/** Works with a client that cannot write, and without a lock. */
export async function readFolder(call: Call, path: string, work: Work<ReadApi>): Promise<FolderResult> {
  const read = readManifests(path, readOptions(call));
  const manifests = soundManifests(call, path, read);
  return withOrganization(call, path, manifests, async () => {
    const store = storeOf(call, manifests);
    return work(await open(call, path, read, store, createReadOnlyClient));
  });
}

/** Works with a client that can write, while the ledger is locked. */
export async function writeFolder(call: Call, path: string, work: Work<Api>): Promise<FolderResult> {
  const first = readManifests(path, readOptions(call));
  const manifests = soundManifests(call, path, first);
  return withOrganization(call, path, manifests, async () => {
    const store = storeOf(call, manifests);
    const { lockTimeout = 0 } = call.flags;
    call.log('info', `Locking ${store.place}`);
    try {
      await call.read('Locking the ledger', () => store.lock({ who: whoRuns(call) }, lockTimeout * 1000));
      // Somebody may have edited the manifests during the wait.
      const read = lockTimeout > 0 ? readManifests(path, readOptions(call)) : first;
      return await work(await open(call, path, read, store, createClient));
    } finally {
      // All steps are recorded by now. If the lock is left, the next run names its holder.
      await store.unlock().catch((error: unknown) => call.log('warn', explain(error, false)));
    }
  });
}

/** Adds the organization to the result, even if the work fails. */
async function withOrganization(
  call: Call,
  path: string,
  { organization }: Manifests,
  work: () => Promise<FolderResult>,
): Promise<FolderResult> {
  try {
    return { organization, ...(await work()) };
  } catch (error) {
    return { organization, ...failedResult(call, error, path) };
  }
}

/** Returns the name of a lock's holder: the user, the host and the command. */
export function whoRuns({ command }: Call): string {
  return `${userInfo().username}@${hostname()}, tether ${command}`;
}

async function open<Client extends ReadApi>(
  call: Call,
  path: string,
  read: ReadManifests,
  store: LedgerStore,
  create: (options: ClientOptions) => Client,
): Promise<Folder<Client>> {
  const offline = soundManifests(call, path, read);
  const { organization, profile } = offline;
  hideSecrets(call, offline);
  const ledger = (await call.read('Reading the ledger', () => store.read())) ?? emptyLedger(organization);
  const api = create(connectionOf(call, profile, organization));
  const named = await withNames(call, read, offline, api);
  const manifests = soundManifests(call, path, named);
  const { issues } = named;
  if (issues.length > 0) call.log('warn', renderIssues(issues, new Map(), { color: call.errorColor }));
  const nameOf = (id: string) => manifests.written.get(id)?.as ?? id;
  return { manifests, store, ledger, api, naming: { nameOf, again: (command) => call.again(command, path) } };
}

async function withNames(
  call: Call,
  read: ReadManifests,
  { organization, profile, names }: Manifests,
  api: ReadApi,
): Promise<ReadManifests> {
  if (names.size === 0 || !profile.capabilities.lookupByName) return read;
  const lookups = await call.read('Looking up names', () => lookUpNames(api, organization, names.keys()));
  return readAgain(read, { ...readOptions(call), lookups });
}

export function readOptions({ io, profile }: Call): ReadOptions {
  return { cwd: io.cwd, profile };
}

/** Throws `LedgerError` if the home of the ledger cannot be used. */
export function storeOf(call: Call, { folder, organization, ledger }: Manifests): LedgerStore {
  const { env, cwd } = call.io;
  for (const secret of ledgerSecrets(env)) call.hide(secret);
  return openStore({ folder, organization, ledger, env, cwd });
}

/** Throws a `UserError` with every mistake. */
export function soundManifests(call: Call, path: string, read: ReadManifests): Manifests {
  const { manifests, issues, sources } = read;
  if (manifests !== null) return manifests;
  const isPlaced = issues.some(({ at }) => at !== undefined);
  const sentences = issues.map((one) => one.message).join('\n');
  const text = isPlaced ? renderIssues(issues, sources, { color: call.errorColor }) : sentences;
  const isAbandoned = sources.size === 0 && existsSync(join(resolve(call.io.cwd, path), ledgerFileName));
  const message = [isPlaced ? `the manifests have errors:\n\n${text}` : text, isAbandoned ? abandoned : ''];
  throw new UserError(message.join('\n').trimEnd(), { issues }, 'invalid-manifests', issueReason(issues[0]));
}

/** Returns the position and the message for the table of several folders. */
export function issueReason(issue: Issue | undefined): string | undefined {
  return issue && [issue.at && renderPosition(issue.at), issue.message].filter(Boolean).join(': ');
}

/** A ledger without manifests is more likely a wrong checkout than a wish to delete everything. */
const abandoned = `The folder has a ledger (${ledgerFileName}) and no manifests. Nothing was deleted: restore the manifests. To delete everything in the ledger, keep a manifest with only its header, and run \`tether destroy\``;

/** Masks the secrets of the manifests, because the service may repeat them in its answers. */
function hideSecrets(call: Call, { entries, folder }: Manifests): void {
  for (const source of entries.flatMap(({ secrets }) => Object.values(secrets))) {
    const resolution = resolveSecret(source, { env: call.io.env, root: folder });
    if (resolution.ok) call.hide(resolution.value);
  }
}

export function planFolder(call: Call, folder: Folder<ReadApi>): Promise<MadePlan> {
  const { env, signal } = call.io;
  const { api, manifests, ledger, store } = folder;
  const variable = numberVariable('TETHER_MAX_DELETES', call.variable('TETHER_MAX_DELETES'), 'whole');
  const maxDeletes = call.flags.maxDeletes ?? variable;
  const destroy = call.command === 'destroy';
  const options = { api, manifests, ledger, place: store.place, env, signal, destroy, maxDeletes };
  return call.read('Reading', () => makePlan(options));
}

export function isIncomplete({ unknown, problems }: Plan): boolean {
  return unknown.length + problems.length > 0;
}

export function planResult({ plan: made, digest }: MadePlan): Omit<FolderResult, 'outcome'> {
  const { problems, unknown, blockers } = made;
  return {
    summary: planSummary(made),
    reason: firstReason([...problems, ...unknown, ...blockers]),
    document: { counts: Object.fromEntries(countActions(made.steps)), digest, plan: made },
  };
}

export function firstReason([first]: readonly (Pick<LeftAlone, 'message'> & {
  readonly address?: string;
})[]) {
  return first && [first.address, first.message].filter(Boolean).join(': ');
}
