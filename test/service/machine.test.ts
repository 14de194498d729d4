// Whatever is thrown is told in words.

import assert from 'node:assert/strict';
import { codeOf, messageOf } from '../../service/machine';

describe('a failure', () => {
  const rows: readonly (readonly [unknown, string, string])[] = [
    [new Error('no room'), 'no room', ''],
    [Object.assign(new Error('taken'), { code: 'EADDRINUSE' }), 'taken', 'EADDRINUSE'],
    ['a text', 'a text', ''],
    [undefined, 'undefined', ''],
  ];
  for (const [failure, message, code] of rows) {
    it(`says "${message}"`, () => assert.deepEqual([messageOf(failure), codeOf(failure)], [message, code]));
  }
});
