/** Every import rule really fails: a project with one planted violation per rule. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const root = resolve(__dirname, '../../..');
const config = createRequire(__filename)(join(root, 'tools/import-rules.cjs')) as {
  forbidden: readonly { name: string }[];
};

/** rule → [importing file, what it imports] */
const planted: readonly (readonly [string, string, string])[] = [
  ['client-imports', 'client/a.ts', '../resources/target'],
  ['resources-imports', 'resources/a.ts', '../manifest/target'],
  ['observation-imports', 'observation/a.ts', '../reconciler/target'],
  ['manifest-imports', 'manifest/a.ts', '../client/target'],
  ['manifest-imports', 'manifest/b.ts', '../observation/target'],
  ['reconciler-imports', 'reconciler/a.ts', '../cli/target'],
  ['reconciler-imports', 'reconciler/b.ts', '../service/target'],
  ['provider-imports', 'provider/a.ts', '../reconciler/target'],
  ['provider-imports', 'provider/b.ts', '../cli/target'],
  ['cli-imports', 'cli/a.ts', '../provider/target'],
  ['cli-imports', 'cli/b.ts', '../test/target'],
  ['service-imports', 'service/a.ts', '../client/target'],
  ['service-imports', 'service/b.ts', '../resources/target'],
  ['library-without-service-and-pulumi', 'index.ts', './service/target'],
  ['planning-is-pure', 'reconciler/plan/a.ts', 'node:fs'],
  ['planning-is-pure', 'reconciler/plan/b.ts', '../../client/target'],
  ['process-in-cli', 'service/process.ts', 'node:process'],
  ['pulumi-in-provider', 'cli/pulumi.ts', '@pulumi/pulumi'],
  ['server-in-service', 'cli/fastify.ts', 'fastify'],
  ['terminal-in-cli', 'reconciler/commander.ts', 'commander'],
  ['model-is-independent', 'test/model/a.ts', '../../manifest/target'],
  ['no-circular', 'resources/ring-a.ts', './ring-b'],
  ['no-unresolved', 'resources/lost.ts', './nowhere'],
  ['no-dev-packages-in-product', 'resources/dev.ts', 'nock'],
  ['no-undeclared-packages', 'resources/undeclared.ts', 'agent-base'],
];

/** Writes the planted project and returns its violations as `rule file`. */
function cruise(): ReadonlySet<string> {
  // The real path, because the cruiser tells paths relative to it.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tether-imports-')));
  try {
    const write = (path: string, text: string): void => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    for (const name of ['tools/import-rules.cjs', 'tsconfig.json', 'package.json']) {
      cpSync(join(root, name), join(folder, name));
    }
    symlinkSync(realpathSync(join(root, 'node_modules')), join(folder, 'node_modules'));
    const names = [
      'client',
      'resources',
      'observation',
      'manifest',
      'reconciler',
      'provider',
      'cli',
      'service',
    ];
    for (const name of [...names, 'test']) {
      write(`${name}/target.ts`, 'export const target = 1;\n');
    }
    write('resources/ring-b.ts', "import './ring-a';\n");
    for (const [, file, target] of planted) write(file, `import '${target}';\n`);
    const script = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
    const flags = ['--config', 'tools/import-rules.cjs', '--output-type', 'json'];
    const args = [script, ...flags, 'index.ts', 'test', 'tools', ...names];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    assert.notEqual(stdout, '', stderr);
    const { summary } = JSON.parse(stdout) as {
      summary: { violations: readonly { from: string; rule: { name: string } }[] };
    };
    return new Set(summary.violations.map(({ from, rule }) => `${rule.name} ${from}`));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('import rules', () => {
  let violations: ReadonlySet<string>;
  before(() => {
    violations = cruise();
  });

  for (const [rule, file, target] of planted) {
    it(`${rule} refuses ${target} in ${file}`, () => {
      assert.ok(violations.has(`${rule} ${file}`), [...violations].join('\n'));
    });
  }

  it('has a planted violation for every rule', () => {
    const names = config.forbidden.map(({ name }) => name);
    assert.deepEqual([...new Set(planted.map(([rule]) => rule))].sort(), [...names].sort());
  });
});
