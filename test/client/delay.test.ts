/** How long to wait, as a table. */
import assert from 'node:assert/strict';
import { backoff, requestedDelay } from '../../client/pace';

const now = Date.parse('2024-01-01T00:00:00Z');

describe('delays', () => {
  for (const [attempt, random, expected] of [
    [1, 0, 0],
    [1, 0.999, 250],
    [2, 0.5, 250],
    [6, 1, 8000],
    [7, 1, 10_000],
    [60, 1, 10_000],
    [2000, 0.5, 5000],
  ] as const) {
    it(`is ${expected} ms after attempt ${attempt} when chance says ${random}`, () => {
      assert.equal(backoff(attempt, random), expected);
    });
  }

  for (const [headers, expected] of [
    [{}, null],
    [{ 'retry-after': '3' }, 3000],
    [{ 'retry-after': ' 3 ' }, 3000],
    [{ 'retry-after': '0' }, null],
    [{ 'retry-after': '-3' }, null],
    [{ 'retry-after': 'Infinity' }, null],
    [{ 'retry-after': '1e9' }, null],
    [{ 'retry-after': '999999999' }, 3_600_000],
    [{ 'retry-after': '' }, null],
    [{ 'retry-after': 'Mon, 01 Jan 2024 00:00:10 GMT' }, 10_000],
    [{ 'retry-after': 'Mon, 01 Jan 2024 00:00:10 GMT', date: 'garbage' }, 10_000],
    [{ 'retry-after': 'Sun, 31 Dec 2023 23:59:00 GMT' }, null],
    [{ 'retry-after': 'Mon, 01 Jan 2024 00:00:10 GMT', date: 'Mon, 01 Jan 2024 00:00:08 GMT' }, 2000],
    [{ 'x-ratelimit-reset': '0.0311' }, 32],
    [{ 'x-ratelimit-reset': '2', 'retry-after': '1' }, 1000],
  ] as const) {
    it(`reads ${JSON.stringify(headers)} as ${expected}`, () => {
      assert.equal(requestedDelay(headers, now), expected);
    });
  }
});
