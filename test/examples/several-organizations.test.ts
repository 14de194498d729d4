/** The matrix in docs/several-organizations.md: its steps, as written, for two organizations at once. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { readGithubWorkflow } from '../support/github-workflow';
import type { Job, JobState, Trigger } from '../support/pipeline-job';
import { PipelineWorld } from '../support/pipeline-world';

const page = readFileSync(resolve(__dirname, '../../../docs/several-organizations.md'), 'utf8');
const [workflow = ''] = [...page.matchAll(/```yaml\n(on:.*?)```/gsu)].map(([, text]) => text);
const organizations = ['acme', 'beta'];

describe('a matrix of several organizations', () => {
  let world: PipelineWorld;
  beforeEach(async () => {
    world = await PipelineWorld.open();
    world.service.seed({
      organizations: {
        acme: { workspaces: { 'ws-a1': {}, 'ws-a2': {} } },
        beta: { workspaces: { 'ws-b1': {}, 'ws-b2': {} } },
      },
      tokens: { 'token-acme': { acme: 'owner' }, 'token-beta': { beta: 'owner' } },
    });
    const clone = world.clone();
    for (const name of readdirSync(clone).filter((one) => one.endsWith('.tether.yaml')))
      rmSync(join(clone, name));
    for (const [name, letter] of [
      ['acme', 'a'],
      ['beta', 'b'],
    ] as const) {
      mkdirSync(join(clone, name));
      const link = `{ target: ws-${letter}1, source: ws-${letter}2 }`;
      writeFileSync(
        join(clone, name, 'links.tether.yaml'),
        `apiVersion: tether/v1\norganization: ${name}\nrunTriggers: [${link}]\n`,
      );
    }
    world.commit(clone, 'A folder for each organization');
  });
  afterEach(() => world.close());

  /** The jobs of the matrix, each with the variables of its environment. */
  function jobs(event: Trigger['event']): readonly Job[] {
    return organizations.flatMap((name) =>
      readGithubWorkflow(workflow.replaceAll(/\$\{\{ matrix\.organization \}\}/gu, name), {
        event,
        variables: { TETHER_ADDRESS: world.service.url, TETHER_TOKEN: `token-${name}` },
      }),
    );
  }
  const runAll = (event: Trigger['event']) => Promise.all(jobs(event).map((job) => world.run(job)));

  it('applies each folder with its own token and ledger, and the second time finds nothing to do', async () => {
    const { jobs: texts } = parse(workflow) as {
      jobs: Readonly<Record<string, { strategy: { matrix: { organization: string[] } } }>>;
    };
    for (const { strategy } of Object.values(texts))
      assert.deepEqual(strategy.matrix.organization, organizations);
    assert.deepEqual(
      jobs('push').map(({ group }) => group),
      ['tether-acme', 'tether-beta'],
    );
    for (const expected of [/Apply: 1 done/, /No changes/]) {
      for (const { ok, output } of await runAll('pull_request')) assert.ok(ok, output);
      for (const { ok, output } of await runAll('push')) {
        assert.ok(ok, output);
        assert.match(output, expected);
      }
    }
    const markers = world.github.comments.map(({ body }) => body.split('\n', 1)[0]);
    assert.deepEqual(markers.sort(), [
      '<!-- tether-plan folder=acme -->',
      '<!-- tether-plan folder=beta -->',
    ]);
    const ledgers = world.ledgerFiles().filter((file) => file.endsWith('.json'));
    assert.deepEqual(ledgers, ['acme/tether.ledger.json', 'beta/tether.ledger.json']);
    const pairs = world.service.snapshot().runTriggers.map((one) => `${one.workspaceId} ${one.sourceableId}`);
    assert.deepEqual(pairs.sort(), ['ws-a1 ws-a2', 'ws-b1 ws-b2']);
  });

  it('is refused as one run over both folders', async () => {
    const [job] = jobs('push');
    assert.ok(job);
    const steps = job.steps.map((step) => ({
      ...step,
      starts: (state: JobState) => step.name !== 'Find the reviewed plan' && step.starts(state),
      env: (state: JobState) => ({ ...step.env(state), TETHER_FOLDER: '.', TETHER_EXPECT: 'any' }),
    }));
    const { ok, output } = await world.run({ ...job, steps });
    assert.ok(!ok);
    assert.match(output, /beta\/links\.tether\.yaml:2:15 .*second-organization/);
    assert.deepEqual(world.service.snapshot().runTriggers, []);
  });
});
