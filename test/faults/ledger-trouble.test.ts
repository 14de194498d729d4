/** A ledger that cannot be saved any more: nothing more is started, and the message says what to do. */
import assert from 'node:assert/strict';
import type { ApplyOptions } from '../../reconciler/apply/run';
import { lockTimes } from '../../reconciler/ledger/file-lock';
import { LedgerError, type LedgerStore } from '../../reconciler/ledger/store';
import { acmeManifest } from '../support/acme';
import { worlds } from '../support/scenario';

/** The same store, whose saves fail after so many. */
function failingAfter(saves: number, store: LedgerStore): LedgerStore {
  const save = store.save.bind(store);
  let left = saves;
  store.save = async (...given) => {
    left -= 1;
    if (left < 0) throw new LedgerError('could not write tether.ledger.json (ENOSPC)');
    await save(...given);
  };
  return store;
}

describe('an apply whose ledger fails', () => {
  const open = worlds();

  it('starts nothing more and says what to do', async () => {
    const world = await open();
    world.write(acmeManifest());
    const store = failingAfter(3, world.store());
    const { result } = await world.apply({}, { store, concurrency: 1 });
    // The second client's `pending` could not be saved, so it was not sent.
    assert.deepEqual(world.writes(), ['POST /organizations/:organization_name/oauth-clients']);
    const notDone = result.steps.filter(({ status }) => status !== 'done' && status !== 'blocked');
    const [failed, ...rest] = notDone;
    assert.equal(failed?.step, 'create OAuthClient/gitlab');
    assert.match(failed?.message ?? '', /\(ENOSPC\).*No further step was started.* Run the same/);
    assert.equal(result.counts.done, 1);
    assert.ok(rest.length > 0);
    for (const { status, message } of rest) {
      assert.deepEqual([status, message], ['not-tried', 'the ledger could not be saved']);
    }
  });

  it('does nothing where the first save failed', async () => {
    const world = await open();
    world.write(acmeManifest());
    const error = {
      name: 'LedgerNotSaved',
      message: /\(ENOSPC\)\. Nothing was changed: run the same command again$/,
    };
    await assert.rejects(world.apply({}, { store: failingAfter(0, world.store()) }), error);
    assert.deepEqual(world.writes(), []);
  });

  it('sends no further write after a sleep of the machine, although the lock has its name', async () => {
    const world = await open();
    const links = 'runTriggers:\n  - { target: docs, sources: [app, network] }\n';
    world.write(acmeManifest({ clients: '', links }));
    const { now } = Date;
    const onEvent: ApplyOptions['onEvent'] = ({ type }) => {
      if (type === 'finished') Date.now = () => now() + lockTimes.stale + 2000;
    };
    const { result } = await world.apply({}, { onEvent, concurrency: 1 }).finally(() => {
      Date.now = now;
    });
    assert.deepEqual(world.writes(), ['POST /workspaces/:workspace_id/run-triggers']);
    const [first, second] = result.steps;
    // The first one was made, but could not be recorded.
    assert.deepEqual([first?.status, second?.status], ['failed', 'failed']);
    assert.match(first?.message ?? '', /could not be saved: the lock of .* was lost/);
    assert.match(
      second?.message ?? '',
      /machine slept\. Nothing more was written: run the same command again$/,
    );
    await world.settle();
  });

  it('says so where only the last save failed, and the next run finds what was made', async () => {
    const world = await open();
    const links = 'runTriggers:\n  - { target: docs, source: app }\n';
    world.write(acmeManifest({ clients: '', links }));
    const { result } = await world.apply({}, { store: failingAfter(1, world.store()) });
    assert.match(
      result.steps[0]?.message ?? '',
      /ENOSPC.*Run the same command again: it finds the objects that exist/,
    );
    const { plan } = await world.settle();
    assert.deepEqual(
      plan.steps.map(({ id }) => id),
      ['adopt RunTrigger/docs/app'],
    );
    assert.equal(world.service.snapshot().runTriggers.length, 1);
  });
});
