/** Two writers of one ledger on a branch, again and again. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { systemClock } from '../../../client/pace';
import { branchFiles } from '../../../reconciler/ledger/branch-files';
import { LedgerMoved } from '../../../reconciler/ledger/disk';
import { thisHolder } from '../../../reconciler/ledger/lock';
import { BranchRuns } from '../../support/branch-runs';
import { gitEnv } from '../../support/git-remote';
import { ledgerOf } from '../../support/ledger-samples';

describe('the files of a ledger on a branch', () => {
  const runs = new BranchRuns();

  it('are written by one of two at once, 100 times', async () => {
    const folder = await runs.remote.clone();
    // Without HTTP, which is no part of the race.
    execFileSync('git', ['remote', 'set-url', 'origin', runs.remote.bare], { cwd: folder, env: gitEnv });
    const open = () => branchFiles(folder, { env: gitEnv, holdsLedger: true }, systemClock);
    const [one, two] = [await open(), await open()];
    const ledger = ledgerOf();
    let state = await one.read();
    for (let round = 1; round <= 100; round += 1) {
      const before = state;
      const ended = await Promise.allSettled(
        [one, two].map((files) => files.write(before, ledger, thisHolder('tether', 0), 'test')),
      );
      const [won, ...more] = ended.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      assert.ok(won !== undefined && more.length === 0, JSON.stringify(ended));
      assert.ok(ended.some((each) => each.status === 'rejected' && each.reason instanceof LedgerMoved));
      state = won;
    }
    assert.equal(runs.remote.commits, 100);
    assert.equal(runs.remote.git('rev-parse', 'tether-ledger'), state.commit);
  });
});
