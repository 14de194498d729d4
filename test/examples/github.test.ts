/** The GitHub workflow of examples/gitops, and the action it uses. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { action, readGithubWorkflow } from '../support/github-workflow';
import { describePipelines } from '../support/pipeline-suite';
import { exampleFolder } from '../support/pipeline-world';

describePipelines({
  name: 'GitHub',
  file: '.github/workflows/tether.yml',
  read: readGithubWorkflow,
  forgeOf: ({ github }) => github,
  variables: {},
  hides: false,
  queues: false,
});

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

describe('the GitHub workflow of examples/gitops', () => {
  interface Job {
    readonly env?: unknown;
    readonly permissions?: Readonly<Record<string, string>>;
    readonly steps: readonly Step[];
  }
  const text = readFileSync(join(exampleFolder, '.github/workflows/tether.yml'), 'utf8');
  const workflow = parse(text) as {
    readonly on: object;
    readonly env: object;
    readonly permissions: object;
    readonly jobs: Readonly<Record<string, Job>>;
  };

  it('reads unless a job says what it writes, and never runs the code of others with more rights', () => {
    assert.deepEqual(workflow.permissions, { contents: 'read' });
    assert.ok(!('pull_request_target' in workflow.on));
    const written = Object.entries(workflow.jobs).map(([name, { permissions = {} }]) => {
      return [name, Object.keys(permissions).filter((scope) => permissions[scope] === 'write')];
    });
    assert.deepEqual(written, [
      ['review', ['pull-requests', 'statuses']],
      ['apply', ['contents', 'issues']],
      ['drift', ['issues']],
    ]);
  });

  it('gives tokens to the steps that use them, and keeps none for the others', () => {
    assert.deepEqual(Object.keys(workflow.env), ['TETHER_ADDRESS']);
    for (const { env, steps } of Object.values(workflow.jobs)) {
      assert.equal(env, undefined);
      for (const step of steps) {
        const needsToken = ['plan', 'apply', 'drift'].includes(String(step.with?.command));
        assert.equal(step.with?.token !== undefined, needsToken);
        if (step.with?.command !== 'apply') assert.equal(step.env, undefined);
        if (step.uses?.startsWith('actions/checkout@'))
          assert.equal(step.with?.['persist-credentials'], false);
      }
    }
  });
});

describe('action.yml', () => {
  const { steps } = action.runs;
  const given = (name: string): string => JSON.stringify(steps.find((step) => step.name === name)?.env ?? {});

  it('puts no text of anybody into a script', () => {
    for (const { name, run } of steps) assert.doesNotMatch(run ?? '', /\$\{\{/u, name);
  });

  it('gives the token of the service to Tether alone, and the token of the forge to what needs it', () => {
    for (const { name = '' } of steps) {
      const env = given(name);
      assert.equal(env.includes('inputs.token'), name === 'Tether', name);
      assert.equal(
        env.includes('TETHER_FORGE_TOKEN'),
        ['Find the reviewed plan', 'Tell GitHub'].includes(name),
        name,
      );
    }
    assert.doesNotMatch(given('Install'), /token/iu);
  });

  it('uses actions by commit, and installs the version it belongs to', () => {
    for (const { uses } of steps) if (uses !== undefined) assert.match(uses, /@[0-9a-f]{40}$/u);
    const { version } = JSON.parse(readFileSync(resolve(__dirname, '../../../package.json'), 'utf8')) as {
      version: string;
    };
    assert.equal(action.inputs.package?.default, `tether-iac@${version}`);
  });
});
