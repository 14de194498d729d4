/** What every home of a ledger does, on a file and on the servers: the same tests for all. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderLedger } from '../../../reconciler/ledger/document';
import { homeTimes } from '../../../reconciler/ledger/home';
import { emptyLedger, type Ledger, nextSerial } from '../../../reconciler/ledger/ledger';
import { openStore } from '../../../reconciler/ledger/open-store';
import { freeLock, LedgerLocked, type LedgerStore } from '../../../reconciler/ledger/store';
import type { Fate } from '../../support/faulty-proxy';
import { homeNames, parsePlace, type RunningHome, startHome } from '../../support/ledger-homes';
import { withEnvironment } from '../../support/process-environment';
import { temporaryFolder } from '../../support/temporary-folder';
import { alice, bob, first, second } from '../../support/two-ledgers';

for (const name of ['file', ...homeNames] as const) {
  describe(`a ledger's home: ${name}`, () => {
    const folder = temporaryFolder();
    let home: RunningHome | null = null;
    let count = 0;
    const document = () => `acme-${count}`;
    const place = () => (home === null ? null : parsePlace(home, document()));
    const open = (): LedgerStore => {
      return openStore({
        folder: folder(),
        organization: 'acme',
        cwd: folder(),
        ledger: place(),
        env: home?.env ?? {},
      });
    };
    const replace = async (text: string | null) => {
      const path = join(folder(), 'tether.ledger.json');
      if (home !== null) await home.replace(document(), text);
      else if (text === null) rmSync(path);
      else writeFileSync(path, text);
    };
    const locked = async (): Promise<LedgerStore> => {
      const store = open();
      await store.lock(alice, 0);
      await store.save(first, emptyLedger('acme'));
      return store;
    };
    const { poll } = homeTimes;

    before(async function () {
      if (name !== 'file') home = await startHome(name, this);
      homeTimes.poll = 1;
    });
    after(async () => {
      homeTimes.poll = poll;
      await home?.close();
    });
    withEnvironment(() => home?.env ?? {});
    beforeEach(() => {
      count += 1;
    });

    it('is empty before the first save, and then what was saved last', async () => {
      assert.equal(await open().read(), null);
      assert.equal(open().saveEveryMs, name === 'file' ? 1000 : 10_000);
      const store = await locked();
      assert.deepEqual(await open().read(), first);
      await store.save(second, first);
      assert.deepEqual(await store.read(), second);
      await store.unlock();
      assert.deepEqual(await open().read(), second);
    });

    it('is empty where it was locked and never saved', async () => {
      const store = open();
      await store.lock(alice, 0);
      assert.equal(await open().read(), null);
      await store.unlock();
      assert.equal(await open().read(), null);
    });

    it('names the holder of its lock to others, who wait as long as they like', async () => {
      const store = await locked();
      await assert.rejects(open().lock(bob, 0), (error: Error) => {
        assert.ok(error instanceof LedgerLocked);
        assert.equal(error.holder?.who, alice.who);
        assert.ok(
          error.message.includes(`is locked by ${alice.who} since ${error.holder.since}`),
          error.message,
        );
        assert.ok(error.message.includes(`tether ledger unlock ${error.holder.id}`), error.message);
        return true;
      });
      const waiting = open();
      const waits = waiting.lock(bob, 60_000);
      await store.unlock();
      await waits;
      await assert.rejects(open().lock(alice, 0), { message: /is locked by bob@host/ });
      await waiting.unlock();
      // Twice is harmless.
      await waiting.unlock();
      await (await lockedBy(open())).unlock();
    });

    it('is not left locked by a run that was interrupted while it took the lock or waited', async () => {
      for (const isHeld of [false, true]) {
        const [other, store] = [open(), open()];
        if (isHeld) await other.lock(alice, 0);
        const taken = assert.rejects(store.lock(bob, 60_000), { message: /unlocked by an interruption$/ });
        await store.unlock();
        await other.unlock();
        await taken;
        await (await lockedBy(open())).unlock();
      }
    });

    it('refuses a save without the lock', async () => {
      await assert.rejects(open().save(first, null), /under its lock/);
    });

    const others: [what: string, stored: Ledger | null, before: Ledger | null][] = [
      ['another serial', { ...second, serial: 9 }, first],
      ['another lineage', { ...first, lineage: 'other' }, first],
      ['a ledger, where there was none', first, null],
      ['none, where there was a ledger', null, first],
    ];
    for (const [what, stored, before] of others) {
      it(`refuses a save where it holds ${what}`, async () => {
        if (stored !== null) await replace(renderLedger(stored));
        const store = open();
        await store.lock(alice, 0);
        const next = { ...second, serial: (before?.serial ?? 0) + 1 };
        await assert.rejects(store.save(next, before), {
          name: 'LedgerError',
          message: /changed by somebody else/,
        });
        assert.deepEqual(await open().read(), stored);
        await store.unlock();
      });
    }

    it('refuses a save of a run whose lock was freed and taken by another', async () => {
      const store = await locked();
      const { id } = await holderOf(open());
      await freeLock(open(), id, 'carol');
      const other = open();
      await other.lock(bob, 0);
      await assert.rejects(store.save(second, first), { name: /LockLost|LedgerError/ });
      // Its end leaves the lock to the other. On an HTTP server, only the answer to an unlock shows that it has one.
      if (name === 'file' || name === 'minio') await store.unlock();
      else
        await assert.rejects(store.unlock(), {
          name: /LockLost|LedgerError/,
          message: /lost|may have the lock/,
        });
      await other.save(second, first);
      await assert.rejects(store.save(second, first));
      await other.unlock();
      assert.deepEqual(await open().read(), second);
    });

    it('frees a dead lock for a person who gives its id, and says whose it was', async () => {
      await locked();
      const { id, since } = await holderOf(open());
      await assert.rejects(freeLock(open(), '00000000', 'carol'), {
        name: 'LedgerLocked',
        message: new RegExp(`is locked by alice@host .* since ${since}: .* unlock ${id}`),
      });
      assert.deepEqual(await freeLock(open(), id, 'carol'), { id, since, ...alice });
      await assert.rejects(freeLock(open(), id, 'carol'), { message: /is not locked$/ });
      await (await lockedBy(open())).unlock();
    });

    // A file has no server whose answers may be lost.
    const fates = ['lost', 'unanswered', { status: 502 }, { status: 429 }, { status: 408 }] as const;
    for (const fate of name === 'file' ? [] : fates) {
      const what = typeof fate === 'string' ? `${fate} requests` : `answers ${fate.status}`;
      it(`outlasts an outage of three requests in a row, with ${what}, at each step`, async () => {
        assert.ok(home !== null);
        const { proxy } = home;
        const store = open();
        try {
          await store.lock(alice, 0);
          for (const delay of [0, 1, 2]) {
            const before = await store.read();
            // The outage begins with one of the requests of a save.
            proxy.decide = outageAfter(delay, fate);
            await store.save(nextSerial(before ?? emptyLedger('acme'), first.address), before);
          }
          proxy.decide = outageAfter(0, fate);
          await store.unlock();
          assert.equal((await open().read())?.serial, 3);
          await (await lockedBy(open())).unlock();
        } finally {
          proxy.decide = () => 'passes';
        }
      });
    }

    if (name !== 'file') {
      it('is unlocked after a lost answer, also if another run has the lock by then', async () => {
        assert.ok(home !== null);
        const { proxy } = home;
        const store = await lockedBy(open());
        const other = open();
        let isUnlocked = false;
        proxy.decide = async ({ method }) => {
          if (method !== 'DELETE') return 'passes';
          proxy.decide = async (): Promise<Fate> => {
            if (isUnlocked) return 'passes';
            isUnlocked = true;
            await other.lock(bob, 0);
            return 'passes';
          };
          return 'unanswered';
        };
        await store.unlock();
        await other.unlock();
      });
    }

    const unsound: [what: string, text: string, says: RegExp][] = [
      [
        'of another organization',
        renderLedger({ ...first, organization: 'other' }),
        /is the ledger of other/,
      ],
      ['of an older version', renderLedger(first).replace('"version": 3', '"version": 2'), /version 2/],
      ['spoilt by hand', renderLedger(first).replace('oc-1', 'x y'), /not a valid ledger/],
    ];
    for (const [what, text, says] of unsound) {
      it(`refuses a document ${what}, and leaves it as it is`, async () => {
        await replace(text);
        await assert.rejects(open().read(), { name: 'LedgerError', message: says });
        const store = open();
        await store.lock(alice, 0);
        await assert.rejects(store.save(second, first), { name: 'LedgerError' });
        await store.unlock();
        await assert.rejects(open().read(), { message: says });
      });
    }
  });
}

/** The first requests pass, and the next three do not. */
function outageAfter(delay: number, fate: Fate): () => Fate {
  let count = 0;
  return () => {
    count += 1;
    return count > delay && count <= delay + 3 ? fate : 'passes';
  };
}

async function lockedBy(store: LedgerStore): Promise<LedgerStore> {
  await store.lock(alice, 0);
  return store;
}

async function holderOf(store: LedgerStore) {
  try {
    await store.lock(bob, 0);
  } catch (error) {
    if (error instanceof LedgerLocked && error.holder !== null) return error.holder;
    throw error;
  }
  return assert.fail('it is not locked');
}
