/** One planning run: manifests, ledger and client together, planned as often as asked, closed at the end. */
import { relative } from 'node:path';
import type { ReadApi } from '../client/api';
import { createClient, createReadOnlyClient, type StepwiseApi } from '../client/client';

import { type Manifests, readManifests, renderIssues } from '../manifest';
import { LedgerMismatch, makePlan, planDigest } from '../reconciler';
import { inspectLedger, type OpenLedger, openLedger } from '../reconciler/ledger/open';
import type { Plan, PlanInputs, PlanOptions } from '../reconciler/plan/plan';
import { counted } from '../reconciler/render/text';
import type { Call } from './call';
import { connect } from './connect';
import { interruptible, UserError } from './errors';
import type { NetworkFlags } from './flags';
import type { Io } from './io';
import type { Connection } from './settings';
import { readOptionsOf, readWorkspace, soundManifests, type Workspace } from './workspace';

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
  const { flags, io, voice } = call;
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
    onNote: (note) => voice.log('warn', note),
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
          throw new UserError(renderIssues([issue], read.sources, voice.renderError), { issues: [issue] });
        });
        const digest = planDigest({ plan: planned.plan, manifests, address: connection.address });
        return { ...planned, digest, at };
      },
    });
  } finally {
    await ledger.close();
  }
}

/** Without any manifest nobody says whose the ledger's objects are, let alone that they are to go. */
async function refuseAbandoned({ folder, read }: Workspace, { cwd }: Io): Promise<void> {
  if (!read.issues.some(({ rule }) => rule === 'no-manifests')) return;
  const ledger = await inspectLedger(folder, { cwd });
  const held = Object.keys(ledger?.objects ?? {}).length;
  if (ledger === null || held === 0) return;
  throw new UserError(
    `there is no manifest in ${relative(cwd, folder) || '.'}, but its ledger holds ${counted(held, 'object')} of ${ledger.organization}: nothing was planned. Bring the manifests back; or, to delete what the ledger holds, leave one manifest with only \`apiVersion\`, \`profile\` and \`organization\` in it, and run \`tether destroy\``,
  );
}
