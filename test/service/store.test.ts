// The same suite for both stores: what a store promises.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MemoryStore } from '../../service/store/memory-store';
import type { RunTriggerRecord } from '../../service/store/records';
import { openSqliteStore } from '../../service/store/sqlite-store';
import type { Store } from '../../service/store/store';

function trigger(id: string, workspaceId: string, sourceableId: string): RunTriggerRecord {
  return { id, workspaceId, sourceableId, createdAt: '2026-01-01T00:00:00.000Z' };
}

const folder = mkdtempSync(path.join(tmpdir(), 'tether-store-'));
after(() => rmSync(folder, { recursive: true }));
let files = 0;

const stores: Record<string, () => Store> = {
  'the memory store': () => new MemoryStore(),
  'the file store': () => {
    files += 1;
    return openSqliteStore(path.join(folder, `${files}.db`));
  },
};

for (const [name, open] of Object.entries(stores)) {
  describe(name, () => {
    let store: Store;
    beforeEach(() => {
      store = open();
    });
    afterEach(() => store.close());

    it('gives back what was put, by key', () => {
      const record = trigger('rt-1', 'ws-a', 'ws-b');
      store.put('runTriggers', record);
      assert.deepEqual(store.read('runTriggers', 'rt-1'), record);
      assert.equal(store.read('runTriggers', 'rt-2'), undefined);
      assert.equal(store.read('projects', 'rt-1'), undefined);
    });

    it('lists by every index, and follows a record that moves', () => {
      store.put('runTriggers', trigger('rt-1', 'ws-a', 'ws-b'));
      store.put('runTriggers', trigger('rt-2', 'ws-a', 'ws-c'));
      assert.equal(store.list('runTriggers', 'workspaceId', 'ws-a').length, 2);
      store.put('runTriggers', trigger('rt-2', 'ws-x', 'ws-c'));
      assert.deepEqual(
        store.list('runTriggers', 'workspaceId', 'ws-a').map(({ id }) => id),
        ['rt-1'],
      );
      assert.deepEqual(
        store.list('runTriggers', 'sourceableId', 'ws-c').map(({ id }) => id),
        ['rt-2'],
      );
      assert.deepEqual(store.list('runTriggers', 'workspaceId', 'ws-none'), []);
      assert.equal(store.all('runTriggers').length, 2);
    });

    it('removes from everywhere and says whether there was something', () => {
      store.put('runTriggers', trigger('rt-1', 'ws-a', 'ws-b'));
      assert.equal(store.remove('runTriggers', 'rt-1'), true);
      assert.equal(store.remove('runTriggers', 'rt-1'), false);
      assert.deepEqual(store.list('runTriggers', 'workspaceId', 'ws-a'), []);
      assert.deepEqual(store.all('runTriggers'), []);
    });

    it('keeps all of a transaction', () => {
      const result = store.atomically(() => {
        store.put('organizations', { name: 'acme' });
        store.put('organizations', { name: 'other' });
        return store.all('organizations').length;
      });
      assert.equal(result, 2);
      assert.deepEqual(store.read('organizations', 'other'), { name: 'other' });
    });

    it('undoes all of a transaction that throws', () => {
      store.put('runTriggers', trigger('rt-1', 'ws-a', 'ws-b'));
      store.put('runTriggers', trigger('rt-2', 'ws-a', 'ws-c'));
      assert.throws(
        () =>
          store.atomically(() => {
            store.put('runTriggers', trigger('rt-1', 'ws-z', 'ws-z'));
            store.remove('runTriggers', 'rt-2');
            store.put('runTriggers', trigger('rt-3', 'ws-a', 'ws-d'));
            throw new Error('on purpose');
          }),
        /on purpose/,
      );
      const ids = store.list('runTriggers', 'workspaceId', 'ws-a').map(({ id }) => id);
      assert.deepEqual(ids.sort(), ['rt-1', 'rt-2']);
      assert.equal(store.read('runTriggers', 'rt-3'), undefined);
      store.put('runTriggers', trigger('rt-4', 'ws-a', 'ws-e'));
      assert.equal(store.all('runTriggers').length, 3);
    });

    it('takes keys with all kinds of letters', () => {
      for (const key of ['__proto__', 'constructor', "'; DROP TABLE records", '', 'ü\u0000x']) {
        store.put('organizations', { name: key });
        assert.deepEqual(store.read('organizations', key), { name: key });
      }
      assert.equal(store.all('organizations').length, 5);
    });

    it('finds one among 100,000 without looking at all', () => {
      store.atomically(() => {
        for (let count = 0; count < 100_000; count += 1) {
          store.put('runTriggers', trigger(`rt-${count}`, `ws-${count % 1000}`, 'ws-s'));
        }
      });
      assert.equal(store.list('runTriggers', 'workspaceId', 'ws-7').length, 100);
      assert.equal(store.read('runTriggers', 'rt-99999')?.workspaceId, 'ws-999');
    });
  });
}
