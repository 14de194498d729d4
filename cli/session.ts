/** What a command works on: a folder's manifests, its ledger and a client, planned as often as asked, closed at the end. */
import { relative, resolve } from 'node:path';
import type { ReadApi } from '../client/api';
import { createClient, createReadOnlyClient, type StepwiseApi } from '../client/client';
import type { Manifests } from '../manifest/desired';
import { renderIssues } from '../manifest/issues';
import { type ReadManifests, readManifests } from '../manifest/read';
import type { DriftReport } from '../reconciler/drift';
import { inspectLedger, type OpenLedger, openLedger } from '../reconciler/ledger/open';
import { LedgerMismatch, type MadePlan, makePlan } from '../reconciler/make-plan';
import type { Plan, PlanOptions } from '../reconciler/plan/plan';
import { planDigest } from '../reconciler/plan-digest';
import { summarize } from '../reconciler/render/plan';
import { counted } from '../reconciler/render/text';
import { connect } from './connection';
import { interruptible, UserError } from './errors';
import type { Flags } from './flags';
import { type Io, readOptionsOf } from './io';
import type { Call } from './output';

/** A plan with what it was made from, and when. */
export interface Planned extends MadePlan {
  /** What `apply --expect` names. */
  readonly digest: string;
  /** Milliseconds since 1970, before the first read. */
  readonly at: number;
}

export interface Session<Client extends ReadApi> {
  readonly manifests: Manifests;
  readonly ledger: OpenLedger;
  readonly api: Client;
  /** Observes and plans anew. Rejects with `Interrupted` on Ctrl-C. */
  plan(options: PlanOptions): Promise<Planned>;
}

/** Runs `work` with a client that cannot write and a ledger that is only read, for the one folder of the call. */
export async function readSession<Result>(
  call: Call,
  work: (session: Session<ReadApi>) => Promise<Result>,
): Promise<Result> {
  return withSession(call, false, createReadOnlyClient, work);
}

/** Runs `work` with the whole client and the ledger locked from before planning to the end. */
export async function writeSession<Result>(
  call: Call,
  work: (session: Session<StepwiseApi>) => Promise<Result>,
): Promise<Result> {
  return withSession(call, true, createClient, work);
}

async function withSession<Client extends ReadApi, Result>(
  call: Call,
  write: boolean,
  create: (connection: ReturnType<typeof connect>) => Client,
  work: (session: Session<Client>) => Promise<Result>,
): Promise<Result> {
  const { flags, io, output } = call;
  const { folder, read: early } = readWorkspace(folderOf(call.args), flags, io);
  await refuseAbandoned(folder, early, io);
  const prepare = (read: ReadManifests) => {
    const manifests = soundManifests(call, read);
    return { read, manifests, connection: connect(call, manifests.profile) };
  };
  const before = prepare(early);
  const ledger = await openLedger(before.manifests, {
    ...inspectOptions(call),
    write,
    command: `tether ${call.command}`,
  });
  try {
    // Again: they may have been edited while the lock was waited for.
    const read = readManifests(folder, readOptionsOf(flags, io), early);
    const { manifests, connection } = read === early ? before : prepare(read);
    const api = create(connection);
    const plan = async (options: PlanOptions): Promise<Planned> => {
      const at = io.now();
      const making = makePlan({ api, manifests, ledger: ledger.ledger, options, env: io.env });
      const made = await interruptible(making, io.signal).catch((error: unknown) => {
        if (!(error instanceof LedgerMismatch)) throw error;
        const issues = [error.issue];
        throw new UserError(renderIssues(issues, read.sources, output.renderError), { issues });
      });
      return { ...made, digest: planDigest({ plan: made.plan, manifests, address: connection.address }), at };
    };
    return await work({ manifests, ledger, api, plan });
  } finally {
    await ledger.close();
  }
}

/** How this run waits for the ledger and speaks of it. */
export function inspectOptions({ flags, io, output }: Call) {
  const { cwd, signal } = io;
  const onNote = (note: string) => output.log('warn', note);
  return { cwd, signal, onNote, lockTimeout: flags.lockTimeout ?? 0 };
}

/** A folder without manifests but with a ledger is more likely a wrong checkout than a wish to delete everything. */
async function refuseAbandoned(folder: string, { issues }: ReadManifests, { cwd }: Io): Promise<void> {
  if (!issues.some(({ rule }) => rule === 'no-manifests')) return;
  const ledger = await inspectLedger(folder, { cwd });
  const held = Object.keys(ledger?.objects ?? {}).length;
  if (ledger === null || held === 0) return;
  throw new UserError(
    `no manifest in ${relative(cwd, folder) || '.'}, but its ledger holds ${counted(held, 'object')} of ${ledger.organization}: nothing was planned. Restore the manifests; or, to delete what the ledger holds, keep one manifest with only \`apiVersion\`, \`profile\` and \`organization\`, and run \`tether destroy\``,
  );
}

/** The one folder that a command was given. */
export function folderOf(paths: readonly string[]): string {
  if (paths.length <= 1) return paths[0] ?? '.';
  throw new UserError('several paths: a folder is the unit; `tether validate` takes files');
}

/** Reads the manifests of a folder, which is returned absolute; mistakes are in `read.issues`. */
export function readWorkspace(folder: string, flags: Flags, io: Io) {
  return { folder: resolve(io.cwd, folder), read: readManifests(folder, readOptionsOf(flags, io)) };
}

/** What manifests ask for. Throws a `UserError` with every mistake; warnings are printed. */
export function soundManifests({ output }: Call, read: ReadManifests): Manifests {
  const { manifests, issues } = read;
  const text = renderIssues(issues, read.sources, output.renderError);
  if (manifests === null) throw new UserError(`the manifests have errors:\n\n${text}`, { issues });
  if (issues.length > 0) output.log('warn', text);
  return manifests;
}

/** The members of a JSON document that describe a plan. */
export function planDocument({ plan, digest }: Planned) {
  return { summary: summarize(plan), digest, plan };
}

/** True when something could not be seen or has a problem, so that doing all steps does not finish the job. */
export function isIncomplete({ undetermined, problems }: Plan | DriftReport): boolean {
  return undetermined.length > 0 || problems.length > 0;
}

/** The flags of planning as the planner's options. */
export function planOptionsOf(flags: Flags, destroy: boolean): PlanOptions {
  return {
    maxDeletes: flags.maxDeletes ?? null,
    acceptMissing: flags.acceptMissing ?? null,
    writeSecrets: flags.writeSecrets === true,
    destroy,
  };
}
