/** The house rules find what they are for, leave the rest alone, and know spent exceptions. */
import assert from 'node:assert/strict';
import { checkHouse } from '../../tools/check/house-rules';
import type { SourceFile } from '../../tools/check/source-files';

const noLimits = { files: 9, lines: 9999, characters: 9999, chain: 9, chainOfValues: 9 };
const code = (path: string, body: string): SourceFile => ({ path, text: `/** A file. */\n${body}\n` });
const found = (...files: readonly SourceFile[]): readonly string[] =>
  checkHouse(files, [], noLimits).map(
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
  ['client/a.ts', 'export const a = {} as unknown as Date;', 'no-double-cast client/a.ts:2'],
  ['client/a.ts', `${'\n'.repeat(260)}`, 'long-file client/a.ts'],
  ['client/utils/a.ts', 'export const a = 1;', 'vague-folder client/utils/a.ts'],
  ['client/a.ts', '// TO' + 'DO later', 'left-over client/a.ts:2'],
  ['client/a.ts', '// @ts-' + 'ignore', 'left-over client/a.ts:2'],
];

const good: readonly (readonly [string, string])[] = [
  ['reconciler/plan/a.ts', '// no await, no Date.now(), no process here\nexport const a = new Date(0);'],
  ['reconciler/plan/a.ts', 'export const a = { process: 1 }; export type B = typeof a["process"];'],
  ['cli/a.ts', 'export const token = process.env.X;'],
  ['test/a.ts', 'export const token = process.env.X;'],
  ['client/a.ts', 'export const a = (b: { process: number }) => b.process;'],
  ['client/fixtures/a.ts', 'no purpose, and TO' + 'DO'],
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

  it('wants a purpose on the first line', () => {
    assert.deepEqual(found({ path: 'client/a.ts', text: 'export const a = 1;\n' }), [
      'purpose-line client/a.ts:1',
    ]);
  });

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
      { rule: 'long-file', path: 'client/a.ts', reason: 'a test' },
    ];
    assert.deepEqual(
      checkHouse(files, exceptions, noLimits).map(({ rule, path }) => `${rule} ${path}`),
      ['spent-exception client/a.ts'],
    );
  });

  describe('about size', () => {
    const file = (path: string, ...imports: readonly string[]): SourceFile =>
      code(path, `${imports.join('\n')}\n${'// more\n'.repeat(60)}`);
    const deep = [
      file('cli/a.ts', "import { b } from '../client/b';"),
      file('client/b.ts', "import type { C } from './c';", "export { d } from './d';"),
      file('client/c.ts', "import { type D } from './d';"),
      file('client/d.ts'),
    ];
    const over = (limits: Partial<typeof noLimits>) =>
      checkHouse(deep, [], { ...noLimits, ...limits }).map(({ message }) => message.split(';')[0]);

    it('finds growth of each figure, with the chain of imports that is too long', () => {
      assert.deepEqual(over({}), []);
      assert.deepEqual(over({ files: 3 }), ['files: 4, limit 3']);
      assert.deepEqual(over({ lines: 100 }), ['lines: 253, limit 100']);
      assert.match(over({ characters: 100 })[0] ?? '', /^characters: \d+, limit 100$/);
      assert.deepEqual(over({ chain: 3 }), [
        'chain: 4, limit 3 (cli/a.ts > client/b.ts > client/c.ts > client/d.ts)',
      ]);
      assert.deepEqual(over({ chainOfValues: 2 }), [
        'chainOfValues: 3, limit 2 (cli/a.ts > client/b.ts > client/d.ts)',
      ]);
    });

    it('finds a small file with one reader, also one that is loaded late', () => {
      const late = file('cli/late.ts', "export const load = () => import('../client/small.js');");
      assert.deepEqual(found(late, code('client/small.ts', 'export const a = 1;')), [
        'small-file client/small.ts',
      ]);
      assert.deepEqual(found(late, ...deep, code('client/small.ts', '')), ['small-file client/small.ts']);
      const second = file('cli/second.ts', "import { a } from '../client/small';");
      assert.deepEqual(found(late, second, code('client/small.ts', '')), []);
    });

    it('finds a name that two files export a function under, but for the service', () => {
      const named = (path: string) => file(path, 'export function settle() {}');
      assert.deepEqual(found(named('client/a.ts'), named('cli/b.ts')), ['shared-name cli/b.ts']);
      assert.deepEqual(found(named('client/a.ts'), named('service/b.ts')), []);
    });
  });
});
