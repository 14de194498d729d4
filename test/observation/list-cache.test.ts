/** The cache of lists: one read for all who ask, for a while, and none kept that failed. */
import assert from 'node:assert/strict';
import { openedAsOne } from '../../client/pages';
import { ListCache } from '../../observation/list-cache';
import { triggersOf } from '../../resources/run-trigger';
import { triggerDocument } from '../support/pure-world';
import { type Answers, readApi } from '../support/read-api';

const inbound = triggersOf('ws-app', 'inbound');
const outbound = triggersOf('ws-app', 'outbound');

describe('a cache of lists', () => {
  const answers: Answers = {
    triggers: { 'ws-app inbound': [triggerDocument('rt-1', 'ws-b', 'ws-app')], 'ws-app outbound': [] },
  };

  it('shares one read among all who ask, also while it is under way', async () => {
    const { api, calls } = readApi(answers);
    const cache = new ListCache(api);
    const [one, two] = await Promise.all([cache.read(inbound), cache.read(inbound)]);
    assert.equal(one, two);
    assert.equal(await cache.read(inbound), one);
    assert.deepEqual(one, [triggerDocument('rt-1', 'ws-b', 'ws-app')]);
    assert.deepEqual(calls, ['list ws-app inbound']);
  });

  it('keeps lists apart, and forgets only the one it is told to', async () => {
    const { api, calls } = readApi(answers);
    const cache = new ListCache(api);
    for (const ref of [inbound, outbound]) await cache.read(ref);
    cache.forget(inbound);
    for (const ref of [inbound, outbound]) await cache.read(ref);
    assert.deepEqual(calls, ['list ws-app inbound', 'list ws-app outbound', 'list ws-app inbound']);
  });

  it('shares a read for as long as it was told to, and not a moment longer', async () => {
    const { api, calls } = readApi(answers);
    let now = 1000;
    const cache = new ListCache(api, 5000, () => now);
    await cache.read(inbound);
    now += 4999;
    await cache.read(inbound);
    assert.equal(calls.length, 1);
    now += 1;
    await cache.read(inbound);
    assert.equal(calls.length, 2);
  });

  it('measures its own time where it is given none', async () => {
    const { api, calls } = readApi(answers);
    const cache = new ListCache(api, 3_600_000);
    await cache.read(inbound);
    await cache.read(inbound);
    assert.equal(calls.length, 1);
  });

  it('does not keep an error: who asks next asks the service', async () => {
    const failing: Answers = { triggers: { 'ws-app inbound': new Error('no answer') } };
    const { api, calls } = readApi(failing);
    const cache = new ListCache(api);
    await assert.rejects(cache.read(inbound), /no answer/);
    failing.triggers = { 'ws-app inbound': [] };
    assert.deepEqual(await cache.read(inbound), []);
    assert.equal(calls.length, 2);
  });

  it('keeps a newer read when an older one fails after all', async () => {
    let fail = (_error: Error): void => {};
    const { api } = readApi(answers);
    const late = new Promise<never>((_, reject) => {
      fail = reject;
    });
    let reads = 0;
    const cache = new ListCache({
      ...api,
      runTriggers: {
        ...api.runTriggers,
        open: async () => {
          reads += 1;
          return reads === 1 ? late : openedAsOne([]);
        },
      },
    });
    const old = cache.read(inbound);
    cache.forget(inbound);
    await cache.read(inbound);
    fail(new Error('too late'));
    await assert.rejects(old, /too late/);
    await cache.read(inbound);
    assert.equal(reads, 2);
  });
});
