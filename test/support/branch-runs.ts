/** Runs that work on the ledger of a branch, in this process: a remote, clones of it, and what each run was told. */

import { type InspectOptions, type OpenOptions, openLedger } from '../../reconciler/ledger/open';
import type { OpenLedger, TemporaryName } from '../../reconciler/ledger/state';
import { GitRemote, gitEnv } from './git-remote';
import { at, clientObject, recordOf } from './ledger-samples';

export interface BranchRun extends Required<OpenLedger> {
  readonly notes: readonly string[];
  /** Records a client under the lock; with the id of its own. */
  record(name: string): Promise<void>;
}

/** A temporary name of a client, as an apply gives it. */
export function nameOf(name: string): TemporaryName {
  return { key: `OAuthClient/${name}`, kind: 'OAuthClient', nonce: `tether-pending-${name}-1` };
}

export class BranchRuns {
  #remote: GitRemote | undefined;
  readonly #opened: OpenLedger[] = [];

  /** Registers hooks in the current `describe`. */
  constructor() {
    beforeEach(async () => {
      this.#remote = await GitRemote.start();
    });
    afterEach(async () => {
      for (const one of this.#opened.splice(0)) await one.close();
      await this.remote.close();
    });
  }

  get remote(): GitRemote {
    if (this.#remote === undefined) throw new Error('only within a test');
    return this.#remote;
  }

  /** A clock that only waits move. */
  options(more: Partial<OpenOptions> = {}, env: Readonly<Record<string, string>> = {}): InspectOptions {
    let now = Date.parse(at);
    const sleep = async (milliseconds: number) => {
      now += milliseconds;
    };
    const never = (_: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
    const clock = {
      now: () => now,
      // The look at the lock comes never, unless a test brings a clock for it.
      sleep: (milliseconds: number, signal?: AbortSignal) =>
        milliseconds === 60_000 ? never(milliseconds, signal) : sleep(milliseconds),
    };
    return { clock, git: { env: { ...gitEnv, ...env }, holdsLedger: true }, ...more };
  }

  async open(
    folder: string,
    more: Partial<OpenOptions> = {},
    env: Readonly<Record<string, string>> = {},
  ): Promise<BranchRun> {
    const notes: string[] = [];
    const onNote = (note: string): void => {
      notes.push(note);
    };
    const options = { ...this.options(more, env), write: true, onNote, ...more };
    const ledger = await openLedger({ folder, organization: 'acme' }, options);
    this.#opened.push(ledger);
    return {
      ledger: ledger.ledger,
      journal: ledger.journal,
      lost: ledger.lost ?? new AbortController().signal,
      begin: async (names) => ledger.begin?.(names),
      finish: () => ledger.finish(),
      close: () => ledger.close(),
      notes,
      record: (name) => ledger.journal.append(recordOf(`OAuthClient/${name}`, clientObject(`oc-${name}`))),
    };
  }

  /** A whole run that makes one client; the keys of the ledger afterwards. */
  async run(folder: string, name: string): Promise<readonly string[]> {
    const run = await this.open(folder);
    await run.begin([nameOf(name)]);
    await run.record(name);
    const { objects } = await run.finish();
    await run.close();
    return Object.keys(objects);
  }
}
