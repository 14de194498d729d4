/** A ledger that cannot be saved any more, a lock that is lost, and two runs at once: nothing more is started, and the message says what to do. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApplyResult } from '../../reconciler/apply/run';
import { LedgerError, type LedgerStore } from '../../reconciler/ledger/store';
import { acmeManifest } from '../support/acme';
import type { FolderWorld } from '../support/folder-world';
import { worlds, writesOf } from '../support/scenario';

type Trouble = (world: FolderWorld, store: LedgerStore) => Promise<void>;

const fails =
  (code: string): Trouble =>
  async () => {
    throw new LedgerError(
      `could not write tether.ledger.json (${code}): check the permissions of the file and its folder, and the free space`,
    );
  };

/** What happens instead of the save. */
const troubles: Readonly<Record<string, { readonly happens: Trouble; readonly says: RegExp }>> = {
  'the disk is full': { happens: fails('ENOSPC'), says: /\(ENOSPC\): check .* the free space/ },
  'the file may not be written': { happens: fails('EACCES'), says: /\(EACCES\): check the permissions/ },
  'somebody freed the lock': {
    happens: async ({ folder }, store) => {
      writeFileSync(
        join(folder, 'tether.ledger.json.lock.json'),
        '{"id":"0badcafe","who":"eve@host","since":"now"}',
      );
      await store.save(await nextOf(store), await store.read());
    },
    says: /the lock of tether\.ledger\.json was lost, and eve@host has it since now/,
  },
  'another run saved meanwhile': {
    happens: async ({ folder }, store) => {
      const before = await store.read();
      const other = { ...(await nextOf(store)), serial: (before?.serial ?? 0) + 7 };
      writeFileSync(join(folder, 'tether.ledger.json'), JSON.stringify(other));
      await store.save({ ...other, serial: (before?.serial ?? 0) + 1 }, before);
    },
    says: /tether\.ledger\.json/,
  },
};

async function nextOf(store: LedgerStore) {
  const before = await store.read();
  assert.ok(before);
  return { ...before, serial: before.serial + 1 };
}

const notDone = ({ steps }: ApplyResult) => steps.filter(({ status }) => status !== 'done');

describe('an apply whose ledger fails', () => {
  const open = worlds();

  for (const [what, { happens, says }] of Object.entries(troubles)) {
    it(`starts nothing more and says what to do: ${what}`, async () => {
      const world = await open();
      world.write(acmeManifest());
      const store = world.store();
      let saves = 0;
      const failing: LedgerStore = {
        place: store.place,
        saveEveryMs: store.saveEveryMs,
        read: () => store.read(),
        lock: (...given) => store.lock(...given),
        unlock: () => store.unlock(),
        save: async (...given) => {
          saves += 1;
          return saves < 3 ? store.save(...given) : happens(world, store);
        },
      };
      const { result } = await world.apply({}, { store: failing, concurrency: 1 });
      // The second client's `pending` could not be saved, so it was not sent.
      assert.deepEqual(writesOf(world), ['POST /organizations/:organization_name/oauth-clients']);
      const [failed, ...rest] = notDone(result).filter(({ status }) => status !== 'blocked');
      assert.equal(failed?.step, 'create OAuthClient/gitlab');
      assert.match(failed?.message ?? '', says);
      assert.match(failed?.message ?? '', /Nothing more was started.* run the same command again/);
      assert.equal(result.counts.done, 1);
      assert.ok(rest.length > 0);
      for (const { status, message } of rest) {
        assert.deepEqual([status, message], ['not-tried', 'the ledger could not be saved']);
      }
    });
  }

  it('says so where only the last save failed, and the next run finds what was made', async () => {
    const world = await open();
    const links = 'runTriggers:\n  - { target: docs, source: app }\n';
    world.write(acmeManifest({ clients: '', links }));
    const store = world.store();
    const save = async (): Promise<void> => fails('ENOSPC')(world, store);
    const { result } = await world.apply({}, { store: { ...bound(store), save } });
    assert.match(
      result.steps[0]?.message ?? '',
      /ENOSPC.*run the same command again, and it finds what exists/,
    );
    const { plan } = await world.settle();
    assert.deepEqual(
      plan.steps.map(({ id }) => id),
      ['adopt RunTrigger/docs/app'],
    );
    assert.equal(world.service.snapshot().runTriggers.length, 1);
  });
});

function bound(store: LedgerStore): LedgerStore {
  return {
    place: store.place,
    saveEveryMs: store.saveEveryMs,
    read: () => store.read(),
    lock: (...given) => store.lock(...given),
    save: (...given) => store.save(...given),
    unlock: () => store.unlock(),
  };
}
