/** Opens one folder: its manifests, its ledger and a client. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ReadApi } from '../client/api';
import type { ClientOptions } from '../client/options';
import type { Manifests } from '../manifest/desired';
import { renderIssues } from '../manifest/issues';
import { ledgerFileName } from '../manifest/ledger-place';
import { type ReadManifests, type ReadOptions, readAgain, readManifests } from '../manifest/read';
import { lookUpNames } from '../observation/names';
import { ledgerSecrets } from '../reconciler/ledger/credentials';
import { emptyLedger, type Ledger, type LedgerSummary } from '../reconciler/ledger/ledger';
import { openStore } from '../reconciler/ledger/open-store';
import { refuseOtherService } from '../reconciler/ledger/same-service';
import type { LedgerStore, StoreContext } from '../reconciler/ledger/store';
import type { Naming } from '../reconciler/render/report';
import type { Call } from './call';
import { refuseMissingFolder } from './choose-folders';
import { readConnection } from './connection';
import { UserError } from './errors';
import { firstReason } from './results';

export interface OpenFolder<Client extends ReadApi> {
  readonly manifests: Manifests;
  readonly store: LedgerStore;
  readonly place: string;
  readonly ledger: Ledger;
  /** The run that has the lock, for a command that takes none. */
  readonly lock?: LedgerSummary['lock'];
  readonly api: Client;
  readonly naming: Naming;
}

/** Adds the lock of another run to the summary of a ledger. */
export function withLock<Summary extends { readonly ledger: LedgerSummary }>(
  summary: Summary,
  { lock }: Pick<LedgerSummary, 'lock'>,
): Summary {
  return lock === undefined ? summary : { ...summary, ledger: { ...summary.ledger, lock } };
}

/** Reads the ledger, looks names up, and reads the manifests again with them. */
export async function openFolder<Client extends ReadApi>(
  call: Call,
  { path, reading, store }: OfflineFolder,
  create: (options: ClientOptions) => Client,
): Promise<OpenFolder<Client>> {
  const { organization, profile, nameReferences } = reading.manifests;
  const ledger =
    (await call.untilInterrupted('Reading the ledger', () => store.read())) ?? emptyLedger(organization);
  const api = create(readConnection(call, profile, organization));
  refuseOtherService({ ledger, place: store.place, manifests: reading.manifests }, api.address);
  let reread = reading;
  if (nameReferences.size > 0) {
    const lookups = await call.untilInterrupted('Looking up names', () =>
      lookUpNames(api, organization, nameReferences.keys()),
    );
    reread = readSound(call, path, readAgain(reading, { ...readOptions(call), lookups }));
  }
  const { manifests, issues } = reread;
  if (issues.length > 0) call.log('warn', renderIssues(issues, new Map(), { color: call.errorColor }));
  const displayName = (id: string) => manifests.namesById.get(id)?.name ?? id;
  const naming = { displayName, again: (command: 'plan' | 'apply') => call.again(command, path) };
  return { manifests, store, place: store.place, ledger, api, naming };
}

export function readOptions({ io, profile }: Call): ReadOptions {
  return { cwd: io.cwd, profile };
}

/** Throws `LedgerError` if the home of the ledger cannot be used. */
export function openLedger(call: Call, manifests: Manifests): LedgerStore {
  return openStore(ledgerContext(call, manifests));
}

export function ledgerContext(call: Call, { folder, organization, ledger }: Manifests): StoreContext {
  const { env, cwd, signal } = call.io;
  for (const secret of ledgerSecrets(env)) call.hide(secret);
  return { folder, organization, ledger, env, cwd, signal };
}

/** Returns what a report says about the lock of another run. Whoever may not read a lock may still read the ledger. */
export async function readLock(store: LedgerStore): Promise<Pick<LedgerSummary, 'lock'>> {
  const holder = await store.holder().catch(() => null);
  return holder === null ? {} : { lock: { who: holder.who, since: holder.since } };
}

/** Throws a `UserError` if the folder does not exist. */
export function readFolder(call: Call, path: string): ReadManifests {
  refuseMissingFolder(call, path);
  return readManifests(path, readOptions(call));
}

/** Throws a `UserError` with every mistake. */
export function readSound(call: Call, path: string, read = readFolder(call, path)) {
  const { manifests, issues, sources } = read;
  if (manifests !== null) return { ...read, manifests };
  const isPlaced = issues.some(({ at }) => at !== undefined);
  const text = isPlaced
    ? `the manifests have errors:\n\n${renderIssues(issues, sources, { color: call.errorColor })}`
    : issues.map(({ message }) => message).join('\n');
  const isEmpty = issues.some(({ rule }) => rule === 'no-manifests');
  const isAbandoned = isEmpty && existsSync(join(resolve(call.io.cwd, path), ledgerFileName));
  const message = isAbandoned ? `${text}\n${abandoned}` : text;
  throw new UserError(message, { issues }, 'invalid-manifests', firstReason(issues));
}

/** A ledger without manifests is more likely a wrong checkout than a wish to delete everything. */
const abandoned = `The folder has a ledger (${ledgerFileName}) and no manifests. Nothing was deleted: restore the manifests. To delete everything in the ledger, keep a manifest with only its header, and run \`tether destroy\``;

/** A folder before the first request. */
export interface OfflineFolder {
  readonly path: string;
  readonly reading: ReturnType<typeof readSound>;
  readonly store: LedgerStore;
}
