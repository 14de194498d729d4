/** The release workflow: who may do what in it, and its steps, run up to what would be published. */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { type Ended, runProcess } from '../support/run-process';
import { temporaryFolder } from '../support/temporary-folder';

const root = resolve(__dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Job {
  readonly environment?: string;
  readonly permissions: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly name?: string; readonly run?: string; readonly uses?: string }[];
}
const text = read('.github/workflows/release.yml');
const workflow = parse(text) as {
  readonly on: object;
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, Job>>;
};
const { version, files } = JSON.parse(read('package.json')) as {
  version: string;
  files: readonly string[];
};

describe('the release workflow', () => {
  it('starts with a tag alone, and each job may do what it is there for', () => {
    assert.deepEqual(workflow.on, { push: { tags: ['v[0-9]+.[0-9]+.[0-9]+'] } });
    assert.deepEqual(workflow.permissions, {});
    const granted = Object.entries(workflow.jobs).map(([name, { environment, permissions }]) => {
      return [name, environment, Object.keys(permissions).filter((scope) => permissions[scope] === 'write')];
    });
    assert.deepEqual(granted, [
      ['package', undefined, []],
      ['npm', 'release', ['id-token', 'attestations']],
      ['release', undefined, ['contents']],
    ]);
  });

  it('uses actions by commit, names their version, and puts no expression into a script', () => {
    for (const line of text.split('\n').filter((one) => /^ +(?:- )?uses:/u.test(one)))
      assert.match(line, /uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/u);
    for (const { steps } of Object.values(workflow.jobs))
      for (const { run } of steps) assert.doesNotMatch(run ?? '', /\$\{\{/u);
    assert.doesNotMatch(text, /secrets\./u);
  });

  describe('its steps', () => {
    const folder = temporaryFolder();
    /** Runs the step of this name in the folder, as the runner does. */
    function run(name: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
      const step = Object.values(workflow.jobs)
        .flatMap(({ steps }) => steps)
        .find((one) => one.name === name);
      return runProcess('bash', ['-eo', 'pipefail', '-c', step?.run ?? 'exit 1'], {
        cwd: folder(),
        env: {
          PATH: process.env.PATH ?? '',
          HOME: process.env.HOME ?? '',
          GITHUB_SERVER_URL: 'https://github.example',
          GITHUB_REPOSITORY: 'acme/tether',
          GITHUB_REF_NAME: `v${version}`,
          ...env,
        },
      });
    }
    async function succeeds(name: string, env?: Readonly<Record<string, string>>): Promise<void> {
      const { code, stdout, stderr } = await run(name, env);
      assert.equal(code, 0, stdout + stderr);
    }
    beforeEach(() => {
      for (const path of ['package.json', 'package-lock.json', 'tools/shrinkwrap', ...files]) {
        // A step of the workflow writes the frozen versions.
        if (path.startsWith('!') || path === 'npm-shrinkwrap.json') continue;
        const isPacked = (source: string): boolean =>
          !/\/dist\/(?:test|tools|bench|examples|\.)/u.test(source);
        cpSync(join(root, path), join(folder(), path), { recursive: true, filter: isPacked });
      }
    });

    it('refuse a tag that is not the version', async () => {
      await succeeds('The tag is the version');
      assert.notEqual((await run('The tag is the version', { GITHUB_REF_NAME: 'v9.9.9' })).code, 0);
    });

    it('pack the product with the repository that publishes it, an SBOM and checksums, and publish that file', async () => {
      await succeeds('Pack');
      await succeeds('List what is in it');
      const release = join(folder(), 'release');
      const [tarball, sbom] = [`tether-iac-${version}.tgz`, `tether-iac-${version}.cdx.json`];
      assert.deepEqual(readdirSync(release).sort(), ['SHA256SUMS', sbom, tarball].sort());

      const list = await runProcess('tar', ['-tzf', tarball], { cwd: release, env: process.env });
      const packed = list.stdout.split('\n');
      for (const file of ['dist/cli/main.js', 'docs/pipelines.md', 'npm-shrinkwrap.json'])
        assert.ok(packed.includes(`package/${file}`), file);
      assert.ok(!packed.some((file) => /^package\/(?:dist\/)?(?:test|tools)\//u.test(file)));
      const manifest = await runProcess('tar', ['-xzOf', tarball, 'package/package.json'], {
        cwd: release,
        env: process.env,
      });
      const { repository } = JSON.parse(manifest.stdout) as { repository: object };
      assert.deepEqual(repository, { type: 'git', url: 'git+https://github.example/acme/tether.git' });

      await succeeds('Compare the checksums');
      const bin = join(folder(), 'bin');
      mkdirSync(bin);
      writeFileSync(join(bin, 'npm'), '#!/bin/sh\necho "npm $*" >published\n');
      chmodSync(join(bin, 'npm'), 0o755);
      await succeeds('Publish', { PATH: `${bin}:${process.env.PATH ?? ''}` });
      assert.equal(
        readFileSync(join(folder(), 'published'), 'utf8'),
        `npm publish --provenance --access public ./release/${tarball}\n`,
      );
      appendFileSync(join(release, tarball), 'more');
      assert.notEqual((await run('Compare the checksums')).code, 0);
    });
  });
});
