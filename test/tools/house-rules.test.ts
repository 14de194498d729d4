/** The house rules find what they are for, leave the rest alone, and know spent exceptions. */
import assert from 'node:assert/strict';
import { checkHouse } from '../../tools/check/house-rules';
import type { SourceFile } from '../../tools/check/source-files';

const code = (path: string, body: string): SourceFile => ({ path, text: `/** A file. */\n${body}\n` });
const found = (...files: readonly SourceFile[]): readonly string[] =>
  checkHouse(files, []).map(
    ({ rule, path, line }) => `${rule} ${path}${line === undefined ? '' : `:${line}`}`,
  );

const bad: readonly (readonly [string, string, string])[] = [
  ['reconciler/plan/a.ts', 'export const a = async () => 1;', 'pure-planning reconciler/plan/a.ts:2'],
  ['reconciler/plan/a.ts', 'export async function a() {}', 'pure-planning reconciler/plan/a.ts:2'],
  ['reconciler/plan/a.ts', 'export const now = Date.now();', 'pure-planning reconciler/plan/a.ts:2'],
  ['reconciler/plan/a.ts', 'export const now = new Date();', 'pure-planning reconciler/plan/a.ts:2'],
  ['reconciler/plan/a.ts', 'export const n = Math.random();', 'pure-planning reconciler/plan/a.ts:2'],
  ['reconciler/plan/a.ts', 'setTimeout(() => {}, 1);', 'pure-planning reconciler/plan/a.ts:2'],
  ['client/a.ts', 'export const token = process.env.X;', 'process-in-cli client/a.ts:2'],
  ['service/a.ts', "import { env } from 'node:process';", 'process-in-cli service/a.ts:2'],
  ['client/a.ts', '// TO' + 'DO later', 'left-over client/a.ts:2'],
  ['client/a.ts', '// @ts-' + 'ignore', 'left-over client/a.ts:2'],
];

const good: readonly (readonly [string, string])[] = [
  ['reconciler/plan/a.ts', '// no await, no Date.now(), no process here\nexport const a = new Date(0);'],
  ['reconciler/plan/a.ts', 'export const a = { process: 1 }; export type B = typeof a["process"];'],
  ['cli/a.ts', 'export const token = process.env.X;'],
  ['test/a.ts', 'export const token = process.env.X;'],
  ['client/a.ts', 'export const a = (b: { process: number }) => b.process;'],
  ['client/fixtures/a.ts', 'TO' + 'DO'],
];

describe('house rules', () => {
  for (const [path, body, expected] of bad) {
    it(`finds ${expected.split(' ')[0]} in ${path}: ${body.trim().slice(0, 40)}`, () => {
      assert.deepEqual(found(code(path, body)), [expected]);
    });
  }

  for (const [path, body] of good) {
    it(`finds nothing in ${path}: ${body.slice(0, 40)}`, () => {
      assert.deepEqual(found(code(path, body)), []);
    });
  }

  it('finds a download host in the lock file', () => {
    const text = '{\n  "resolved": "https://registry.example.com/a.tgz"\n}\n';
    assert.deepEqual(found({ path: 'package-lock.json', text }), ['lock-names-host package-lock.json:2']);
  });

  it('finds links that lead nowhere and follows those that lead somewhere', () => {
    const text = '[a](other.md) [b](gone.md#x)\n[c](https://example.com) [d](../client/) [e](#here)\n';
    assert.deepEqual(
      found({ path: 'docs/a.md', text }, { path: 'docs/other.md', text: '' }, code('client/a.ts', '')),
      ['dead-link docs/a.md:1'],
    );
  });

  it('excuses what is listed and reports an exception that covers nothing', () => {
    const files = [code('client/a.ts', 'export const pid = process.pid;')];
    const exceptions = [
      { rule: 'process-in-cli', path: 'client/', reason: 'a test' },
      { rule: 'left-over', path: 'client/a.ts', reason: 'a test' },
    ];
    assert.deepEqual(
      checkHouse(files, exceptions).map(({ rule, path }) => `${rule} ${path}`),
      ['spent-exception client/a.ts'],
    );
  });
});
