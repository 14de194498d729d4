/** A run on a branch killed at each of its commands of git: what is on the disks then is gone on from. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { inspectLedger, unlockLedger } from '../../../reconciler/ledger/open';
import { BranchRuns, nameOf } from '../../support/branch-runs';
import { gitEnv } from '../../support/git-remote';

/** The remote's branch, and what runs recorded in the clone. */
interface Moment {
  readonly tip: string;
  readonly folder: string;
}

describe('a run on a branch killed at any command of git', () => {
  const runs = new BranchRuns();

  /** A folder with a `git` that copies what a kill before each command, and after each push, would leave. */
  function watchingGit(clone: string, moments: string): string {
    const bin = join(runs.remote.folder, 'bin');
    mkdirSync(bin);
    mkdirSync(moments);
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const script = `#!/bin/sh
keep() {
  to=$(mktemp -d ${moments}/XXXXXX)
  cp -a ${clone}/.git/tether $to/left 2>&-
  ${real} --git-dir=${runs.remote.bare} for-each-ref '--format=%(objectname)' refs/heads/tether-ledger >$to/tip
}
keep; ${real} "$@"; code=$?
if [ "$1" = push ]; then keep; fi
exit $code
`;
    writeFileSync(join(bin, 'git'), script);
    chmodSync(join(bin, 'git'), 0o755);
    return `${bin}:${gitEnv.PATH}`;
  }

  /** Those that differ. */
  function momentsIn(folder: string): Moment[] {
    const found = new Map<string, Moment>();
    for (const name of readdirSync(folder)) {
      const kept = join(folder, name);
      const files = readdirSync(kept, { recursive: true, encoding: 'utf8' }).sort();
      const texts = files
        .filter((file) => /\w\.\w+$|tip$/.test(file))
        .map((file) => readFileSync(join(kept, file), 'utf8'));
      found.set(JSON.stringify([files, texts]), {
        tip: readFileSync(join(kept, 'tip'), 'utf8').trim(),
        folder: kept,
      });
    }
    return [...found.values()];
  }

  it('is taken over in its clone with exactly what it did, and elsewhere by `unlock` with what it may have left', async () => {
    const [one, two] = [await runs.remote.clone(), await runs.remote.clone()];
    // Without HTTP: this is about what lies on disks.
    for (const cwd of [one, two]) {
      execFileSync('git', ['remote', 'set-url', 'origin', runs.remote.bare], { cwd, env: gitEnv });
    }
    const kept = join(runs.remote.folder, 'moments');
    const run = await runs.open(one, {}, { PATH: watchingGit(one, kept) });
    await run.begin([nameOf('github')]);
    await run.record('github');
    await run.finish();
    await run.close();
    const moments = momentsIn(kept);
    assert.ok(moments.length >= 5, `${moments.length} moments`);
    const back = ({ tip, folder }: Moment): void => {
      const ref = 'refs/heads/tether-ledger';
      if (tip !== '') runs.remote.git('update-ref', ref, tip);
      else if (runs.remote.commits > 0) runs.remote.git('update-ref', '-d', ref);
      rmSync(join(one, '.git/tether'), { recursive: true, force: true });
      if (existsSync(join(folder, 'left')))
        cpSync(join(folder, 'left'), join(one, '.git/tether'), { recursive: true });
    };
    const seen = { locked: 0, recorded: 0, ended: 0 };
    for (const moment of moments) {
      back(moment);
      const isLocked =
        moment.tip !== '' && !('ended' in JSON.parse(runs.remote.read('tether.ledger.json.run')));
      const isEnded = moment.tip !== '' && !isLocked;
      const left = join(moment.folder, 'left');
      const isRecorded =
        existsSync(left) &&
        readdirSync(left, { recursive: true, encoding: 'utf8' }).some(
          (file) => /\w\.\w+$/.test(file) && readFileSync(join(left, file), 'utf8').includes('oc-github'),
        );
      seen.locked += isLocked ? 1 : 0;
      seen.recorded += isRecorded ? 1 : 0;
      seen.ended += isEnded ? 1 : 0;

      const done = isEnded || (isLocked && isRecorded) ? ['OAuthClient/github'] : [];
      assert.deepEqual(
        await runs.run(one, 'gitlab'),
        [...done, 'OAuthClient/gitlab'],
        JSON.stringify(moment),
      );

      back(moment);
      if (isLocked) {
        const { pending } = (await inspectLedger(two, runs.options())) ?? { pending: {} };
        assert.deepEqual(Object.keys(pending), ['OAuthClient/github']);
        const { token } = JSON.parse(runs.remote.read('tether.ledger.json.run'));
        await unlockLedger(two, token, runs.options());
      }
      const elsewhere = [...(isEnded ? ['OAuthClient/github'] : []), 'OAuthClient/gitlab'];
      assert.deepEqual(await runs.run(two, 'gitlab'), elsewhere, JSON.stringify(moment));
    }
    assert.ok(seen.locked >= 2 && seen.recorded >= 2 && seen.ended >= 1, JSON.stringify(seen));
  });
});
