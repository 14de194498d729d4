/** `tether graph`: the run triggers of real manifests, as Mermaid reads them. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { tether } from '../support/cli';
import { readMermaid } from '../support/mermaid';
import { temporaryFolder } from '../support/temporary-folder';

const head = 'apiVersion: tether/v1\norganization: acme\n';
const gitops = resolve(__dirname, '..', '..', '..', 'examples', 'gitops');

describe('tether graph', () => {
  const folder = temporaryFolder();
  const write = (name: string, text: string) => writeFileSync(join(folder(), name), head + text);
  const graph = (...args: string[]) => tether(['graph', ...args], { cwd: folder() });

  beforeEach(() => {
    write(
      'aliases.tether.yaml',
      'aliases: { workspaces: { end: ws-1, app: ws-2, jobs: ws-3, cdn: ws-4 } }\n',
    );
  });

  it('draws aliases, ids where there is none, files as boxes, and cycles, without network or token', async () => {
    write('a.tether.yaml', 'runTriggers: [{ target: app, sources: [end, ws-none] }]\n');
    const cycle = '{ source: jobs, target: cdn }, { source: cdn, target: jobs }';
    write('b.tether.yaml', `runTriggers: [{ target: jobs, source: app }, ${cycle}]\n`);
    const { code, stdout, stderr } = await graph();
    assert.equal(code, 0, stderr);
    assert.match(
      stdout,
      /^%% Run triggers, source → target: 5 workspaces and 5 run triggers in 3 layers, 1 cycle /,
    );
    assert.deepEqual(await readMermaid(stdout), {
      nodes: ['end', 'ws-none', 'app', 'cdn', 'jobs'],
      arrows: ['end → app', 'ws-none → app', 'app → jobs', 'jobs → cdn (thick)', 'cdn → jobs (thick)'],
      boxes: { 'a.tether.yaml': ['app', 'end', 'ws-none'], 'b.tether.yaml': ['cdn', 'jobs'] },
    });
    assert.match(stderr, /trigger-cycle/);
  });

  it('has the same as data with --json, and nothing else on stdout', async () => {
    write('a.tether.yaml', 'profile: hcp-terraform\nrunTriggers: [{ target: app, source: network }]\n');
    const { stdout } = await graph('--json');
    assert.deepEqual(JSON.parse(stdout), {
      version: 1,
      command: 'graph',
      exitCode: 0,
      graph: {
        workspaces: [
          { id: 'workspace/network', name: 'network', file: 'a.tether.yaml', layer: 0 },
          { id: 'ws-2', name: 'app', file: 'a.tether.yaml', layer: 1 },
        ],
        triggers: [{ source: 'workspace/network', target: 'ws-2', file: 'a.tether.yaml', onCycle: false }],
        layers: 2,
        cycles: 0,
      },
      notes: [],
    });
  });

  it('draws the example whole, with nothing to say about it', async () => {
    const { code, stdout, stderr } = await graph(gitops);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    const { nodes, arrows, boxes } = await readMermaid(stdout);
    assert.deepEqual([nodes.length, arrows.length, Object.keys(boxes).length], [32, 60, 5]);
  });

  it('says so where there is no trigger, and is a picture that says so', async () => {
    const { code, stdout, stderr } = await graph();
    assert.equal(code, 0);
    assert.equal(stderr, 'note: no run trigger is declared here\n');
    assert.deepEqual((await readMermaid(stdout)).nodes, ['no run triggers']);
  });

  it('says above 100 workspaces that nobody can read it, and above 500 triggers that Mermaid will not draw it, and is whole', async () => {
    const chain = (length: number) =>
      Array.from({ length }, (_, index) => `  - { source: ws-n${index}, target: ws-n${index + 1} }\n`);
    write('a.tether.yaml', `runTriggers:\n${chain(99).join('')}`);
    assert.equal((await graph()).stderr, '');
    write('a.tether.yaml', `runTriggers:\n${chain(100).join('')}`);
    const large = await graph();
    assert.match(
      large.stderr,
      /^note: 101 workspaces and 100 run triggers in one picture are hard to read .*\n$/,
    );
    assert.match(large.stdout, /^%% Run triggers.*\n%% 101 workspaces and 100 run triggers in one picture/);
    assert.equal((await readMermaid(large.stdout)).arrows.length, 100);
    write('a.tether.yaml', `runTriggers:\n${chain(501).join('')}`);
    assert.match(
      (await graph()).stderr,
      /\nnote: Mermaid draws at most 500 arrows .*; --json has them as data\n$/,
    );
  });

  it('is refused where manifests have mistakes', async () => {
    write('a.tether.yaml', 'runTriggers: [{ target: nobody, source: app }]\n');
    const wrong = await graph();
    assert.deepEqual([wrong.code, wrong.stdout], [1, '']);
    assert.match(wrong.stderr, /unknown-alias/);
  });
});
