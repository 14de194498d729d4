/** One planning run: manifests, ledger and client together, planned as often as asked, closed at the end. */
import { createClient, createReadOnlyClient } from '../client';
import type { ReadApi } from '../client/api';
import type { StepwiseApi } from '../client/create';
import { type Manifests, readManifests } from '../manifest';
import { makePlan, planDigest } from '../reconciler';
import type { PlanInputs } from '../reconciler/inputs';
import { type OpenLedger, openLedger } from '../reconciler/ledger/open';
import type { PlanOptions } from '../reconciler/plan/options';
import type { Plan } from '../reconciler/plan/plan';
import type { Call } from './call';
import { connect } from './connect';
import { interruptible } from './errors';
import type { NetworkFlags } from './flags';
import type { Connection } from './settings';
import { readOptionsOf, readWorkspace, soundManifests } from './workspace';

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
  const { location, read: early } = await readWorkspace(folder, flags, io);
  const earlyConnection = connect(call, soundManifests(call, early).profile);
  const ledger = await openLedger(location, {
    write,
    command: `tether ${call.command}`,
    lockTimeout: flags.lockTimeout ?? 0,
    onNote: (note) => voice.log('warn', note),
    signal: io.signal,
  });
  try {
    // Again: they may have been edited while the lock was waited for.
    const read = readManifests(folder, readOptionsOf(flags, io), early);
    const manifests =
      read === early && early.manifests !== null ? early.manifests : soundManifests(call, read);
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
        );
        const digest = planDigest({ plan: planned.plan, manifests, address: connection.address });
        return { ...planned, digest, at };
      },
    });
  } finally {
    await ledger.close();
  }
}
