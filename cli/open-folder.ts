/** Opens one folder: its manifests, its ledger and a client. Makes its plan. */
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
import { refuseOtherService } from '../reconciler/ledger/service';
import type { LedgerStore, StoreContext } from '../reconciler/ledger/store';
import { type MadePlan, makePlan } from '../reconciler/make-plan';
import { shownAction } from '../reconciler/plan/plan';
import { planReport, planSummary } from '../reconciler/render/plan';
import type { Naming, Report } from '../reconciler/render/report';
import { liftLimit } from '../reconciler/shared-limit';
import { groupBy } from '../resources/groups';
import type { Call } from './call';
import { refuseMissingFolder } from './choose-folders';
import { readConnection } from './connection';
import { UserError } from './errors';
import { numberVariable } from './flags';
import { type FolderResult, firstReason } from './results';

export interface Folder<Client extends ReadApi> {
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
  path: string,
  offline: SoundManifests,
  store: LedgerStore,
  create: (options: ClientOptions) => Client,
): Promise<Folder<Client>> {
  const { organization, profile, nameReferences } = offline.manifests;
  const ledger = (await call.read('Reading the ledger', () => store.read())) ?? emptyLedger(organization);
  const api = create(readConnection(call, profile, organization));
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
  const displayName = (id: string) => manifests.namesById.get(id)?.name ?? id;
  const naming = { displayName, again: (command: string) => call.again(command, path) };
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

export type SoundManifests = ReturnType<typeof readSound>;

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

/** Returns the number of losses that the user allows. It is for all folders of a command together. */
export function readMaxDeletes(call: Call): number | undefined {
  const variable = numberVariable(call, 'TETHER_MAX_DELETES', 'whole');
  return call.flags.maxDeletes ?? variable;
}

/** A plan, and the result of a command that leaves it at that. */
export interface PlannedFolder<Client extends ReadApi> extends MadePlan {
  readonly folder: Folder<Client>;
  readonly result: FolderResult & { readonly report: Report };
}

export async function planFolder<Client extends ReadApi>(
  call: Call,
  folder: Folder<Client>,
  isSeveral: boolean,
): Promise<PlannedFolder<Client>> {
  const { env, signal } = call.io;
  const maxDeletes = readMaxDeletes(call);
  const destroy = call.command === 'destroy';
  const options = { ...folder, env, signal, destroy, ...(isSeveral ? {} : { maxDeletes }) };
  const made = await call.read('Reading', () => makePlan(options));
  const plan = withLock(isSeveral ? liftLimit(made.plan, maxDeletes) : made.plan, folder);
  const { digest } = made;
  const { problems, unknown, blockers } = plan;
  const byAction = [...groupBy(plan.steps, shownAction)];
  const counts = Object.fromEntries(byAction.map(([action, { length }]) => [action, length]));
  const result = {
    outcome: unknown.length + problems.length > 0 ? 'incomplete' : plan.steps.length > 0 ? 'planned' : 'done',
    summary: planSummary(plan),
    reason: firstReason([...problems, ...unknown, ...blockers]),
    document: { counts, digest, plan },
    report: planReport(plan, digest, folder.naming),
  } as const;
  return { ...made, plan, folder, result };
}
