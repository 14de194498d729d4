/** The files of a ledger on a branch, past the checkout, and the one way they change: a commit on top of the one that was read. */
import { basename } from 'node:path';
import type { Clock } from '../../client/pace';
import { plain } from '../../client/text';
import { LedgerError, LedgerMoved, ledgerFileName } from './disk';
import { parseLedger, utf8 } from './file';
import { branchName, type Git, type GitOptions, gitBeside, gitIn } from './git';
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

export class BranchFiles {
  /** Of the ledger, as git writes it. */
  readonly name: string;
  readonly #paths: readonly string[];

  private constructor(
    private readonly checkout: Git,
    private readonly remote: Git,
    private readonly clock: Clock,
    /** Of the folder in its repository, with a slash at its end; empty for the root. */
    private readonly prefix: string,
    private readonly isShallow: boolean,
    /** Absolute; shared by all worktrees. */
    readonly gitFolder: string,
    /** That is checked out; undefined before the first. */
    readonly head: string | undefined,
  ) {
    this.#paths = names.map((name) => `${prefix}${name}`);
    this.name = `${branchName}:${prefix}${ledgerFileName}`;
  }

  /** On `origin` of the repository that `folder` is in. Throws `LedgerError`. */
  static async open(folder: string, options: GitOptions, clock: Clock) {
    const checkout = gitIn(folder, options);
    const facts = ['--show-prefix', '--git-common-dir', '--is-shallow-repository', '--show-object-format'];
    const [prefix = '', gitFolder = '', isShallow, format = ''] = await checkout.lines(
      'rev-parse',
      '--path-format=absolute',
      ...facts,
    );
    const remote = await gitBeside(checkout, format, options);
    const [head] = await checkout.lines('rev-parse', '--verify', '--quiet', 'HEAD').catch(() => []);
    return new BranchFiles(checkout, remote, clock, prefix, isShallow === 'true', gitFolder, head);
  }

  /** Throws `LedgerError`, also for a branch with other files, and for a ledger above or below this one. */
  async read(signal?: AbortSignal): Promise<State> {
    try {
      await this.remote.run(fetchTip, '', signal);
    } catch (error) {
      if (!String(error).includes(`couldn't find remote ref ${ref}`)) throw error;
      return noBranch;
    }
    const [commit = ''] = await this.remote.lines('rev-parse', 'refs/tip');
    const listed = await this.remote.run(['ls-tree', '-r', '-z', '--name-only', commit]);
    const paths = listed.toString().split('\0').slice(0, -1);
    const other = paths.find((path) => !this.mayStand(path));
    if (other !== undefined) {
      const problem = `The branch holds ${plain(other)}, too.`;
      const remedy =
        'It was left as it is. This branch is for ledgers alone, and a folder with everything below it has one: move that apart.';
      throw new LedgerError('several', this.name, problem, remedy);
    }
    const texts = this.#paths.map(async (path) => {
      if (!paths.includes(path)) return null;
      return utf8(await this.remote.run(['cat-file', 'blob', `${commit}:${path}`]), this.name);
    });
    const [ledger = null, run = null] = await Promise.all(texts);
    return this.parse(commit, ledger, run);
  }

  /** Files of this ledger, and of those beside it. */
  private mayStand(path: string) {
    const folder = path.slice(0, -basename(path).length);
    const isApart = !folder.startsWith(this.prefix) && !this.prefix.startsWith(folder);
    return names.includes(basename(path)) && (folder === this.prefix || isApart);
  }

  private parse(commit: string, ledgerText: string | null, runText: string | null): State {
    const run = runText === null ? null : parseHolder(runText);
    if (run === undefined) {
      const remedy = 'Put this file back from the history of the branch.';
      throw new LedgerError('corrupt', `${this.name}.run`, 'This does not say who holds the lock.', remedy);
    }
    const ledger = ledgerText === null ? null : parseLedger(ledgerText, this.name);
    return { commit, texts: `${ledgerText ?? ''}${runText ?? ''}`, ledger, run };
  }

  /**
   * One commit. What became of it the branch says, not the answer; returns what is there then. Throws `LedgerMoved`, and
   * `LedgerError`.
   */
  async write(before: State, ledger: Ledger | null, run: LockHolder, what: string): Promise<State> {
    const ledgerText = ledger === null ? null : serializeLedger(ledger);
    const runText = `${JSON.stringify(run)}\n`;
    for (let at = before, failures = 0; ; ) {
      const commit = await this.commit(at, [ledgerText, runText], `${what} ${this.prefix || './'} [skip ci]`);
      const ours = this.parse(commit, ledgerText, runText);
      // The remote compares with the lease, and the commit goes on from it: nothing is forced.
      const push = ['push', '--no-verify', `--force-with-lease=${ref}:${at.commit ?? ''}`, 'ledger'];
      const refusal = await this.remote
        .run([...push, `${commit}:${ref}`])
        .catch((error: LedgerError) => error);
      if (Buffer.isBuffer(refusal)) return ours;
      // One that cannot be read counts as unchanged: the next attempt may tell.
      const next = await this.read().catch(() => at);
      // The answer was lost, and another run may have come since.
      if (next.texts === ours.texts || next.run?.after === endOf(run)) return next;
      if (next.texts !== before.texts) throw new LedgerMoved();
      // A commit of another ledger costs no attempt.
      if (next.commit === at.commit) {
        failures += 1;
        if (failures === attempts) throw refusal;
        await this.clock.sleep(failures * 1000);
      }
      at = next;
    }
  }

  private async commit({ commit: parent }: State, texts: readonly (string | null)[], subject: string) {
    const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
    const seconds = Math.floor(this.clock.now() / 1000);
    const stream = [
      `commit refs/next\nmark :1\ncommitter tether <tether@localhost> ${seconds} +0000\n${data(subject)}`,
      parent === null ? '' : `from ${parent}\n`,
      ...texts.map((text, index) =>
        text === null ? '' : `M 100644 inline ${JSON.stringify(this.#paths[index])}\n${data(text)}`,
      ),
      'get-mark :1\n',
    ];
    return (await this.remote.run(['fast-import', '--quiet', '--force'], stream.join(''))).toString().trim();
  }

  /** Whether the checkout is known to be without that commit; a shallow clone cannot tell. */
  async lacks(commit: string) {
    const isAncestor = ['merge-base', '--is-ancestor', commit, 'HEAD'];
    return !this.isShallow && (await this.checkout.run(isAncestor).catch(() => null)) === null;
  }
}

/** Who ended, and when: whoever else ends that run does so at another time. */
export function endOf({ token, ended }: LockHolder) {
  return `${token} ${ended}`;
}
