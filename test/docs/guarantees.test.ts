/** Every promise in docs/guarantees.md names tests that exist. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '../../..');

/** `test/….test.ts` with the titles that follow it in quotes, up to the next file of the same row. */
function namedTests(): readonly { readonly file: string; readonly titles: readonly string[] }[] {
  const page = readFileSync(join(root, 'docs/guarantees.md'), 'utf8');
  return [...page.matchAll(/`(test\/[\w./-]+\.test\.ts)`((?:[:,] "[^"]+")*)/gu)].map(
    ([, file = '', titles = '']) => ({
      file,
      titles: [...titles.matchAll(/"([^"]+)"/gu)].map(([, title = '']) => title),
    }),
  );
}

describe('the page of guarantees', () => {
  it('names a test, or a command that measures, in every row', () => {
    const page = readFileSync(join(root, 'docs/guarantees.md'), 'utf8');
    const rows = page.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Promise'));
    assert.ok(rows.length > 20);
    assert.deepEqual(
      rows.filter((row) => !/`(?:test\/[^`]+\.test\.ts|make bench)`/u.test(row)),
      [],
    );
  });

  it('names tests that exist, by titles that they have', () => {
    const missing = namedTests().flatMap(({ file, titles }) => {
      const path = join(root, file);
      if (!existsSync(path)) return [`${file} does not exist`];
      const text = readFileSync(path, 'utf8');
      return titles.filter((title) => !text.includes(title)).map((title) => `${file} has no "${title}"`);
    });
    assert.deepEqual(missing, []);
  });
});
