// What the store promises about its records.

import assert from 'node:assert/strict';
import type { RunTriggerRecord } from '../../service/store/records';
import { Store } from '../../service/store/store';

function trigger(id: string, workspaceId: string, sourceableId: string): RunTriggerRecord {
  return { id, workspaceId, sourceableId, createdAt: '2026-01-01T00:00:00.000Z' };
}

describe('the store', () => {
  let store: Store;
  beforeEach(() => {
    store = new Store();
  });

  const put = (...records: RunTriggerRecord[]) =>
    store.atomically(() => {
      for (const record of records) store.put('runTriggers', record);
    });

  const sorted = () => [...store.records().runTriggers].sort((one, other) => (one.id < other.id ? -1 : 1));

  it('gives back what was put, by key', () => {
    const record = trigger('rt-1', 'ws-a', 'ws-b');
    put(record);
    assert.deepEqual(store.read('runTriggers', 'rt-1'), record);
    assert.equal(store.read('runTriggers', 'rt-2'), undefined);
    assert.equal(store.read('projects', 'rt-1'), undefined);
  });

  it('lists by every index, and follows a record that moves', () => {
    put(trigger('rt-1', 'ws-a', 'ws-b'), trigger('rt-2', 'ws-a', 'ws-c'));
    assert.equal(store.list('runTriggers', 'workspaceId', 'ws-a').length, 2);
    put(trigger('rt-2', 'ws-x', 'ws-c'));
    assert.deepEqual(
      store.list('runTriggers', 'workspaceId', 'ws-a').map(({ id }) => id),
      ['rt-1'],
    );
    assert.deepEqual(
      store.list('runTriggers', 'sourceableId', 'ws-c').map(({ id }) => id),
      ['rt-2'],
    );
    assert.deepEqual(store.list('runTriggers', 'workspaceId', 'ws-none'), []);
    assert.equal(store.records().runTriggers.length, 2);
  });

  it('counts by index and knows pairs, as often as they are there', () => {
    const pair = () => store.hasPair('runTriggers', 'ws-a', 'ws-b');
    const counts = () => [store.count('runTriggers', 'workspaceId', 'ws-a'), pair()];
    assert.deepEqual(counts(), [0, false]);
    put(trigger('rt-1', 'ws-a', 'ws-b'), trigger('rt-2', 'ws-a', 'ws-b'));
    assert.deepEqual(counts(), [2, true]);
    put(trigger('rt-1', 'ws-a', 'ws-c'));
    assert.deepEqual(counts(), [2, true]);
    store.atomically(() => store.remove('runTriggers', 'rt-2'));
    assert.deepEqual(counts(), [1, false]);
    assert.equal(store.hasPair('runTriggers', 'ws-a', 'ws-c'), true);
  });

  it('gives the same list until one of it changes', () => {
    put(trigger('rt-1', 'ws-a', 'ws-b'));
    const list = () => store.list('runTriggers', 'workspaceId', 'ws-a');
    const before = list();
    put(trigger('rt-2', 'ws-c', 'ws-b'));
    assert.equal(list(), before);
    put(trigger('rt-3', 'ws-a', 'ws-d'));
    assert.deepEqual([before.length, list().length], [1, 2]);
  });

  it('removes from everywhere, and what is not there is no mistake', () => {
    put(trigger('rt-1', 'ws-a', 'ws-b'));
    for (const _time of [1, 2]) store.atomically(() => store.remove('runTriggers', 'rt-1'));
    assert.deepEqual(store.list('runTriggers', 'workspaceId', 'ws-a'), []);
    assert.deepEqual(store.records().runTriggers, []);
  });

  it('keeps all of a transaction', () => {
    store.atomically(() => {
      store.put('organizations', { name: 'acme' });
      store.put('organizations', { name: 'other' });
    });
    assert.equal(store.records().organizations.length, 2);
    assert.deepEqual(store.read('organizations', 'other'), { name: 'other' });
  });

  it('undoes all of a transaction that throws, a record written twice too', () => {
    put(trigger('rt-1', 'ws-a', 'ws-b'), trigger('rt-2', 'ws-a', 'ws-c'));
    const before = sorted();
    assert.throws(
      () =>
        store.atomically(() => {
          store.put('runTriggers', trigger('rt-1', 'ws-z', 'ws-z'));
          store.put('runTriggers', trigger('rt-1', 'ws-y', 'ws-z'));
          store.remove('runTriggers', 'rt-2');
          store.put('runTriggers', trigger('rt-2', 'ws-z', 'ws-z'));
          store.put('runTriggers', trigger('rt-3', 'ws-a', 'ws-d'));
          store.clear();
          throw new Error('on purpose');
        }),
      /on purpose/,
    );
    assert.deepEqual(sorted(), before);
    const ids = store.list('runTriggers', 'workspaceId', 'ws-a').map(({ id }) => id);
    assert.deepEqual(ids.sort(), ['rt-1', 'rt-2']);
    assert.equal(store.list('runTriggers', 'workspaceId', 'ws-z').length, 0);
    put(trigger('rt-4', 'ws-a', 'ws-e'));
    assert.equal(store.records().runTriggers.length, 3);
  });

  it('is replaced by what another one held, in its indexes too', () => {
    put(trigger('rt-1', 'ws-a', 'ws-b'));
    const before = store.records();
    put(trigger('rt-1', 'ws-z', 'ws-b'), trigger('rt-2', 'ws-a', 'ws-c'));
    store.replaceBy(before);
    assert.deepEqual(store.records(), before);
    assert.equal(store.count('runTriggers', 'workspaceId', 'ws-a'), 1);
    assert.equal(store.count('runTriggers', 'workspaceId', 'ws-z'), 0);
  });

  it('takes no write that no transaction could undo', () => {
    assert.throws(() => store.put('organizations', { name: 'acme' }), /outside of a transaction/);
    assert.throws(() => store.remove('organizations', 'acme'), /outside of a transaction/);
  });

  it('takes keys with all kinds of letters', () => {
    for (const key of ['__proto__', 'constructor', "'; DROP TABLE records", '', 'ü\u0000x']) {
      store.atomically(() => store.put('organizations', { name: key }));
      assert.deepEqual(store.read('organizations', key), { name: key });
    }
    assert.equal(store.records().organizations.length, 5);
  });

  it('finds one among 100,000 without looking at all', () => {
    put(
      ...Array.from({ length: 100_000 }, (_unused, count) =>
        trigger(`rt-${count}`, `ws-${count % 1000}`, 'ws-s'),
      ),
    );
    assert.equal(store.list('runTriggers', 'workspaceId', 'ws-7').length, 100);
    assert.equal(store.read('runTriggers', 'rt-99999')?.workspaceId, 'ws-999');
  });
});
