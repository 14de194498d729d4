/** Starting stays fast: a command loads what it needs and nothing heavy besides. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyLedger, serializeLedger } from '../../reconciler/ledger/ledger';
import { program } from '../support/cli';
import { runProcess } from '../support/run-process';
import { temporaryFolder } from '../support/temporary-folder';

const spy = `process.on('exit', () => {
  require('node:fs').writeFileSync(process.env.LOADED_MODULES, Object.keys(require.cache).join('\\n'));
});`;

describe('the modules a command loads', () => {
  const folder = temporaryFolder();

  interface Loaded {
    readonly code: number | null;
    readonly packages: ReadonlySet<string>;
    readonly paths: readonly string[];
  }

  async function loadedBy(args: readonly string[]): Promise<Loaded> {
    const list = join(folder(), 'modules.txt');
    writeFileSync(join(folder(), 'spy.cjs'), spy);
    const ended = await runProcess(
      process.execPath,
      ['--require', join(folder(), 'spy.cjs'), program, ...args],
      {
        cwd: folder(),
        env: { PATH: process.env.PATH, LOADED_MODULES: list },
      },
    );
    const { readFileSync } = await import('node:fs');
    const paths = readFileSync(list, 'utf8').split('\n');
    const names = paths
      .flatMap((path) => path.split('node_modules/').slice(1).at(-1) ?? [])
      .map((path) =>
        path
          .split('/')
          .slice(0, path.startsWith('@') ? 2 : 1)
          .join('/'),
      );
    return { code: ended.code, packages: new Set(names), paths };
  }

  it('are neither Pulumi nor fastify for validate, and nothing that plans or calls', async () => {
    writeFileSync(
      join(folder(), 'a.tether.yaml'),
      'apiVersion: tether/v1\norganization: acme\nrunTriggers:\n  - { target: ws-a, source: ws-b }\n',
    );
    writeFileSync(
      join(folder(), 'tether.ledger.json'),
      serializeLedger({ ...emptyLedger('acme'), lineage: 'acme-1' }),
    );
    const { code, packages, paths } = await loadedBy(['validate']);
    assert.equal(code, 0);
    // The hook sees what is loaded at all.
    assert.ok(packages.has('commander') && packages.has('js-yaml'));
    for (const heavy of ['@pulumi/pulumi', 'fastify', 'fast-wrap-ansi']) {
      assert.ok(!packages.has(heavy), heavy);
    }
    // Schemas were compiled when the package was built, and need one function of Ajv.
    assert.deepEqual(
      paths.filter((path) => /node_modules\/ajv\//.test(path) && !/runtime/.test(path)),
      [],
    );
    // What only the ledger shows needs the ledger, how entries are bound to it, and what a wanted object is.
    const ours =
      /dist\/(?:reconciler\/(?:plan\/(?!around|bindings|object-task|steps)|apply)|observation|provider|service|client\/client)/;
    assert.deepEqual(
      paths.filter((path) => ours.test(path)),
      [],
    );
  });

  it('are hardly more than commander for help', async () => {
    const { code, packages } = await loadedBy(['--help']);
    assert.equal(code, 0);
    assert.ok(packages.has('commander'));
    for (const heavy of ['@pulumi/pulumi', 'fastify', 'js-yaml', 'ajv']) {
      assert.ok(!packages.has(heavy), heavy);
    }
  });
});
