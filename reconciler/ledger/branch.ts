/** A ledger on a branch of the repository's remote, with its lock: who runs, who was lost, and how each run ends. */

/*
 * Two files in the ledger's folder of the branch: the ledger; and `.run`, who holds its lock or held it last. While a run
 * holds the lock, the ledger there has the intents of all clients that it may create. What it really does stands in a ledger
 * with a journal of its own, in `.git/tether/` of its clone, until the end is pushed. A run whose lock stays ended nowhere:
 * in its clone that ledger counts, elsewhere the one with the intents. Freeing its lock is the end that it did not write.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemClock } from '../../client/pace';
import { plain } from '../../client/text';
import { branchFiles, endingOf, noBranch, type State } from './branch-files';
import { inaccessible, LedgerError, LedgerMoved, ledgerIn } from './disk';
import { writeLedger } from './file';
import type { GitOptions } from './git';
import type { Ledger, LockHolder } from './ledger';
import {
  describeHolder,
  heldHere,
  refuseToFree,
  refuseToWait,
  stateOf,
  thisHolder,
  unlockCommand,
  type WaitOptions,
  waitFor,
} from './lock';
import { type LedgerPlace, LedgerState, type OpenLedger, type TemporaryName } from './state';

interface Options extends WaitOptions {
  readonly command?: string;
  readonly git: GitOptions;
  /** A ledger in a folder, for what a run of this clone does. */
  readonly inFolder: (file: string, options: WaitOptions) => LedgerPlace;
}

const lookEvery = 60_000;
const pollEvery = 5_000;

/** Of that folder. Throws `LedgerError`. */
export async function ledgerOnBranch(folder: string, options: Options): Promise<LedgerPlace> {
  const { clock = systemClock, command = 'tether', onNote = () => {}, inFolder } = options;
  const files = await branchFiles(folder, options.git, clock);
  /** As last read or written. */
  let state = noBranch;

  async function inspect() {
    const run = await waitForEnd((holder) => holder);
    if (run === null) return state.ledger;
    onNote(`The ledger is locked: ${describeHolder(run)}. What is known of that run is counted.`);
    return recorded(run);
  }

  async function unlock(token: string) {
    const run = await look();
    if (run === null) return null;
    refuseToFree(files.name, run, token, options);
    const what = whatCounts(run);
    await end(run);
    onNote(what);
    return run;
  }

  /** The lock is taken by `begin`. */
  async function open(fresh: Ledger): Promise<OpenLedger> {
    await free();
    const job = jobOf(options.git, files.head, state.run);
    const run: LockHolder = { ...thisHolder(command, clock.now()), ...job };
    const ledger = state.ledger ?? fresh;
    const before = { ...ledger, lineage: ledger.lineage || randomUUID() };
    const own = await recordBeside(run, before);
    const lost = new AbortController();
    const stop = new AbortController();
    let watching: Promise<void> | undefined;
    const close = async () => {
      if (stop.signal.aborted) return;
      stop.abort();
      await watching;
      await own.close();
      try {
        await (watching === undefined ? forget(run) : end(run));
      } catch (error) {
        throw unfinished(run, error);
      } finally {
        heldHere.delete(run.token);
      }
    };
    return {
      ...own,
      ledger,
      journal: {
        append: async (record) => {
          if (watching === undefined) throw new Error('Nothing can be recorded: the lock was not taken.');
          await own.journal.append(record);
        },
      },
      lost: lost.signal,
      begin: async (names) => {
        const planned = withIntents(before, names, run.since);
        heldHere.add(run.token);
        state = await files.write(state, planned, run, `${run.command}: lock`);
        if (holderOf(state)?.token !== run.token) throw new LedgerMoved();
        watching = watch(run, stop.signal, lost);
      },
      finish: async () => {
        const after = await own.finish();
        await close();
        return after;
      },
      close: () => close().catch((error: unknown) => onNote(messageOf(error))),
    };
  }

  /** In the clone, where a run that dies right after taking the lock is known then. */
  async function recordBeside(run: LockHolder, before: Ledger) {
    const file = recordOf(run);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 }).catch((error: unknown) => {
      throw inaccessible(dirname(file), 'create it', error);
    });
    await writeLedger(file, before);
    return inFolder(file, options).open(before);
  }

  function unfinished(run: LockHolder, cause: unknown) {
    const remedy =
      cause instanceof LedgerMoved
        ? 'Its lock was freed: plan again, and compare with what is recorded there before you delete that folder.'
        : `Its lock stays. \`${unlockCommand(run, options)}\` in this clone, or in another one that has this folder at the same place, records it and frees the lock.`;
    const what = `What this run did may not be on the branch: ${messageOf(cause)}\nIt is recorded in ${dirname(recordOf(run))}.`;
    return new LedgerError('inaccessible', files.name, what, remedy, { cause });
  }

  /** Looks at the lock until the end of the run, and aborts `lost` when it is another's. */
  async function watch({ token }: LockHolder, stop: AbortSignal, lost: AbortController) {
    while (!lost.signal.aborted) {
      await clock.sleep(lookEvery, stop);
      if (stop.aborted) return;
      try {
        if (holderOf(await files.read())?.token !== token) lost.abort();
      } catch (error) {
        onNote(`Could not look whether this run still has the lock; going on. ${messageOf(error)}`);
      }
    }
  }

  /** Ends a run that certainly did not; throws `LedgerError` while another holds the lock. */
  async function free(): Promise<void> {
    const run = await waitForEnd((holder) => refuseToWait(files.name, holder, options));
    if (run === null) return;
    const what = whatCounts(run);
    try {
      await end(run);
    } catch (error) {
      if (error instanceof LedgerMoved) return free();
      throw error;
    }
    const who = describeHolder(run);
    onNote(`Took over the lock of a run that did not end: ${who}. ${what}`);
  }

  /** Of a run whose lock is freed from here. */
  function whatCounts(run: LockHolder) {
    if (existsSync(recordOf(run))) return 'What it recorded is counted.';
    const place = plain(`.git/tether/${run.token} of its clone on ${run.host}`);
    return `What it recorded stays behind, unfinished, in ${place}: here only the temporary names of its creates are known. Plan, and look for what it made or deleted.`;
  }

  /** Waits, as long as the options say, for a run that may still end; then `late` decides. Returns who holds the lock. */
  async function waitForEnd(late: (holder: LockHolder) => LockHolder) {
    const isFree = (holder: LockHolder | null) => (holder === null || isOver(holder) ? holder : undefined);
    const run = await waitFor<LockHolder | null>(look, pollEvery, options, isFree, late);
    const { commit, job } = state.run ?? {};
    if (commit !== undefined && (await files.lacks(commit))) {
      const by = job === undefined ? '' : ` (${job})`;
      const which = plain(`${commit.slice(0, 12)}, which was applied last${by}`);
      const advice = 'merge the main branch first, or what it brought is undone';
      onNote(`This checkout is without commit ${which}: ${advice}.`);
    }
    return run;
  }

  async function look() {
    state = await files.read(options.signal);
    return holderOf(state);
  }

  /** Its process has ended and this clone has what it did, or nothing of its concurrency group can run beside us. */
  function isOver(run: LockHolder) {
    const condition = stateOf(run);
    const isOfGroup = run.owner !== undefined && run.owner === options.git.env.TETHER_LOCK_OWNER;
    return condition !== 'alive' && (isOfGroup || (condition === 'dead' && existsSync(recordOf(run))));
  }

  /** With what the run that holds the lock recorded in this clone, or else may have left. */
  async function recorded(run: LockHolder) {
    return (await inFolder(recordOf(run), {}).inspect()) ?? state.ledger;
  }

  /** Writes the end of the run that holds the lock. Throws `LedgerMoved`. */
  async function end(run: LockHolder) {
    const ended = { ...run, ended: new Date(clock.now()).toISOString() };
    const ledger = await recorded(run);
    state = await files.write(state, ledger, ended, `${command}: record and unlock`);
    await forget(run);
  }

  function forget(run: LockHolder) {
    return rm(dirname(recordOf(run)), { recursive: true, force: true });
  }

  /** Where a run of this clone records what it does. */
  function recordOf({ token }: LockHolder) {
    return ledgerIn(join(files.gitFolder, 'tether', token));
  }

  return { inspect, open, unlock };
}

function holderOf({ run }: State) {
  return run?.ended === undefined ? run : null;
}

/** Of inputs that nobody else knows: what is found under these names is made anew. */
function withIntents(ledger: Ledger, names: readonly TemporaryName[], since: string) {
  const planned = new LedgerState(ledger);
  for (const { key, kind, nonce } of names) {
    const earlier = planned.pending.get(key);
    const tombstone = { kind, address: key, nonce: earlier?.nonce ?? nonce, since };
    if (earlier !== undefined) planned.take({ event: 'late', tombstone });
    planned.take({ event: 'intent', key, intent: { kind, nonce, hash: 'unknown' } });
  }
  return planned.ledger(null);
}

function messageOf(error: unknown) {
  return error instanceof Error ? error.message : String(error);
}

/** What a run on a branch says of itself beside what every holder of a lock does. */
function jobOf({ env }: GitOptions, commit: string | undefined, before: State['run']) {
  const { CI_JOB_URL, BUILD_URL, GITHUB_RUN_ID, GITHUB_SERVER_URL, GITHUB_REPOSITORY } = env;
  const github = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`;
  const job = CI_JOB_URL || BUILD_URL || (GITHUB_RUN_ID && github);
  const after = before === null ? undefined : endingOf(before);
  const known = { job, owner: env.TETHER_LOCK_OWNER, commit, after };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value));
}
