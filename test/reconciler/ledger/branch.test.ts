/** A ledger on a branch of a real remote: read, locked and written by commits, with nothing of the checkout touched. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LedgerError, LedgerMoved } from '../../../reconciler/ledger/disk';
import { emptyLedger, serializeLedger } from '../../../reconciler/ledger/ledger';
import { inspectLedger, openLedger } from '../../../reconciler/ledger/open';
import { BranchRuns, nameOf } from '../../support/branch-runs';
import { gitEnv, gitToken } from '../../support/git-remote';
import { clientObject, fullLedger, ledgerOf } from '../../support/ledger-samples';

/** Not synchronous: the remote is in this process. */
const git = (cwd: string, ...args: readonly string[]) =>
  promisify(execFile)('git', args, { cwd, env: gitEnv });

/** Every file below, with its content and the time of its last change. */
function filesIn(folder: string): Record<string, string> {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/^\.git\/tether(?:\/|$)/.test(name) && statSync(join(folder, name)).isFile())
    .map((name): [string, string] => {
      const path = join(folder, name);
      return [name, `${statSync(path).mtimeMs} ${readFileSync(path, 'latin1')}`];
    });
  return Object.fromEntries(found.sort());
}

/** The error, with what it must hold and not hold. */
async function refused(work: Promise<unknown>, code: LedgerError['code'], ...texts: readonly RegExp[]) {
  const error = await work.then(
    () => assert.fail('it was not refused'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof LedgerError, String(error));
  assert.equal(error.code, code, error.message);
  for (const text of texts) assert.match(error.message, text);
  assert.doesNotMatch(error.message, new RegExp(gitToken));
  return error;
}

describe('a ledger on a branch', () => {
  const runs = new BranchRuns();

  it('starts empty, is kept by two pushes, and is found again from another clone', async () => {
    const [one, two] = [await runs.remote.clone(), await runs.remote.clone()];
    const run = await runs.open(one);
    assert.deepEqual(run.ledger, emptyLedger('acme'));
    await run.begin([nameOf('github')]);
    await run.record('github');
    const after = await run.finish();
    await run.close();
    assert.equal(runs.remote.requests.filter((name) => name === 'push').length, 2);
    assert.deepEqual((await runs.open(two, { write: false })).ledger, after);
    assert.deepEqual(after.objects, { 'OAuthClient/github': clientObject('oc-github') });
    assert.deepEqual([after.serial, after.pending], [1, {}]);
    assert.deepEqual(await runs.run(two, 'gitlab'), ['OAuthClient/github', 'OAuthClient/gitlab']);
    assert.equal(runs.remote.commits, 4);
    assert.equal(runs.remote.git('rev-list', '--max-parents=0', '--count', 'tether-ledger'), '1');
    assert.equal(
      runs.remote.git('ls-tree', '-r', '--name-only', 'tether-ledger'),
      'tether.ledger.json\ntether.ledger.json.run',
    );
    assert.equal(runs.remote.read('tether.ledger.json'), serializeLedger(await ledgerOn(one)).trim());
  });

  const ledgerOn = async (folder: string) => (await runs.open(folder, { write: false })).ledger;

  for (const depth of [[], ['--depth=1']]) {
    it(`touches no ref, file, hook or index of the checkout ${depth.join('')}`, async () => {
      const clone = await runs.remote.clone(...depth);
      const hook = join(clone, '.git/hooks/pre-push');
      mkdirSync(join(clone, '.git/hooks'), { recursive: true });
      for (const name of [hook, join(clone, '.git/hooks/reference-transaction')]) {
        writeFileSync(name, '#!/bin/sh\necho called > "$(dirname "$0")/called"\nexit 1\n');
        chmodSync(name, 0o755);
      }
      const before = filesIn(clone);
      await runs.run(clone, 'github');
      await runs.run(clone, 'gitlab');
      assert.deepEqual(filesIn(clone), before);
      assert.deepEqual(readdirSync(join(clone, '.git/tether')), []);
    });
  }

  it('of a run without changes stays as it is', async () => {
    const clone = await runs.remote.clone();
    const run = await runs.open(clone);
    assert.deepEqual((await run.finish()).objects, {});
    await run.close();
    assert.ok(!runs.remote.requests.includes('push refs'));
    assert.deepEqual(readdirSync(join(clone, '.git/tether')), []);
  });

  it('lies in a folder of its own for each folder, and two of them are written side by side', async () => {
    const clone = await runs.remote.clone();
    for (const name of ['acme', 'be ta']) mkdirSync(join(clone, name));
    const [acme, beta] = [await runs.open(join(clone, 'acme')), await runs.open(join(clone, 'be ta'))];
    await acme.begin([]);
    await beta.begin([]);
    await beta.record('b');
    await beta.finish();
    await acme.record('a');
    await acme.finish();
    assert.deepEqual(Object.keys((await ledgerOn(join(clone, 'acme'))).objects), ['OAuthClient/a']);
    assert.deepEqual(Object.keys((await ledgerOn(join(clone, 'be ta'))).objects), ['OAuthClient/b']);
    const error = await refused(
      runs.open(clone),
      'several',
      /The branch holds acme\/tether\.ledger\.json, too/,
    );
    assert.match(error.message, /has one: move that apart/);
  });

  it('of two runs that read the same lets one go first; the other reads again and goes on from there', async () => {
    const clones = [await runs.remote.clone(), await runs.remote.clone()];
    const pair = await Promise.all(clones.map((clone) => runs.open(clone)));
    const began = await Promise.allSettled(
      pair.map(async (run, index) => {
        await run.begin([]);
        await run.record(`r${index}`);
        await run.finish();
      }),
    );
    const late = began.findIndex(({ status }) => status === 'rejected');
    assert.equal(began.filter(({ status }) => status === 'fulfilled').length, 1, JSON.stringify(began));
    assert.ok((began[late] as PromiseRejectedResult).reason instanceof LedgerMoved);
    for (const one of pair) await one.close();
    const keys = await runs.run(clones[late] ?? '', `r${late}`);
    assert.deepEqual(keys.toSorted(), ['OAuthClient/r0', 'OAuthClient/r1']);
    assert.equal(runs.remote.commits, 4);
  });

  for (const [fault, pushes] of [
    ['lost', 2],
    ['gone', 3],
  ] as const) {
    for (const nth of [1, 2]) {
      it(`is right when the ${nth === 1 ? 'lock' : 'end'}'s push is ${fault}: the branch says what became of it`, async () => {
        const clone = await runs.remote.clone();
        let left = nth;
        runs.remote.onRequest = (name) => {
          if (name !== 'push') return undefined;
          left -= 1;
          return left === 0 ? fault : undefined;
        };
        assert.deepEqual(await runs.run(clone, 'github'), ['OAuthClient/github']);
        assert.equal(runs.remote.commits, 2);
        assert.equal(runs.remote.requests.filter((name) => name === 'push').length, pushes);
      });
    }
  }

  it('is not locked by a run whose remote is gone between reading and pushing', async () => {
    const clone = await runs.remote.clone();
    const run = await runs.open(clone);
    runs.remote.onRequest = () => 'gone';
    await refused(run.begin([]), 'inaccessible', /git push: .*Empty reply/s);
    await assert.rejects(run.record('github'), /the lock was not taken/);
    await run.close();
    runs.remote.onRequest = () => undefined;
    assert.equal(runs.remote.commits, 0);
    assert.deepEqual(await runs.run(clone, 'github'), ['OAuthClient/github']);
  });

  it('needs no write to main, and says in the words of the host why the branch is refused', async () => {
    const clone = await runs.remote.clone();
    const refuse = (what: string) =>
      runs.remote.hook(
        `while read old new ref; do case $ref in ${what}) echo "GH006: $ref is protected" >&2; exit 1;; esac; done`,
      );
    refuse('refs/heads/main');
    await runs.run(clone, 'github');
    refuse('refs/heads/tether-ledger');
    const run = await runs.open(clone);
    await refused(run.begin([]), 'inaccessible', /GH006: refs\/heads\/tether-ledger is protected/);
    await run.close();
    assert.equal(runs.remote.commits, 2);
    assert.deepEqual(readdirSync(join(clone, '.git/tether')), []);
  });

  it('is not mixed with a ledger in the folder, a file of somebody else, or what is no ledger', async () => {
    const clone = await runs.remote.clone();
    await runs.run(clone, 'github');
    writeFileSync(join(clone, 'tether.ledger.json'), serializeLedger(fullLedger));
    await refused(runs.open(clone), 'several', /lies in it, and not on the branch/, /docs\/pipelines\.md/);
    await git(clone, 'fetch', '--quiet', 'origin', 'tether-ledger');
    await git(clone, 'worktree', 'add', '--quiet', '--detach', '../branch', 'FETCH_HEAD');
    const branch = join(clone, '../branch');
    const push = async (file: string, text: string) => {
      writeFileSync(join(branch, file), text);
      await git(branch, 'add', '--all');
      await git(branch, 'commit', '--quiet', '-m', 'By hand');
      await git(branch, 'push', '--quiet', 'origin', 'HEAD:refs/heads/tether-ledger');
    };
    const other = await runs.remote.clone();
    await push('tether.ledger.json', '{ "version": 1');
    await refused(runs.open(other), 'corrupt', /tether-ledger:tether\.ledger\.json: The ledger is not JSON/);
    await push('tether.ledger.json', serializeLedger(ledgerOf()));
    await push('tether.ledger.json.run', '{}');
    await refused(runs.open(other), 'corrupt', /tether\.ledger\.json\.run: .*does not say who holds/);
    await push('README.md', 'Mine');
    const error = await refused(inspectLedger(other, runs.options()), 'several', /README\.md/);
    assert.match(error.message, /left as it is/);
  });

  it('is the same in a worktree of a SHA-256 repository, whatever its settings are', async () => {
    const { folder } = runs.remote;
    const [bare, clone, tree] = ['sha.git', 'sha', 'tree'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    await git(folder, 'init', '--quiet', '--bare', '--object-format=sha256', bare);
    await git(folder, 'init', '--quiet', '--object-format=sha256', clone);
    await git(clone, 'remote', 'add', 'origin', bare);
    await git(clone, 'commit', '--quiet', '--allow-empty', '-m', 'First');
    await git(clone, 'worktree', 'add', '--quiet', '--detach', tree);
    mkdirSync(join(folder, 'hooks'));
    for (const name of ['pre-push', 'reference-transaction']) {
      writeFileSync(join(folder, 'hooks', name), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    }
    for (const [name, value] of [
      ['core.hooksPath', join(folder, 'hooks')],
      ['commit.gpgSign', 'true'],
      ['push.gpgSign', 'true'],
      ['push.default', 'nothing'],
      ['fetch.prune', 'true'],
    ] as const) {
      await git(clone, 'config', name, value);
    }
    mkdirSync(join(tree, 'ä b'));
    await runs.run(join(tree, 'ä b'), 'github');
    mkdirSync(join(clone, 'ä b'));
    const again = await runs.open(join(clone, 'ä b'), { write: false });
    assert.deepEqual(Object.keys(again.ledger.objects), ['OAuthClient/github']);
    assert.deepEqual(readdirSync(join(clone, '.git/tether')), []);
  });

  it('is not forgotten by a run that asks for the ledger in the folder', async () => {
    const [one, two] = [await runs.remote.clone(), await runs.remote.clone()];
    await runs.run(one, 'github');
    const git = { env: gitEnv, holdsLedger: false };
    const asked = (folder: string) =>
      openLedger({ folder, organization: 'acme' }, { write: true, cwd: folder, git });
    await promisify(execFile)('git', ['fetch', '--quiet'], { cwd: one, env: gitEnv });
    await refused(asked(one), 'several', /lies on the branch tether-ledger of `origin`/, /--ledger git/);
    runs.remote.requests.length = 0;
    await (await asked(two)).close();
    assert.deepEqual(runs.remote.requests, [], 'the remote is not asked');
    await promisify(execFile)('git', ['fetch', '--quiet'], { cwd: two, env: gitEnv });
    await refused(asked(two), 'several', /tether-ledger/);
    mkdirSync(join(two, 'beside'));
    await (await asked(join(two, 'beside'))).close();
    const outside = runs.remote.folder;
    await (await asked(outside)).close();
    await (
      await openLedger({ folder: outside, organization: 'acme' }, { write: true, git: { ...git, env: {} } })
    ).close();
  });

  for (const [what, inUrl, wanted] of [
    ['a password', `ada:${gitToken}@`, `ada:${gitToken}`],
    ['a token as the user', `${gitToken}@`, `${gitToken}:`],
    ['a token with an empty password', `${gitToken}:@`, `${gitToken}:`],
  ] as const) {
    it(`shows nobody ${what} of the remote's URL`, async () => {
      const clone = await runs.remote.clone();
      await git(clone, 'remote', 'set-url', 'origin', runs.remote.plainUrl.replace('//', `//${inUrl}`));
      runs.remote.credentials = wanted;
      const seen: string[] = [];
      runs.remote.onRequest = () => {
        const all = execFileSync('ps', ['-A', '-ww', '-o', 'args'], { encoding: 'utf8' }).split('\n');
        // Not of other tests at the same time.
        const { host } = new URL(runs.remote.plainUrl);
        seen.push(...all.filter((line) => line.includes(host)));
        return undefined;
      };
      assert.deepEqual(await runs.run(clone, 'github'), ['OAuthClient/github']);
      assert.match(seen.join(), /remote-http/);
      assert.doesNotMatch(seen.join(), new RegExp(gitToken));
    });
  }

  it('says what keeps it from the remote: no repository, no remote, a wrong password, no git', async () => {
    const { folder } = runs.remote;
    await refused(runs.open(folder), 'inaccessible', /not a git repository/);
    const clone = await runs.remote.clone();
    await git(clone, 'remote', 'set-url', 'origin', runs.remote.url.replace(gitToken, 'wrong-password'));
    const error = await refused(runs.open(clone), 'inaccessible', /git fetch: .*terminal prompts disabled/s);
    assert.doesNotMatch(error.message, /wrong-password/);
    await git(clone, 'remote', 'set-url', 'origin', runs.remote.plainUrl);
    await refused(runs.open(clone), 'inaccessible', /git fetch: .*terminal prompts disabled/s);
    await git(clone, 'remote', 'rename', 'origin', 'upstream');
    await refused(runs.open(clone), 'inaccessible', /git remote: error: No such remote 'origin'/);
    await refused(runs.open(clone, {}, { PATH: folder }), 'inaccessible', /could not be started/);
  });
});
