/** What a command works on: a folder's manifests, its ledger and a client. */
import { relative, resolve } from 'node:path';
import type { ReadApi } from '../client/api';
import { createClient, createReadOnlyClient, type StepwiseApi } from '../client/client';
import type { ClientOptions } from '../client/options';
import type { Manifests } from '../manifest/desired';
import { renderIssues } from '../manifest/issues';
import { type ReadManifests, readAgain, readManifests } from '../manifest/read';
import { ListCache } from '../observation/list-cache';
import type { DriftReport } from '../reconciler/drift';
import { ledgerFileName } from '../reconciler/ledger/disk';
import type { Ledger } from '../reconciler/ledger/ledger';
import { type InspectOptions, inspectLedger, openLedger } from '../reconciler/ledger/open';
import type { OpenLedger } from '../reconciler/ledger/state';
import { type MadePlan, type MakePlanOptions, makePlan } from '../reconciler/make-plan';
import { lookUpNames, type NameLists, nameLists } from '../reconciler/names';
import { otherLedger } from '../reconciler/plan/bindings';
import type { Plan } from '../reconciler/plan/plan';
import { planDigest } from '../reconciler/plan-digest';
import { summarize } from '../reconciler/render/summary';
import { counted } from '../reconciler/render/text';
import { resolveSecret } from '../resources/secrets';
import type { Call } from './call';
import { connect } from './connection';
import type { PlanDocument } from './documents';
import { UserError } from './errors';

export interface Planned extends MadePlan {
  /** What `apply --expect` names. */
  readonly digest: string;
  /** There is no ledger, and what the plan finds may have been managed by one. */
  readonly isLedgerMissing: boolean;
}

export interface Session<Client extends ReadApi> {
  readonly manifests: Manifests;
  readonly ledger: OpenLedger;
  readonly api: Client;
  /** Lists that are read once for all that share it; their reading is progress. */
  cache(): ListCache;
  readonly names: NameLists;
  /** Observes and plans anew, by the flags but for what is `given`. Rejects with an `AbortError` on Ctrl-C. */
  plan(given?: Partial<MakePlanOptions>): Promise<Planned>;
}

type Work<Client extends ReadApi> = (session: Session<Client>) => Promise<number>;

/** With a client that cannot write and a ledger that is only read. */
export function readSession(call: Call, work: Work<ReadApi>): Promise<number> {
  return withSession(call, { create: createReadOnlyClient, write: false }, work);
}

/** With the whole client and the ledger locked. */
export function writeSession(call: Call, work: Work<StepwiseApi>): Promise<number> {
  return withSession(call, { create: createClient, write: true }, work);
}

export async function withSession<Client extends ReadApi>(
  call: Call,
  { create, write }: { create: (options: ClientOptions) => Client; write: boolean },
  work: Work<Client>,
): Promise<number> {
  const { command, flags, io } = call;
  const folder = folderOf(call);
  const firstRead = readManifests(folder, call.readOptions);
  await refuseAbandoned(folder, firstRead, call);
  const prepare = (read: ReadManifests) => {
    const manifests = soundManifests(call, read);
    hideSecrets(call, manifests);
    return { manifests, connection: connect(call, manifests.profile) };
  };
  const first = prepare(firstRead);
  const opening = () => openLedger(first.manifests, { ...ledgerOptions(call), write });
  const ledger = await call.progress.during('Opening the ledger', opening);
  try {
    // Again: they may have been edited while the lock was waited for.
    const read = readManifests(folder, call.readOptions, firstRead);
    const { connection, manifests: offline } = read === firstRead ? first : prepare(read);
    const other = otherLedger(offline, ledger.ledger);
    if (other !== null) {
      const text = renderIssues([other], read.sources, call.renderError);
      throw new UserError(text, { issues: [other] }, 'ledger-mismatch');
    }
    const api = create(connection);
    const names = nameLists(api, offline);
    let namesTold = 0;
    const manifests = await withNames(call, read, names, ledger.ledger);
    const { maxDeletes, acceptMissing, writeSecrets } = flags;
    const options = { maxDeletes, acceptMissing, writeSecrets, destroy: command === 'destroy' };
    const cache = () => {
      const lists = new ListCache(api);
      lists.onReading = (needed, read) => call.progress.count(needed, read);
      return lists;
    };
    const plan = async (given: Partial<MakePlanOptions> = {}): Promise<Planned> => {
      const known = { api, manifests, ledger: ledger.ledger, names };
      const all = { ...known, options, env: io.env, cache: cache(), ...given };
      const made = await call.read('Reading', () => makePlan(all));
      // In other commands it shares the lists that are read around it.
      if (['plan', 'apply', 'destroy'].includes(command)) {
        const namesAsked = [...names.values()].reduce((sum, list) => sum + list.requests(), 0);
        call.log('info', `Plan: ${budgetText(made.budget, namesAsked - namesTold)}`);
        namesTold = namesAsked;
      }
      const isLedgerMissing =
        ledger.ledger.serial === 0 && command !== 'export' && missesLedger(made.plan, command);
      if (isLedgerMissing) {
        call.log(
          'warn',
          `no ledger was found (${ledgerFileName}), so nothing counts as managed by Tether yet. If there was one, restore it or run \`tether export\` before you go on`,
        );
      }
      const digest = planDigest({ plan: made.plan, manifests: all.manifests, address: connection.address });
      return { ...made, digest, isLedgerMissing };
    };
    return await work({ manifests, ledger, api, cache, names, plan });
  } finally {
    await ledger.close();
  }
}

/** What a plan took, and what for where it is more than one request for each list that it cannot do without. `names`: requests for what things are called. */
function budgetText(
  { needed, instead, proof, access, ...others }: MadePlan['budget'],
  names: number,
): string {
  const because = (counts: readonly (readonly [number, string])[]) => {
    const texts = counts.flatMap(([count, why]) => (count === 0 ? [] : `${count} ${why}`));
    return texts.length === 0 ? '' : ` (${texts.join(', ')})`;
  };
  const { pages, again, objects, affected } = others;
  const read = needed + instead + proof + access;
  const lists = because([
    [instead, 'in place of what is long'],
    [proof, 'to prove that something is missing'],
    [access, 'to see whether an end can be read'],
  ]);
  const requests = because([
    [pages, 'for further pages'],
    [again, 'for pages once more, to prove that something is missing'],
    [objects, 'by id'],
    [affected, 'for workspaces of clients that go'],
    [names, 'for names'],
  ]);
  const sum = read + pages + again + objects + affected + names;
  return `${counted(needed, 'list')} needed, ${read} read${lists}: ${counted(sum, 'request')}${requests}`;
}

/** What is there already may have been made from here, by the ledger that is lost; and these commands are about nothing else. */
function missesLedger({ steps, problems }: Plan, command: string): boolean {
  return (
    ['drift', 'destroy'].includes(command) ||
    steps.some(({ reason }) => reason === 'found') ||
    problems.some(({ rule }) => rule === 'possible-match')
  );
}

/** What the manifests ask for now that it is known what their names mean; throws and prints as `soundManifests` does. */
export async function withNames(call: Call, read: ReadManifests, lists: NameLists, ledger: Ledger | null) {
  const { manifests } = read;
  if (manifests === null || lists.size === 0) return soundManifests(call, { ...read, issues: [] });
  // It goes by the ledger, whatever names mean now.
  const asked: NameLists = call.command === 'destroy' ? new Map() : lists;
  const lookups = await call.read('Looking up names', () => lookUpNames(manifests, asked, ledger));
  return soundManifests(call, readAgain(read, { ...call.readOptions, lookups }));
}

export function ledgerOptions(call: Call): InspectOptions {
  const { command, flags, io } = call;
  const { cwd, signal } = io;
  const onNote = (note: string) => call.log('warn', note);
  const onWait = (milliseconds: number) => call.progress.wait('the ledger is locked', milliseconds);
  const lockTimeout = flags.lockTimeout ?? 0;
  return { cwd, signal, onNote, onWait, lockTimeout, command: `tether ${command}` };
}

/** Without manifests, a folder with a ledger is more likely a wrong checkout than a wish to delete everything. */
async function refuseAbandoned(folder: string, read: ReadManifests, call: Call): Promise<void> {
  if (read.sources.size > 0 || read.issues.some(({ rule }) => rule !== 'no-manifests')) return;
  const { cwd } = call.io;
  const path = resolve(cwd, folder);
  const ledger = await inspectLedger(path, ledgerOptions(call));
  const held = Object.keys(ledger?.objects ?? {}).length;
  if (ledger === null || held === 0) return;
  throw new UserError(
    `no manifest in ${relative(cwd, path) || '.'}, but its ledger holds ${counted(held, 'object')} of ${ledger.organization}: nothing was planned. Restore the manifests; or, to delete what the ledger holds, keep one manifest with only \`apiVersion\`, \`profile\` and \`organization\`, and run \`tether destroy\``,
    {},
    'no-manifests',
  );
}

export function folderOf({ args }: Call): string {
  if (args.length <= 1) return args[0] ?? '.';
  throw new UserError('several paths: a folder is the unit; `tether validate` takes files');
}

/** What manifests ask for. Throws a `UserError` with every mistake; warnings are printed. */
export function soundManifests(call: Call, { manifests, issues, sources }: ReadManifests): Manifests {
  if (manifests === null) {
    const text = renderIssues(issues, sources, call.renderError);
    // What has no place needs no heading.
    const isPlaced = issues.some(({ at }) => at !== undefined);
    const message = isPlaced
      ? `the manifests have errors:\n\n${text}`
      : issues.map((one) => one.message).join('\n');
    throw new UserError(message, { issues }, 'invalid-manifests');
  }
  // The lines themselves are for `validate`: these come before every command.
  const short = issues.map(({ related, ...issue }) => issue);
  if (issues.length > 0) call.log('warn', renderIssues(short, new Map(), call.renderError));
  return manifests;
}

/** From here on no secret of the manifests is printed, wherever the service may repeat one. */
function hideSecrets(call: Call, { entries, folder }: Manifests): void {
  for (const source of entries.flatMap(({ secrets }) => Object.values(secrets))) {
    const resolution = resolveSecret(source, { env: call.io.env, root: folder });
    if (resolution.ok) call.hide(resolution.value);
  }
}

export function planDocument({ plan, digest }: Planned): PlanDocument {
  return { summary: summarize(plan), digest, plan };
}

/** Something could not be seen or has a problem: doing all steps does not finish the job. */
export function isIncomplete({ unknown, problems }: Plan | DriftReport): boolean {
  return unknown.length > 0 || problems.length > 0;
}
