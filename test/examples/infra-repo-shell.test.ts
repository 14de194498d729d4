/** The infra repo of the examples as it is used: the README's commands in a shell, the steps of its workflow, both stacks. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { createClient } from '../../client/client';
import { createService, type Service } from '../../service';
import { needEngine, root } from '../support/pulumi-engine';
import { PulumiShell } from '../support/pulumi-shell';
import type { Ended } from '../support/run-process';

const folder = join(root, 'examples/infra-repo');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}
interface Job {
  readonly if: string;
  readonly strategy: { readonly matrix: { readonly stack: readonly string[] } };
  readonly env?: unknown;
  readonly concurrency?: unknown;
  readonly steps: readonly Step[];
}
const workflow = parse(read('.github/workflows/infra.yml')) as {
  readonly on: Readonly<Record<string, unknown>>;
  readonly env?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
};

/** The commands of the README's block, without the one that starts the service. */
function commandsOfReadme(): readonly string[] {
  const block = /^```sh\n(.*?)^```$/msu.exec(read('README.md'))?.[1] ?? '';
  const [serve = '', ...commands] = block.trimEnd().split('\n');
  assert.match(serve, /^npx tether serve --seed seed\.yaml --port 8931 &$/u);
  return commands;
}

/** What a step of the workflow types; nothing where it only prepares the machine. */
function typed(step: Step, stack: string): string {
  const filled = JSON.parse(JSON.stringify(step).replace(/\$\{\{ matrix\.stack \}\}/gu, stack)) as Step;
  if (filled.run !== undefined) return filled.run === 'npm ci --ignore-scripts' ? '' : filled.run;
  if (!filled.uses?.startsWith('pulumi/actions@')) return '';
  const { command, 'stack-name': name, diff } = filled.with ?? {};
  if (command === undefined) return '';
  return `pulumi ${String(command)} --non-interactive --stack ${String(name)}${diff === true ? ' --diff' : ''}`;
}

describe('the workflow of the infra repo', () => {
  const { preview, up, drift } = workflow.jobs;

  it('pins each action to a commit, because its steps have tokens', () => {
    const steps = Object.values(workflow.jobs).flatMap((job) => job?.steps ?? []);
    const actions = steps.flatMap(({ uses }) => uses ?? []);
    for (const action of actions) assert.match(action, /@[0-9a-f]{40}$/);
  });

  it('gives tokens to the steps that ask the engine, and to nothing that installs', () => {
    for (const job of [preview, up, drift]) {
      assert.deepEqual([workflow.env, job?.env], [undefined, undefined]);
      const given = (job?.steps ?? []).filter((step) => step.env !== undefined);
      assert.equal(given.length, 1);
      assert.match(typed(given[0] ?? {}, 'dev'), /^pulumi /u);
      assert.deepEqual(Object.keys(given[0]?.env ?? {}), ['PULUMI_ACCESS_TOKEN', 'TETHER_TOKEN']);
      assert.match(given[0]?.env?.TETHER_TOKEN ?? '', /^\$\{\{ secrets\.TETHER_TOKEN \}\}$/u);
      const [checkout] = job?.steps ?? [];
      assert.deepEqual(checkout?.with, { 'persist-credentials': false });
    }
  });

  it('lets no drift take the place of an up that waits', () => {
    assert.notEqual(up?.concurrency, undefined);
    assert.equal(drift?.concurrency, undefined);
  });
});

describe('the infra repo of the examples, from a shell', () => {
  let service: Service;
  let shell: PulumiShell;
  beforeEach(async function () {
    needEngine(this);
    service = await createService({ seed: join(folder, 'seed.yaml') });
    shell = PulumiShell.of(folder);
  });
  afterEach(async () => {
    shell?.close();
    await service?.close();
  });

  const inReadme = async (commands: readonly string[]): Promise<Ended> => {
    const script = commands.join('\n').replaceAll('http://127.0.0.1:8931/api/v2', service.url);
    assert.ok(script.includes(service.url));
    return shell.run(script);
  };
  const somebody = () => createClient({ address: service.url, token: 'acme-example-token', rate: 1000 });
  const succeeds = async (script: string): Promise<string> => {
    const { code, stdout, stderr } = await shell.run(script);
    assert.equal(code, 0, `${script}\n${stdout}${stderr}`);
    return stdout;
  };

  it('does what its README says: the stack comes up, and a change elsewhere turns the last command red', async () => {
    const commands = commandsOfReadme();
    const done = await inReadme(commands);
    assert.equal(done.code, 0, done.stdout + done.stderr);
    const { oauthClients, runTriggers } = service.snapshot();
    assert.deepEqual(oauthClients.map((client) => [client.organization, client.name]).sort(), [
      ['acme-dev', 'GitHub'],
      ['acme-dev', 'GitLab'],
    ]);
    assert.equal(runTriggers.length, 8);
    assert.match(done.stdout, /githubCallback: "http/u);
    assert.doesNotMatch(done.stdout, /ghp-example|glpat-example/u);
    await somebody().runTriggers.create('ws-dev-jobs', 'ws-dev-network');
    const [environment = '', last = ''] = [commands[0], commands.at(-1)];
    assert.match(last, /^pulumi refresh --preview-only --expect-no-changes/u);
    const red = await inReadme([environment, last]);
    assert.notEqual(red.code, 0);
    assert.match(red.stdout, /1 to update/u);
  });

  it('is a template for `pulumi new`, before anything is installed', async () => {
    rmSync(join(shell.folder, 'node_modules'), { recursive: true });
    await succeeds(
      `pulumi login --local
      mv "$PWD" ../template && mkdir ../shop && cd ../shop
      pulumi new ../template --name shop --stack dev --generate-only --yes`,
    );
    const text = readFileSync(join(shell.folder, '../shop/Pulumi.yaml'), 'utf8');
    const project = parse(text) as Readonly<Record<string, unknown>>;
    assert.equal(project.name, 'shop');
    assert.equal(project.template, undefined);
    assert.equal(project.plugins, undefined);
  });

  it('is previewed, brought up and watched by its workflow, both stacks', async () => {
    assert.deepEqual(Object.keys(workflow.on).sort(), ['pull_request', 'push', 'schedule']);
    const { preview, up, drift } = workflow.jobs;
    for (const [job, event] of [
      [preview, 'pull_request'],
      [up, 'push'],
      [drift, 'schedule'],
    ] as const) {
      assert.match(job?.if ?? '', new RegExp(`^github\\.event_name == '${event}'`, 'u'));
      assert.deepEqual(job?.strategy.matrix.stack, ['dev', 'prod']);
    }
    shell.env.TETHER_TOKEN = 'acme-example-token';
    // Where the organization's service is, instead of the example's address.
    writeFileSync(
      join(shell.folder, 'Pulumi.yaml'),
      read('Pulumi.yaml').replace('https://tether.example.com/api/v2', service.url),
    );
    await succeeds('pulumi login --local');
    for (const stack of ['dev', 'prod']) {
      await succeeds(
        `pulumi stack init ${stack}
        pulumi config set --secret githubToken canary-github
        pulumi config set --secret gitlabToken canary-gitlab`,
      );
    }
    const run = async (job: Job | undefined, stack: string): Promise<Ended> => {
      const script = (job?.steps ?? []).map((step) => typed(step, stack)).join('\n');
      assert.match(script, /pulumi/u);
      return shell.run(script);
    };
    for (const stack of ['dev', 'prod']) {
      service.clearRequests();
      const previewed = await run(preview, stack);
      assert.equal(previewed.code, 0, previewed.stdout);
      assert.match(previewed.stdout, /12 to create/u);
      assert.deepEqual(
        service.requests().filter((request) => request.method !== 'GET'),
        [],
      );
      const brought = await run(up, stack);
      assert.equal(brought.code, 0, brought.stdout);
      await succeeds(`pulumi preview --stack ${stack} --expect-no-changes`);
      const watched = await run(drift, stack);
      assert.equal(watched.code, 0, watched.stdout);
      assert.doesNotMatch(previewed.stdout + brought.stdout + watched.stdout, /canary-/u);
    }
    assert.equal(service.snapshot().runTriggers.length, 16);
    await somebody().runTriggers.create('ws-jobs', 'ws-network');
    assert.notEqual((await run(drift, 'prod')).code, 0);
    assert.equal((await run(drift, 'dev')).code, 0);
    // Only prod protects its connections.
    const refused = await shell.run('pulumi destroy --stack prod');
    assert.match(refused.stdout + refused.stderr, /protect/u);
    await succeeds('pulumi destroy --stack dev');
    assert.deepEqual(
      service.snapshot().oauthClients.map((client) => client.organization),
      ['acme', 'acme'],
    );
  });
});
