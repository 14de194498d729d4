/** The program of the Pulumi guide: it compiles as it stands, and it runs on the real engine. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { parse } from 'yaml';
import { needEngine, root } from '../support/pulumi-engine';
import { PulumiWorld } from '../support/pulumi-world';

const guide = readFileSync(join(root, 'docs/pulumi.md'), 'utf8');
const program = [...guide.matchAll(/^```ts\n(.*?)^```$/gmsu)].map(([, code]) => code).join('');

describe('the program of the Pulumi guide', () => {
  it('compiles', () => {
    const file = join(root, 'docs', 'guide.ts');
    const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(
      { ...config, include: [], files: [file] },
      ts.sys,
      root,
    );
    const settings = { ...options, noEmit: true, incremental: false, noUnusedLocals: false };
    const host = ts.createCompilerHost(settings);
    const { readFile, fileExists, getSourceFile } = host;
    host.readFile = (name) => (name === file ? program : readFile(name));
    host.fileExists = (name) => name === file || fileExists(name);
    host.getSourceFile = (name, ...rest) =>
      name === file
        ? ts.createSourceFile(name, program, ts.ScriptTarget.ES2023)
        : getSourceFile(name, ...rest);
    const compiled = ts.createProgram([file], settings, host);
    const mistakes = [...compiled.getSyntacticDiagnostics(), ...compiled.getSemanticDiagnostics()]
      .filter((one) => one.file?.fileName === file)
      .map((one) => ts.flattenDiagnosticMessageText(one.messageText, '\n'));
    assert.deepEqual(mistakes, []);
  });

  describe('on the engine', () => {
    let world: PulumiWorld;
    before(async function () {
      needEngine(this);
      world = await PulumiWorld.start({ seed, env: { PARTNER_TOKEN: 'partner-token' } });
    });
    after(() => world?.close());

    it('finds the plugin where docs/pulumi.md says', () => {
      const [, lines = ''] = /^```yaml\n(# Pulumi\.yaml\n.*?)^```$/msu.exec(guide) ?? [];
      const project = readFileSync(join(world.stack.workspace.workDir, 'Pulumi.yaml'), 'utf8');
      assert.deepEqual(parse(lines).plugins, parse(project).plugins);
    });

    it('comes up, and then there is nothing to do', async () => {
      await world.stack.setAllConfig({
        githubToken: { value: 'canary-guide', secret: true },
        partnerAddress: { value: world.service.url },
        legacyId: { value: 'oc-legacy' },
      });
      const { outputText } = ts.transpileModule(program, {
        compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2023 },
      });
      world.program = async () => {
        const exported: Record<string, unknown> = {};
        new Function('require', 'exports', outputText)(require, exported);
        return exported;
      };
      const up = await world.up();
      assert.equal(up.failure, undefined);
      const again = await world.preview({ expectNoChanges: true });
      assert.equal(again.failure, undefined);
      assert.equal((await world.refreshPreview()).failure, undefined);
      assert.doesNotMatch(world.stateText(), /canary-guide|partner-token|owner-token/);
    });
  });
});

const client = { serviceProvider: 'provider_a', name: 'Shared' };
const seed = {
  organizations: {
    acme: {
      projects: { 'prj-payments': {}, 'prj-web': {} },
      workspaces: {
        'ws-network': {},
        'ws-dns': {},
        'ws-app': {},
        'ws-jobs': {},
        'ws-web': {},
        'ws-docs': {},
      },
      oauthClients: {
        'oc-shared': { ...client, httpUrl: 'https://s.example.com', apiUrl: 'https://s.example.com/api' },
        'oc-legacy': {
          serviceProvider: 'provider_a',
          httpUrl: 'https://legacy.example.com',
          apiUrl: 'https://legacy.example.com/api',
        },
      },
    },
    partner: { workspaces: { 'ws-a': {}, 'ws-b': {} } },
  },
  tokens: { 'owner-token': { acme: 'owner' as const }, 'partner-token': { partner: 'owner' as const } },
};
