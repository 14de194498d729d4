// The log of requests does not grow without end.

import assert from 'node:assert/strict';
import { RequestLog } from '../../service/admin/request-log';

describe('the log of requests', () => {
  const arrival = (url: string) => ({ method: 'GET', route: null, url, time: '2026-01-02T03:04:05.678Z' });

  it('drops the oldest beyond 100,000', () => {
    const log = new RequestLog();
    for (let count = 0; count < 100_002; count += 1) log.open(arrival(`/${count}`));
    const urls = log.list().map(({ url }) => url);
    assert.deepEqual([urls.length, urls[0], urls.at(-1)], [100_000, '/2', '/100001']);
  });

  it('stays in order however often it has been full, and takes no longer for it', () => {
    const log = new RequestLog();
    const { shift } = Array.prototype;
    let moves = 0;
    Array.prototype.shift = function (this: unknown[]) {
      moves += 1;
      return shift.call(this);
    };
    for (let count = 0; count < 250_001; count += 1) log.open(arrival(`/${count}`));
    Array.prototype.shift = shift;
    const urls = log.list().map(({ url }) => Number(url.slice(1)));
    assert.deepEqual([urls[0], urls.at(-1), moves], [150_001, 250_000, 0]);
    assert.ok(urls.every((url, index) => url === 150_001 + index));
    log.clear();
    log.open(arrival('/again'));
    assert.deepEqual(
      log.list().map(({ url }) => url),
      ['/again'],
    );
  });

  it('is completed by the answer, and has no status until then', () => {
    const log = new RequestLog();
    const done = log.open(arrival('/a'));
    assert.deepEqual(log.list()[0]?.status, null);
    done({ status: 204, fault: 'slow' });
    assert.deepEqual([log.list()[0]?.status, log.list()[0]?.fault], [204, 'slow']);
    log.clear();
    assert.deepEqual(log.list(), []);
  });
});
