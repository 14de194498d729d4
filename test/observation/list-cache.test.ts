/** The cache of lists: one read for all who ask, for a while, and none kept that failed. */
import assert from 'node:assert/strict';
import { ListCache } from '../../observation/list-cache';
import { toTriggerList } from '../../resources/run-trigger';
import { type Answers, readApi } from '../support/read-api';
import { runTriggerDocument } from '../support/wire-documents';

const inbound = toTriggerList('ws-app', 'inbound');
const outbound = toTriggerList('ws-app', 'outbound');

describe('a cache of lists', () => {
  const answers: Answers = {
    triggers: { 'ws-app inbound': [runTriggerDocument('rt-1')], 'ws-app outbound': [] },
  };

  it('shares one read among all who ask, also while it is under way', async () => {
    const { api, calls } = readApi(answers);
    const cache = new ListCache(api);
    const reads = [cache.read(inbound), cache.read(inbound)];
    assert.ok(cache.has(inbound));
    const [first, second] = await Promise.all(reads);
    assert.equal(first, second);
    assert.equal(await cache.read(inbound), first);
    assert.deepEqual(first, [runTriggerDocument('rt-1')]);
    assert.deepEqual(calls, ['list ws-app inbound']);
  });

  it('keeps lists apart, and forgets only the one it is told to', async () => {
    const { api, calls } = readApi(answers);
    const cache = new ListCache(api);
    for (const ref of [inbound, outbound]) await cache.read(ref);
    cache.forget(inbound);
    assert.deepEqual(
      [inbound, outbound].map((ref) => cache.has(ref)),
      [false, true],
    );
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
    assert.ok(!cache.has(inbound));
    await cache.read(inbound);
    assert.equal(calls.length, 2);
  });

  it('does not keep an error, and keeps a newer read when an older one fails', async () => {
    const failing: Answers = { triggers: { 'ws-app inbound': new Error('no answer') } };
    const { api, calls } = readApi(failing);
    const cache = new ListCache(api);
    await assert.rejects(cache.read(inbound), /no answer/);
    const old = cache.read(inbound);
    cache.forget(inbound);
    failing.triggers = { 'ws-app inbound': [] };
    const newer = cache.read(inbound);
    await assert.rejects(old, /no answer/);
    assert.deepEqual(await newer, []);
    assert.equal(await cache.read(inbound), await newer);
    assert.equal(calls.length, 3);
  });
});
