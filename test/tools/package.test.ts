/** The package holds what it needs and nothing else, and its entry points lead somewhere. */
import assert from 'node:assert/strict';
import { readFileSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, normalize, resolve } from 'node:path';
import ts from 'typescript';
import { deadLinks } from '../support/dead-links';
import { linkedProject } from '../support/linked-project';
import { runProcess } from '../support/run-process';

const root = resolve(__dirname, '../../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  bin: Readonly<Record<string, string>>;
  main: string;
  types: string;
  exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
};

const entries = Object.values(manifest.exports).flatMap((entry) =>
  typeof entry === 'string' ? [entry] : Object.values(entry),
);
const namedFiles = [...Object.values(manifest.bin), manifest.main, manifest.types, ...entries];

describe('the package', () => {
  it('can be required by its name, library and service', () => {
    const load = createRequire(join(root, 'dist/index.js'));
    const library = load('tether-iac') as Record<string, unknown>;
    for (const name of ['createClient', 'readManifests', 'observe', 'plan', 'apply', 'drift']) {
      assert.equal(typeof library[name], 'function', name);
    }
    assert.equal(typeof (load('tether-iac/service') as Record<string, unknown>).createService, 'function');
    assert.throws(() => load('tether-iac/dist/client/transport'), /not defined by "exports"/u);
  });

  it('shows its types to every way of resolving modules, also that of the usual Pulumi template', () => {
    const project = linkedProject();
    const { ModuleResolutionKind } = ts;
    const typesOf = (name: string, moduleResolution: ts.ModuleResolutionKind): string | undefined => {
      const options = { moduleResolution, module: ts.ModuleKind.CommonJS };
      const found = ts.resolveModuleName(name, join(project, 'index.ts'), options, ts.sys);
      return found.resolvedModule?.resolvedFileName;
    };
    for (const [path, entry] of Object.entries(manifest.exports)) {
      if (typeof entry === 'string') continue;
      const types = realpathSync(join(root, entry.types ?? ''));
      for (const kind of [ModuleResolutionKind.Node10, ModuleResolutionKind.Node16]) {
        assert.equal(typesOf(join('tether-iac', path), kind), types, path);
      }
    }
    rmSync(project, { recursive: true });
  });

  describe('as it is packed', () => {
    let paths: readonly string[];
    before(async () => {
      const ended = await runProcess('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
        cwd: root,
        env: process.env,
      });
      const [{ files }] = JSON.parse(ended.stdout) as [{ files: readonly { path: string }[] }];
      paths = files.map(({ path }) => path);
    });

    it('carries profiles, docs and examples, and neither tests nor tools nor sources', () => {
      for (const needed of [
        'dist/cli/main.js',
        'dist/index.d.ts',
        'docs/pulumi.md',
        'examples/infra-repo/index.ts',
        'profiles/default.json',
        'profiles/profile.schema.json',
        'LICENSE',
        'README.md',
      ]) {
        assert.ok(paths.includes(needed), needed);
      }
      const stray = /^(?:dist\/(?:test|tools|bench|examples|\.)|test|tools|\.)|(?<!^examples\/.*|\.d)\.ts$/u;
      assert.deepEqual(
        paths.filter((path) => stray.test(path)),
        [],
      );
    });

    it('carries every file that package.json names', () => {
      assert.deepEqual(
        namedFiles.filter((file) => !paths.includes(normalize(file))),
        [],
      );
    });

    it('has every file and folder that one of its pages links to', () => {
      const pages = paths.filter((path) => path.endsWith('.md'));
      const texts = pages.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
      assert.deepEqual(deadLinks(texts, new Set(paths)), []);
    });
  });

  it('has a lock file that names no host to download from', () => {
    assert.doesNotMatch(
      readFileSync(join(root, 'package-lock.json'), 'utf8'),
      /"resolved":\s*"(?:https?|git)/u,
    );
  });
});
