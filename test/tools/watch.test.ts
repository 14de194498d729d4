/** `make watch` runs the tests that stand for what was saved. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { testsOf } from '../../tools/watch/tests-of';

const files = {
  'dist/client/pages.js': '',
  'dist/client/delay.js': '',
  'dist/client/index.js': '',
  'dist/client/leaf.js': '',
  'dist/client/middle.js': 'require("./leaf");',
  'dist/cli/far.js': 'require("../client/delay"); require("../client/middle");',
  'dist/test/client/middle.test.js': '',
  'dist/test/client/pages.test.js': '',
  'dist/test/client/retries.test.js': 'const a = require("../../client/delay");',
  'dist/test/client/wire.test.js': 'require("../../client"); require("../../client/pages");',
  'dist/test/support/world.js': 'require("../../client/delay");',
};

const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['a test itself', ['dist/test/client/wire.test.js'], ['dist/test/client/wire.test.js']],
  ['the test of its name and no other', ['dist/client/pages.js'], ['dist/test/client/pages.test.js']],
  [
    'those that import it, where none has its name',
    ['dist/client/delay.js'],
    ['dist/test/client/retries.test.js'],
  ],
  ['those that import a folder', ['dist/client/index.js'], ['dist/test/client/wire.test.js']],
  ['the nearest, where no test imports it', ['dist/client/leaf.js'], ['dist/test/client/middle.test.js']],
  [
    'each once',
    ['dist/client/pages.js', 'dist/test/client/pages.test.js'],
    ['dist/test/client/pages.test.js'],
  ],
  ['none for what is not tested, or gone', ['dist/cli/main.js', 'dist/test/client/gone.test.js'], []],
];

describe('the tests of a saved file', () => {
  let root = '';
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'tether-watch-'));
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  for (const [what, changed, expected] of cases) {
    it(`are ${what}`, () => {
      assert.deepEqual(testsOf(root, changed), expected);
    });
  }
});
