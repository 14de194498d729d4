/** The files of a ledger on a branch, past the checkout, and the one way they change: a commit on top of the one that was read. */
import { basename } from 'node:path';
import type { Clock } from '../../client/pace';
import { plain } from '../../client/text';
import { LedgerError, LedgerMoved, ledgerFileName } from './disk';
import { parseLedger, utf8 } from './file';
import { branchName, type GitOptions, gitBeside, gitIn } from './git';
import { type Ledger, type LockHolder, serializeLedger } from './ledger';
import { parseHolder } from './lock';

const names: readonly string[] = [ledgerFileName, `${ledgerFileName}.run`];
const ref = `refs/heads/${branchName}`;
const fetchTip = ['fetch', '--quiet', '--depth=1', '--no-tags', 'ledger', `+${ref}:refs/tip`];
/** Pushes that fail although the branch stands still. */
const attempts = 3;

export interface State {
  readonly commit: string | null;
  /** Of both files, as one; empty where neither is there. */
  readonly texts: string;
  readonly ledger: Ledger | null;
  /** Who holds the lock, or held it last. */
  readonly run: LockHolder | null;
}

export const noBranch: State = { commit: null, texts: '', ledger: null, run: null };

/** Of the ledger of `folder`, on `origin` of the repository that it is in. Throws `LedgerError`. */
export async function branchFiles(folder: string, options: GitOptions, clock: Clock) {
  const checkout = gitIn(folder, options);
  const facts = ['--show-prefix', '--git-common-dir', '--is-shallow-repository', '--show-object-format'];
  // The folder in its repository, with a slash at its end or empty for the root; and what all worktrees share, absolute.
  const [prefix = '', gitFolder = '', isShallow, format = ''] = await checkout.lines(
    'rev-parse',
    '--path-format=absolute',
    ...facts,
  );
  const remote = await gitBeside(checkout, format, options);
  const [head] = await checkout.lines('rev-parse', '--verify', '--quiet', 'HEAD').catch(() => []);
  const ownPaths = names.map((name) => `${prefix}${name}`);
  const ledgerName = `${branchName}:${prefix}${ledgerFileName}`;

  /** Throws `LedgerError`, also for a branch with other files, and for a ledger above or below this one. */
  async function read(signal?: AbortSignal): Promise<State> {
    try {
      await remote.run(fetchTip, '', signal);
    } catch (error) {
      if (!String(error).includes(`couldn't find remote ref ${ref}`)) throw error;
      return noBranch;
    }
    const [commit = ''] = await remote.lines('rev-parse', 'refs/tip');
    const listed = await remote.run(['ls-tree', '-r', '-z', '--name-only', commit]);
    const paths = listed.toString().split('\0').slice(0, -1);
    const other = paths.find((path) => !mayStand(path));
    if (other !== undefined) {
      const problem = `The branch holds ${plain(other)}, too.`;
      const remedy =
        'It was left as it is. This branch is for ledgers alone, and a folder with everything below it has one: move that apart.';
      throw new LedgerError('several', ledgerName, problem, remedy);
    }
    const texts = ownPaths.map(async (path) => {
      if (!paths.includes(path)) return null;
      return utf8(await remote.run(['cat-file', 'blob', `${commit}:${path}`]), ledgerName);
    });
    const [ledger = null, run = null] = await Promise.all(texts);
    return parse(commit, ledger, run);
  }

  /** Files of this ledger, and of those beside it. */
  function mayStand(path: string) {
    const folder = path.slice(0, -basename(path).length);
    const isApart = !folder.startsWith(prefix) && !prefix.startsWith(folder);
    return names.includes(basename(path)) && (folder === prefix || isApart);
  }

  function parse(commit: string, ledgerText: string | null, runText: string | null): State {
    const run = runText === null ? null : parseHolder(runText);
    if (run === undefined) {
      const remedy = 'Put this file back from the history of the branch.';
      throw new LedgerError('corrupt', `${ledgerName}.run`, 'This does not say who holds the lock.', remedy);
    }
    const ledger = ledgerText === null ? null : parseLedger(ledgerText, ledgerName);
    return { commit, texts: `${ledgerText ?? ''}${runText ?? ''}`, ledger, run };
  }

  /**
   * One commit. What became of it the branch says, not the answer; returns what is there then. Throws `LedgerMoved`, and
   * `LedgerError`.
   */
  async function write(before: State, ledger: Ledger | null, run: LockHolder, what: string): Promise<State> {
    const ledgerText = ledger === null ? null : serializeLedger(ledger);
    const runText = `${JSON.stringify(run)}\n`;
    for (let at = before, failures = 0; ; ) {
      const commit = await commitOn(at, [ledgerText, runText], `${what} ${prefix || './'} [skip ci]`);
      const ours = parse(commit, ledgerText, runText);
      // The remote compares with the lease, and the commit goes on from it: nothing is forced.
      const push = ['push', '--no-verify', `--force-with-lease=${ref}:${at.commit ?? ''}`, 'ledger'];
      const refusal = await remote.run([...push, `${commit}:${ref}`]).catch((error: LedgerError) => error);
      if (Buffer.isBuffer(refusal)) return ours;
      // One that cannot be read counts as unchanged: the next attempt may tell.
      const next = await read().catch(() => at);
      // The answer was lost, and another run may have come since.
      if (next.texts === ours.texts || next.run?.after === endingOf(run)) return next;
      if (next.texts !== before.texts) throw new LedgerMoved();
      // A commit of another ledger costs no attempt.
      if (next.commit === at.commit) {
        failures += 1;
        if (failures === attempts) throw refusal;
        await clock.sleep(failures * 1000);
      }
      at = next;
    }
  }

  async function commitOn({ commit: parent }: State, texts: readonly (string | null)[], subject: string) {
    const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
    const seconds = Math.floor(clock.now() / 1000);
    const stream = [
      `commit refs/next\nmark :1\ncommitter tether <tether@localhost> ${seconds} +0000\n${data(subject)}`,
      parent === null ? '' : `from ${parent}\n`,
      ...texts.map((text, index) =>
        text === null ? '' : `M 100644 inline ${JSON.stringify(ownPaths[index])}\n${data(text)}`,
      ),
      'get-mark :1\n',
    ];
    return (await remote.run(['fast-import', '--quiet', '--force'], stream.join(''))).toString().trim();
  }

  /** Whether the checkout is known to be without that commit; a shallow clone cannot tell. */
  async function lacks(commit: string) {
    const isAncestor = ['merge-base', '--is-ancestor', commit, 'HEAD'];
    return isShallow !== 'true' && (await checkout.run(isAncestor).catch(() => null)) === null;
  }

  // `name`: of the ledger, as git writes it. `head`: the commit that is checked out; undefined before the first.
  return { name: ledgerName, gitFolder, head, read, write, lacks };
}

/** Who ended, and when: whoever else ends that run does so at another time. */
export function endingOf({ token, ended }: LockHolder) {
  return `${token} ${ended}`;
}
