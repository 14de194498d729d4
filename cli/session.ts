/** What a command works on: a folder's manifests, its ledger and a client, planned as often as asked, closed at the end. */
import { relative, resolve } from 'node:path';
import type { ReadApi } from '../client/api';
import { createClient, createReadOnlyClient, type StepwiseApi } from '../client/client';

import type { Manifests } from '../manifest/desired';
import { renderIssues } from '../manifest/issues';
import { type ReadManifests, readManifests } from '../manifest/read';
import { inspectLedger, type OpenLedger, openLedger } from '../reconciler/ledger/open';
import { LedgerMismatch, makePlan } from '../reconciler/make-plan';
import { type Plan, type PlanInputs, type PlanOptions, planDigest } from '../reconciler/plan/plan';
import { counted } from '../reconciler/render/text';
import type { Call } from './call';
import { type Connection, connect } from './connection';
import { interruptible, UserError } from './errors';
import type { ManifestFlags, NetworkFlags } from './flags';
import { type Io, readOptionsOf } from './io';

/** A plan with what it was made from, and when. */
export interface Planned {
  readonly plan: Plan;
  readonly inputs: PlanInputs;
  /** What `apply --expect` names. */
  readonly digest: string;
  /** Milliseconds since 1970, before the first read. */
  readonly at: number;
}

export interface Session<Client extends ReadApi> {
  readonly manifests: Manifests;
  readonly connection: Connection;
  readonly ledger: OpenLedger;
  readonly api: Client;
  /** Observes and plans anew. Rejects with `Interrupted` on Ctrl-C. */
  plan(options: PlanOptions): Promise<Planned>;
}

/** Runs `work` with a client that cannot write and a ledger that is only read. */
export async function readSession<Result>(
  call: Call<NetworkFlags>,
  folder: string,
  work: (session: Session<ReadApi>) => Promise<Result>,
): Promise<Result> {
  return withSession(call, folder, false, createReadOnlyClient, work);
}

/** Runs `work` with the whole client and the ledger locked from before planning to the end. */
export async function writeSession<Result>(
  call: Call<NetworkFlags>,
  folder: string,
  work: (session: Session<StepwiseApi>) => Promise<Result>,
): Promise<Result> {
  return withSession(call, folder, true, createClient, work);
}

async function withSession<Client extends ReadApi, Result>(
  call: Call<NetworkFlags>,
  folder: string,
  write: boolean,
  create: (connection: ReturnType<typeof connect>) => Client,
  work: (session: Session<Client>) => Promise<Result>,
): Promise<Result> {
  const { flags, io, output } = call;
  const workspace = readWorkspace(folder, flags, io);
  await refuseAbandoned(workspace, io);
  const { read: early } = workspace;
  const earlyManifests = soundManifests(call, early);
  const earlyConnection = connect(call, earlyManifests.profile);
  const ledger = await openLedger(earlyManifests, {
    write,
    cwd: io.cwd,
    command: `tether ${call.command}`,
    lockTimeout: flags.lockTimeout ?? 0,
    onNote: (note) => output.log('warn', note),
    signal: io.signal,
  });
  try {
    // Again: they may have been edited while the lock was waited for.
    const read = readManifests(folder, readOptionsOf(flags, io), early);
    const manifests = read === early ? earlyManifests : soundManifests(call, read);
    const connection = read === early ? earlyConnection : connect(call, manifests.profile);
    const api = create(connection);
    return await work({
      manifests,
      connection,
      ledger,
      api,
      plan: async (options) => {
        const at = io.now();
        const planned = await interruptible(
          makePlan({
            api,
            manifests,
            ledger: ledger.ledger,
            options,
            env: io.env,
          }),
          io.signal,
        ).catch((error: unknown) => {
          if (!(error instanceof LedgerMismatch)) throw error;
          const { issue } = error;
          throw new UserError(renderIssues([issue], read.sources, output.renderError), { issues: [issue] });
        });
        const digest = planDigest({ plan: planned.plan, manifests, address: connection.address });
        return { ...planned, digest, at };
      },
    });
  } finally {
    await ledger.close();
  }
}

/** A folder without manifests but with a ledger is more likely a wrong checkout than a wish to delete everything. */
async function refuseAbandoned({ folder, read }: Workspace, { cwd }: Io): Promise<void> {
  if (!read.issues.some(({ rule }) => rule === 'no-manifests')) return;
  const ledger = await inspectLedger(folder, { cwd });
  const held = Object.keys(ledger?.objects ?? {}).length;
  if (ledger === null || held === 0) return;
  throw new UserError(
    `no manifest in ${relative(cwd, folder) || '.'}, but its ledger holds ${counted(held, 'object')} of ${ledger.organization}: nothing was planned. Restore the manifests; or, to delete what the ledger holds, keep one manifest with only \`apiVersion\`, \`profile\` and \`organization\`, and run \`tether destroy\``,
  );
}

interface Workspace {
  /** Absolute. */
  readonly folder: string;
  readonly read: ReadManifests;
}

/** The one folder that a command was given. */
export function folderOf(paths: readonly string[]): string {
  if (paths.length <= 1) return paths[0] ?? '.';
  throw new UserError('several paths: a folder is the unit; `tether validate` takes files');
}

/** Reads the manifests of a folder; mistakes are in `read.issues`. */
export function readWorkspace(folder: string, flags: ManifestFlags, io: Io): Workspace {
  return { folder: resolve(io.cwd, folder), read: readManifests(folder, readOptionsOf(flags, io)) };
}

/** What manifests ask for. Throws a `UserError` with every mistake; warnings are printed. */
export function soundManifests({ output }: Call<ManifestFlags>, read: ReadManifests): Manifests {
  const { manifests, issues } = read;
  const text = renderIssues(issues, read.sources, output.renderError);
  if (manifests === null) throw new UserError(`the manifests have errors:\n\n${text}`, { issues });
  if (issues.length > 0) output.log('warn', text);
  return manifests;
}
