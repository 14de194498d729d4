// The log of requests does not grow without end.

import assert from 'node:assert/strict';
import { RequestLog } from '../../service/admin/request-log';

describe('the log of requests', () => {
  const time = '2026-01-02T03:04:05.678Z';
  const arrive = (log: RequestLog, url: string) => log.open('GET', null, url, Date.parse(time));

  it('drops the oldest beyond 100,000', () => {
    const log = new RequestLog();
    for (let count = 0; count < 100_002; count += 1) arrive(log, `/${count}`);
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
    for (let count = 0; count < 250_001; count += 1) arrive(log, `/${count}`);
    Array.prototype.shift = shift;
    const urls = log.list().map(({ url }) => Number(url.slice(1)));
    assert.deepEqual([urls[0], urls.at(-1), moves], [150_001, 250_000, 0]);
    assert.ok(urls.every((url, index) => url === 150_001 + index));
    log.clear();
    arrive(log, '/again');
    assert.deepEqual(
      log.list().map(({ url }) => url),
      ['/again'],
    );
  });

  it('is completed by the answer, and has no status until then', () => {
    const log = new RequestLog();
    const done = arrive(log, '/a');
    assert.deepEqual(log.list()[0]?.status, null);
    done(204, 'slow');
    assert.deepEqual(log.list(), [
      { method: 'GET', route: null, url: '/a', time, status: 204, fault: 'slow' },
    ]);
    log.clear();
    assert.deepEqual(log.list(), []);
  });
});
