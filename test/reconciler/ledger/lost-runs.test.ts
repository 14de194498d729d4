/** Runs that did not write their end on the branch: named, taken over where that is safe, and nothing they did forgotten. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { LedgerError } from '../../../reconciler/ledger/disk';
import { heldHere } from '../../../reconciler/ledger/lock';
import { inspectLedger, unlockLedger } from '../../../reconciler/ledger/open';
import { until } from '../../support/background';
import { BranchRuns, nameOf } from '../../support/branch-runs';
import { gitEnv, gitToken } from '../../support/git-remote';

const job = 'https://ci.example/jobs/7';

describe('a run that did not end on the branch', () => {
  const runs = new BranchRuns();
  const token = (): string => JSON.parse(runs.remote.read('tether.ledger.json.run')).token;
  const keys = async (folder: string) => {
    const ledger = await inspectLedger(folder, runs.options());
    return [Object.keys(ledger?.objects ?? {}), Object.keys(ledger?.pending ?? {})];
  };
  /** Recorded one client of two, and its process is gone. */
  async function lose(folder: string, env: Readonly<Record<string, string>> = {}) {
    const run = await runs.open(folder, {}, { CI_JOB_URL: job, ...env });
    await run.begin([nameOf('github'), nameOf('gitlab')]);
    await run.record('github');
    heldHere.delete(token());
    return run;
  }

  it('elsewhere is named with its job, and what it may have left counts, also after `unlock`', async () => {
    const [one, two] = [await runs.remote.clone(), await runs.remote.clone()];
    await lose(one);
    await assert.rejects(runs.open(two), (error) => {
      assert.ok(error instanceof LedgerError && error.code === 'locked');
      assert.match(
        error.message,
        /The ledger is still locked by tether, process \d+ on .*, https:\/\/ci\.example\/jobs\/7/,
      );
      assert.ok(error.message.includes(`tether ledger unlock ${token()} --ledger git`), error.message);
      return true;
    });
    assert.deepEqual(await keys(two), [[], ['OAuthClient/github', 'OAuthClient/gitlab']]);
    const wrong = '0123456789abcdef';
    await assert.rejects(unlockLedger(two, wrong, runs.options()), /another token than 0123456789abcdef/);
    const notes: string[] = [];
    const onNote = (note: string) => notes.push(note);
    assert.equal((await unlockLedger(two, token(), runs.options({ onNote })))?.token, token());
    assert.match(notes.join(), /stays behind, unfinished, in \.git\/tether\/[0-9a-f]{16} of its clone on /);
    assert.equal(await unlockLedger(two, token(), runs.options()), null);
    assert.deepEqual(await keys(two), [[], ['OAuthClient/github', 'OAuthClient/gitlab']]);
  });

  it('in this clone is taken over with a note, and exactly what it did is recorded', async () => {
    const clone = await runs.remote.clone();
    await lose(clone);
    assert.deepEqual(await keys(clone), [['OAuthClient/github'], []]);
    const next = await runs.open(clone);
    assert.match(
      next.notes.join(),
      /Took over the lock of a run that did not end: .*jobs\/7\. What it recorded is counted\./,
    );
    assert.deepEqual(Object.keys(next.ledger.objects), ['OAuthClient/github']);
    assert.deepEqual(next.ledger.pending, {});
    await next.close();
    assert.deepEqual(readdirSync(join(clone, '.git/tether')), []);
    assert.equal(runs.remote.commits, 2);
  });

  it('is taken over by a run of the same concurrency group, and by no other', async () => {
    const [one, two] = [await runs.remote.clone(), await runs.remote.clone()];
    const group = { TETHER_LOCK_OWNER: 'acme/production' };
    await lose(one, group);
    await assert.rejects(runs.open(two, {}, { TETHER_LOCK_OWNER: 'acme/test' }), /locked/);
    const next = await runs.open(two, {}, group);
    assert.match(next.notes.join(), /Took over the lock.*What it recorded stays behind/);
    assert.deepEqual(Object.keys(next.ledger.pending), ['OAuthClient/github', 'OAuthClient/gitlab']);
  });

  it('that still runs is neither taken over nor unlocked, and waited for where that was asked for', async () => {
    const [one, two] = [await runs.remote.clone(), await runs.remote.clone()];
    const group = { TETHER_LOCK_OWNER: 'acme/production' };
    const run = await runs.open(one, {}, group);
    await run.begin([]);
    await run.record('github');
    await assert.rejects(runs.open(two, {}, group), /The ledger is still locked/);
    await assert.rejects(unlockLedger(two, token(), runs.options()), /The lock is in use/);
    assert.deepEqual(await keys(two), [[], []]);
    let reads = 0;
    runs.remote.onRequest = async (name) => {
      reads += name === 'refs' ? 1 : 0;
      if (reads === 3) {
        runs.remote.onRequest = () => undefined;
        await run.finish();
      }
      return undefined;
    };
    const next = await runs.open(two, { lockTimeout: 60 });
    assert.match(next.notes.join(), /Waiting for the ledger's lock/);
    assert.deepEqual(Object.keys(next.ledger.objects), ['OAuthClient/github']);
  });

  it('because the remote was gone keeps ledger and journal, from which any clone can record them', async () => {
    const [one, two] = [await runs.remote.clone(), await runs.remote.clone()];
    const run = await runs.open(one);
    await run.begin([nameOf('github')]);
    await run.record('github');
    const held = token();
    runs.remote.onRequest = () => 'gone';
    const left = join(one, '.git/tether', held);
    await assert.rejects(run.finish(), (error) => {
      assert.ok(error instanceof LedgerError && error.code === 'inaccessible');
      assert.ok(
        error.message.includes(left) && error.message.includes(`tether ledger unlock ${held} --ledger git`),
      );
      return true;
    });
    await run.close();
    assert.deepEqual(readdirSync(left).sort(), ['tether.ledger.json']);
    assert.match(readFileSync(join(left, 'tether.ledger.json'), 'utf8'), /oc-github/);
    runs.remote.onRequest = () => undefined;
    cpSync(join(one, '.git/tether'), join(two, '.git/tether'), { recursive: true });
    await unlockLedger(two, held, runs.options());
    assert.deepEqual(await keys(two), [['OAuthClient/github'], []]);
    assert.ok(!existsSync(join(two, '.git/tether', held)));
  });

  it('because its lock was freed notices it within a minute, stops, and keeps what it did', async () => {
    const [one, two] = [await runs.remote.clone(), await runs.remote.clone()];
    let look = (): void => {};
    const clock = {
      now: () => Date.parse('2026-01-31T10:00:00.000Z'),
      sleep: (_: number, signal?: AbortSignal) =>
        new Promise<void>((resolve) => {
          look = resolve;
          signal?.addEventListener('abort', () => resolve());
        }),
    };
    const run = await runs.open(one, { clock });
    await run.begin([]);
    await run.record('github');
    heldHere.delete(token());
    await unlockLedger(two, token(), runs.options());
    const lost = new Promise((resolve) => run.lost?.addEventListener('abort', resolve));
    look();
    await lost;
    await assert.rejects(
      run.finish(),
      /may not be on the branch: Another run changed the ledger.*Its lock was freed/s,
    );
    assert.deepEqual(await keys(two), [[], []]);
  });

  it('is not needed for a warning: a checkout without the commit that was applied last is told so', async () => {
    const [one, two] = [await runs.remote.clone(), await runs.remote.clone()];
    execFileSync('git', ['commit', '--quiet', '--allow-empty', '-m', 'Second'], { cwd: one, env: gitEnv });
    await runs.run(one, 'github');
    const notes: string[] = [];
    const onNote = (note: string) => void notes.push(note);
    await inspectLedger(one, { ...runs.options(), onNote });
    assert.deepEqual(notes, []);
    await inspectLedger(two, { ...runs.options(), onNote });
    assert.match(
      notes.join(),
      /^This checkout is without commit [0-9a-f]{12}, which was applied last: merge/,
    );
    const shallow = await runs.remote.clone('--depth=1');
    notes.length = 0;
    await inspectLedger(shallow, { ...runs.options(), onNote });
    assert.deepEqual(notes, [], 'a shallow clone cannot know');
  });

  it('waits for no answer longer than it may, stops on Ctrl-C, and leaves no process behind', async () => {
    const clone = await runs.remote.clone();
    const late = new AbortController();
    runs.remote.onRequest = () => {
      late.abort();
      return 'silent';
    };
    // Its time is over when the request has arrived: on a busy machine any call of git may take seconds.
    const timeout = mock.method(AbortSignal, 'timeout', () => late.signal);
    try {
      const git = { env: gitEnv, timeoutMs: 300, holdsLedger: true };
      await assert.rejects(inspectLedger(clone, { git }), /git fetch: no answer within 0\.3 s/);
      assert.deepEqual(timeout.mock.calls.at(-1)?.arguments, [300]);
    } finally {
      timeout.mock.restore();
    }
    const stop = new AbortController();
    runs.remote.onRequest = () => {
      stop.abort();
      return 'silent';
    };
    const { signal } = stop;
    await assert.rejects(inspectLedger(clone, { ...runs.options(), signal }), { name: 'AbortError' });
    await until('all are gone', () => !commandLines().some((line) => line.includes(runs.remote.plainUrl)));
  });

  it('and one that did: no process shows the password of the remote', async () => {
    const clone = await runs.remote.clone();
    const seen: string[] = [];
    runs.remote.onRequest = () => {
      seen.push(...commandLines());
      return undefined;
    };
    await runs.run(clone, 'github');
    assert.ok(
      seen.some((line) => line.includes(runs.remote.plainUrl)),
      'git was seen at work',
    );
    assert.deepEqual(
      seen.filter((line) => line.includes(gitToken)),
      [],
    );
  });
});

/** Of all processes that this one started, and those that they started: other tests have remotes of their own. */
function commandLines(): string[] {
  const processes = readdirSync('/proc').flatMap((pid) => {
    try {
      const [, parent = ''] = /^\d+ \(.*\) \S (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
      return [{ pid, parent, line: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') }];
    } catch {
      return [];
    }
  });
  const below = (of: string): string[] =>
    processes.filter(({ parent }) => parent === of).flatMap(({ pid, line }) => [line, ...below(pid)]);
  return below(String(process.pid));
}
