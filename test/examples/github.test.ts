/** The GitHub workflow of examples/gitops. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readGithubWorkflow } from '../support/github-workflow';
import { describePipelines } from '../support/pipeline-suite';
import { exampleFolder } from '../support/pipeline-world';

describePipelines({
  name: 'GitHub',
  file: '.github/workflows/tether.yml',
  read: readGithubWorkflow,
  hides: false,
  queues: false,
});

describe('the GitHub workflow of examples/gitops', () => {
  interface Step {
    readonly uses?: string;
    readonly run?: string;
    readonly with?: Readonly<Record<string, unknown>>;
    readonly env?: Readonly<Record<string, string>>;
  }
  interface Job {
    readonly env?: unknown;
    readonly permissions?: unknown;
    readonly steps: readonly Step[];
  }
  const text = readFileSync(join(exampleFolder, '.github/workflows/tether.yml'), 'utf8');
  const workflow = parse(text) as {
    readonly env: object;
    readonly permissions: object;
    readonly jobs: Readonly<Record<string, Job>>;
  };

  it('gives tokens to the steps that use them, keeps none for the others, and lets the apply job alone push', () => {
    assert.deepEqual(Object.keys(workflow.env), ['TETHER_ADDRESS', 'TETHER_LEDGER']);
    assert.deepEqual(workflow.permissions, { contents: 'read' });
    for (const [name, { env, permissions, steps }] of Object.entries(workflow.jobs)) {
      assert.equal(env, undefined);
      assert.deepEqual(permissions, name === 'apply' ? { contents: 'write' } : undefined);
      for (const step of steps) {
        const held = JSON.stringify(step.env ?? {});
        const usesService = /^.*tether (plan|apply|drift)/ms.test(step.run ?? '');
        assert.equal(held.includes('secrets.TETHER_TOKEN'), usesService);
        assert.equal(held.includes('github.token'), usesService);
        if (step.uses?.startsWith('actions/checkout@'))
          assert.equal(step.with?.['persist-credentials'], false);
      }
    }
  });
});
