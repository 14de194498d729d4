/** The pipelines of the examples as they run: the shells of each event in bash, with stand-ins for `gh` and `glab`. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parse } from 'yaml';
import { createClient } from '../../client/client';
import { createService, type Service } from '../../service';
import { program } from '../support/cli';
import { type Comment, me } from '../support/forge-stand-in';
import { readPage } from '../support/page';
import { root } from '../support/pulumi-engine';
import { skipWithout } from '../support/required';
import { type Ended, runProcess } from '../support/run-process';
import { type StateServer, startStateServer } from '../support/state-server';

const example = join(root, 'examples/pipelines');
const read = (name: string): string => readFileSync(join(example, name), 'utf8');

type Event = 'own change' | 'change from a fork' | 'merge' | 'schedule';

interface Shell {
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
  /** The shell runs even if an earlier one of the job has failed. */
  readonly always?: boolean;
}

interface Forge {
  readonly command: keyof typeof me;
  readonly bashOptions: readonly string[];
  /** The shells that this event starts. `states` serves ledgers where the forge does. */
  shells(event: Event, states?: StateServer): readonly Shell[];
}

interface Step {
  readonly if?: string;
  readonly uses?: string;
  readonly with?: object;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const workflow = parse(read('.github/workflows/tether.yml')) as {
  readonly permissions: object;
  readonly concurrency: string;
  readonly env: Readonly<Record<string, string>>;
  readonly jobs: {
    readonly tether: {
      readonly if: string;
      readonly environment: string;
      readonly steps: readonly Step[];
    };
  };
};
const { tether: job } = workflow.jobs;

function pullRequest(fork: boolean): object {
  return { number: 5, pull_request: { head: { repo: { fork } } } };
}

const acme = { repository: 'acme/infra', token: 'gh-token' };
const githubEvents: Readonly<Record<Event, object>> = {
  'own change': { ...acme, event_name: 'pull_request', ref: 'refs/pull/5/merge', event: pullRequest(false) },
  'change from a fork': { ...acme, event_name: 'pull_request', event: pullRequest(true) },
  merge: { ...acme, event_name: 'push', ref: 'refs/heads/main', event: {} },
  schedule: { ...acme, event_name: 'schedule', ref: 'refs/heads/main', event: {} },
};

const token = 'pipelines-example-token';

/** An expression of GitHub is one of JavaScript, but a member of null is null. */
function evaluate(expression: string, event: Event, secrets: object = {}): unknown {
  const text = expression.replace(/\.(?=[a-zA-Z])/g, '?.');
  const run = new Function('github', 'secrets', 'always', `return ${text}`) as (...all: unknown[]) => unknown;
  return run(githubEvents[event], secrets, () => true);
}

function expand(text: string, event: Event, secrets?: object): string {
  return text.replace(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => {
    return String(evaluate(expression, event, secrets) ?? '');
  });
}

const github: Forge = {
  command: 'gh',
  bashOptions: ['-e'],
  shells(event) {
    if (expand(job.if, event) !== 'true') return [];
    const isMain = expand(job.environment, event) === 'tether';
    const secrets = { TETHER_TOKEN: token, GIT_TOKEN: isMain ? 'git-secret-canary' : '' };
    return job.steps.flatMap(({ if: condition = 'true', run, env = {} }) => {
      if (run === undefined || run === 'npm ci --ignore-scripts') return [];
      if (evaluate(condition, event) !== true) return [];
      const given = Object.entries({ ...workflow.env, ...env }).filter(([name]) => name !== 'TETHER_ADDRESS');
      const expanded = given.map(([name, text]) => [name, expand(text, event, secrets)]);
      const always = condition.startsWith('always()');
      return [{ script: run, env: Object.fromEntries(expanded) as Record<string, string>, always }];
    });
  },
};

interface GitlabJob {
  readonly rules: readonly [{ readonly if: string }];
  readonly environment?: string;
  readonly script: readonly string[];
}

const { variables, plan, drift, apply } = parse(read('.gitlab-ci.yml')) as {
  readonly variables: Readonly<Record<string, string>>;
} & Readonly<Record<'plan' | 'drift' | 'apply', GitlabJob>>;

const mergeRequest = {
  CI_PIPELINE_SOURCE: 'merge_request_event',
  CI_MERGE_REQUEST_PROJECT_ID: '42',
  CI_MERGE_REQUEST_IID: '5',
};
const branch = { CI_COMMIT_BRANCH: 'main', CI_DEFAULT_BRANCH: 'main' };
const gitlabEvents: Readonly<Record<Event, Readonly<Record<string, string>>>> = {
  'own change': { ...mergeRequest, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '42' },
  'change from a fork': { ...mergeRequest, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '77' },
  merge: { ...branch, CI_PIPELINE_SOURCE: 'push' },
  schedule: { ...branch, CI_PIPELINE_SOURCE: 'schedule' },
};

/** Evaluates `$A == "b" && $C == $D`. */
function isRuled(rule: string, event: Event): boolean {
  const known = gitlabEvents[event];
  const side = (text: string) => (text.startsWith('$') ? known[text.slice(1)] : text.slice(1, -1));
  return rule.split(' && ').every((part) => {
    const [left = '', right = ''] = part.split(' == ');
    return side(left) === side(right);
  });
}

const jobToken = { user: 'gitlab-ci-token', token: 'job-token-canary' };

/** What the variable of the file is on the host of these states, which has no TLS. */
function credentialsFor(states: StateServer | undefined): string {
  const { protocol = '', host = '' } = states === undefined ? {} : new URL(states.origin);
  return (variables.TETHER_LEDGER_CREDENTIALS ?? '')
    .replace('https:', protocol)
    .replace('$CI_JOB_TOKEN', jobToken.token)
    .replace('$CI_SERVER_FQDN', host);
}

const gitlab: Forge = {
  command: 'glab',
  bashOptions: ['-eo', 'pipefail'],
  shells(event, states) {
    const jobs = [plan, drift, apply].filter(({ rules }) => isRuled(rules[0].if, event));
    return jobs.map(({ script, environment }) => ({
      script: script.join('\n'),
      env: {
        ...gitlabEvents[event],
        CI_PROJECT_ID: '42',
        TETHER_LEDGER_CREDENTIALS: credentialsFor(states),
        TETHER_TOKEN: token,
        ...(environment === 'tether' && { GIT_TOKEN: 'git-secret-canary' }),
      },
    }));
  },
};

/** A checkout of the example, in which `npx`, `gh` and `glab` are these tests' own. */
class Checkout {
  readonly home = mkdtempSync(join(tmpdir(), 'tether-pipelines-'));
  readonly folder = join(this.home, 'infra');
  readonly #comments = join(this.home, 'comments.json');

  constructor(readonly service: Service) {
    const bin = join(this.home, 'bin');
    mkdirSync(bin);
    cpSync(example, this.folder, { recursive: true });
    const stand = join(root, 'dist/test/support/forge-stand-in.js');
    for (const [name, command] of [
      ['npx', `[ "$1 $2" = '--no tether' ] || exit 64\nexec ${process.execPath} ${program} "\${@:3}"`],
      ['gh', `exec ${process.execPath} ${stand} gh "$@"`],
      ['glab', `exec ${process.execPath} ${stand} glab "$@"`],
    ] as const) {
      writeFileSync(join(bin, name), `#!/usr/bin/env bash\n${command}\n`);
      chmodSync(join(bin, name), 0o755);
    }
    this.setComments([]);
  }

  comments(): readonly Comment[] {
    return JSON.parse(readFileSync(this.#comments, 'utf8')) as readonly Comment[];
  }

  setComments(comments: readonly Comment[]): void {
    writeFileSync(this.#comments, JSON.stringify(comments));
  }

  run({ script, env }: Shell, options: readonly string[], cwd = this.folder): Promise<Ended> {
    const all = {
      PATH: [join(this.home, 'bin'), process.env.PATH].join(delimiter),
      HOME: this.home,
      FORGE_COMMENTS: this.#comments,
      TETHER_ADDRESS: this.service.url,
      TETHER_RATE: '1000',
      GITHUB_STEP_SUMMARY: join(this.home, 'summary.md'),
    };
    const args = ['--noprofile', '--norc', ...options, '-c', script];
    return runProcess('bash', args, { cwd, env: { ...all, ...env } });
  }

  has(file: string): boolean {
    return existsSync(join(this.folder, file));
  }

  write(organization: string, change: (text: string) => string): void {
    const file = join(this.folder, 'orgs', organization, 'main.tether.yaml');
    writeFileSync(file, change(readFileSync(file, 'utf8')));
  }

  close(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}

for (const [name, forge] of Object.entries({ GitHub: github, GitLab: gitlab })) {
  describe(`the pipeline for ${name}`, () => {
    let service: Service;
    let checkout: Checkout;
    let states: StateServer;
    beforeEach(async function () {
      skipWithout('jq', hasJq(), this, 'install the package jq of this system');
      service = await createService({ seed: join(example, 'seed.yaml') });
      states = await startStateServer(jobToken);
      checkout = new Checkout(service);
      for (const organization of forge === gitlab ? ['acme', 'beta'] : []) {
        const place = `${states.origin}/api/v4/projects/42/terraform/state/${organization}`;
        checkout.write(organization, (text) => `${text}ledger: ${place}\n`);
      }
    });
    afterEach(async () => {
      checkout?.close();
      await states?.close();
      await service?.close();
    });

    /** Runs the job of an event. Its code is that of the first shell that failed. */
    async function expect(code: number, event: Event): Promise<string> {
      const shells = forge.shells(event, states);
      assert.notEqual(shells.length, 0);
      let ended = 0;
      let output = '';
      for (const shell of shells) {
        if (ended !== 0 && shell.always !== true) continue;
        const result = await checkout.run(shell, forge.bashOptions);
        ended ||= result.code ?? 1;
        output += result.stdout + result.stderr;
      }
      assert.equal(ended, code, output);
      assert.doesNotMatch(output, /canary/);
      return output;
    }

    it('has one comment for a change, edited with each push, and touches no other', async () => {
      const spoof = { pullRequest: 5, body: '<!-- tether plan -->\nAll is well.' };
      const author = me[forge.command];
      const others: readonly Comment[] = [
        { ...spoof, id: 1, author, body: 'A comment of another pipeline.' },
        { ...spoof, id: 2, author: 'mallory' },
        { ...spoof, id: 3, author, pullRequest: 6 },
      ];
      checkout.setComments(others);
      await expect(0, 'own change');
      const [first] = checkout.comments().slice(3);
      assert.deepEqual([first?.pullRequest, first?.author], [5, author]);
      assert.match(first?.body ?? '', /^<!-- tether plan -->\n[\s\S]*`Plan: 2 to create\./);
      checkout.write('acme', (text) => text.replace('[ws-acme-network]', '[ws-acme-network, ws-acme-dns]'));
      checkout.write('beta', (text) => text.replace('runTriggers', 'triggers'));
      await expect(1, 'own change');
      const [edited, ...more] = checkout.comments().slice(3);
      assert.deepEqual(more, []);
      assert.match(edited?.body ?? '', /unknown key 'triggers'[\s\S]*`Plan: 3 to create\./);
      assert.deepEqual(checkout.comments().slice(0, 3), others);
      const writes = service.requests().filter(({ method }) => method !== 'GET');
      assert.deepEqual(writes, []);
    });

    it('applies a merge, and fails while there is drift', async () => {
      await expect(0, 'merge');
      assert.equal(service.snapshot().runTriggers.length, 2);
      assert.equal(service.snapshot().oauthClients.length, 2);
      assert.equal(checkout.has('orgs/acme/tether.ledger.json'), forge === github);
      await expect(0, 'schedule');
      const somebody = createClient({ address: service.url, token, rate: 1000 });
      await somebody.runTriggers.create('ws-beta-app', 'ws-beta-dns');
      assert.match(await expect(2, 'schedule'), /beta +drift/);
      await expect(0, 'merge');
      await expect(0, 'schedule');
    });

    it('ends with the error of one folder, and applies the others', async () => {
      checkout.write('beta', () => 'nonsense: 1\n');
      await expect(1, 'merge');
      await expect(1, 'schedule');
      assert.equal(service.snapshot().runTriggers.length, 1);
    });

    it('starts nothing for a change from a fork', () => {
      assert.deepEqual(forge.shells('change from a fork'), []);
    });
  });
}

describe('the files to copy', () => {
  for (const name of ['.github/workflows/tether.yml', '.gitlab-ci.yml']) {
    it(`${name} has at most 30 lines`, () => {
      assert.ok(Number(read(name).match(/^ *[^\s#].*$/gm)?.length) <= 30);
    });
  }
});

function hasJq(): boolean {
  return spawnSync('jq', ['--version']).status === 0;
}

/** A repository with a remote, whose `main` has one commit. */
const gitSetup = `git init -q -b main && git init -q --bare -b main ../remote && git remote add origin ../remote`;
const commit =
  'git add . && git -c user.name=a -c user.email=a@b commit -q -m change && git push -q origin main';

describe('a ledger on a branch of its own', () => {
  const page = readPage(readFileSync(join(root, 'docs/pipelines.md'), 'utf8'));
  const [restore = '', save = '', askForDrift = ''] = page.blocks.flatMap((block) =>
    block.language === 'sh' ? [block.text] : [],
  );
  let service: Service;
  let checkout: Checkout;
  beforeEach(async () => {
    service = await createService({ seed: join(example, 'seed.yaml') });
    checkout = new Checkout(service);
    await expect(0, '.', `${gitSetup}\n${commit}`);
  });
  afterEach(async () => {
    checkout.close();
    await service.close();
  });

  /** In a job's own clone. */
  async function expect(code: number, job: string, script: string): Promise<string> {
    const env = { TETHER_TOKEN: token, GIT_TOKEN: 'git-secret-canary' };
    const ended = await checkout.run({ script, env }, github.bashOptions, join(checkout.folder, job));
    assert.equal(ended.code, code, ended.stdout + ended.stderr);
    return ended.stdout;
  }
  const clone = (job: string) => expect(0, '.', `git clone -q --depth 1 "file://$PWD/../remote" ../${job}`);
  const job = async (name: string, code: number, command: string): Promise<string> => {
    await clone(name);
    return expect(code, `../${name}`, `${restore}\nnpx --no tether ${command} orgs/*/`);
  };

  it('is found by the next job, and stands on no other branch', async () => {
    await job('first', 0, 'apply --yes');
    await expect(0, '../first', save);
    await job('second', 0, 'plan --detailed-exitcode');
    checkout.write('acme', (text) => text.replace('[ws-acme-network]', '[]'));
    await expect(0, '.', commit);
    await job('third', 0, 'apply --yes');
    await expect(0, '../third', save);
    await job('fourth', 0, 'plan --detailed-exitcode');
    const log = await expect(
      0,
      '../remote',
      'git log --format=%s tether-ledger && git ls-tree -r --name-only tether-ledger',
    );
    const files = 'orgs/acme/tether.ledger.json\norgs/beta/tether.ledger.json\n';
    assert.equal(log, `ledger\nledger\n${files}`);
    assert.equal(
      await expect(0, '../remote', 'git ls-tree -r --name-only main | grep -c ledger || true'),
      '0\n',
    );
  });

  it('is saved when the apply failed, and never over one that it did not start from', async () => {
    checkout.write('beta', () => 'nonsense: 1\n');
    await expect(0, '.', commit);
    await job('first', 1, 'apply --yes');
    await job('late', 1, 'apply --yes');
    await expect(0, '../first', save);
    await expect(1, '../late', save);
    const files = await expect(0, '../remote', 'git ls-tree -r --name-only tether-ledger');
    assert.equal(files, 'orgs/acme/tether.ledger.json\n');
  });

  it('shows by its JSON which folders drifted, beside one that failed', async function () {
    skipWithout('jq', hasJq(), this, 'install the package jq of this system');
    await expect(0, '.', 'npx --no tether apply --yes orgs/*/');
    const { url } = service;
    const client = createClient({ address: url, token, rate: 1000 });
    for (const { id, workspaceId } of service.snapshot().runTriggers) {
      if (workspaceId.includes('acme')) await client.runTriggers.delete(id);
    }
    checkout.write('beta', () => 'nonsense: 1\n');
    const script = `tether() { npx --no tether "$@"; }\nset +o pipefail\n${askForDrift}`;
    assert.equal(await expect(0, '.', script), 'orgs/acme/\n');
    // One folder has its members at the top of the document.
    assert.equal(await expect(0, '.', script.replace('orgs/*/', 'orgs/acme/')), 'orgs/acme/\n');
  });

  it('is not taken for empty where the remote does not answer', async () => {
    await clone('first');
    await expect(0, '../first', 'git remote set-url origin ../nowhere');
    await expect(128, '../first', restore);
  });
});

describe('the workflow for GitHub', () => {
  it('may write only comments, and keeps no token in the checkout', () => {
    assert.deepEqual(workflow.permissions, { contents: 'read', 'pull-requests': 'write' });
    const [checkout] = job.steps;
    assert.deepEqual(checkout?.with, {
      ref: '$REF'.replace('$REF', '$' + '{{ github.ref }}'),
      'persist-credentials': false,
    });
  });

  it('gives a token only to the steps that need it, and other secrets only to the apply', () => {
    assert.ok(!JSON.stringify(workflow.env).includes('secrets.'));
    for (const { run = '', env = {} } of job.steps) {
      assert.equal('TETHER_TOKEN' in env, run.includes('npx --no tether'), run);
      assert.equal('GIT_TOKEN' in env, run.includes('tether apply'), run);
    }
  });

  it('has no expression in a shell, where a title could become a command', () => {
    for (const { run = '' } of job.steps) assert.doesNotMatch(run, /\$\{\{/);
  });

  it('pins its actions to the commits that the release uses', () => {
    const release = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8');
    for (const { uses } of job.steps) {
      if (uses !== undefined) assert.ok(/@[0-9a-f]{40}$/.test(uses) && release.includes(uses), uses);
    }
  });

  it('lets one apply run at a time, and no report take its place', () => {
    assert.equal(expand(workflow.concurrency, 'merge'), 'tether-push-refs/heads/main');
    assert.equal(expand(workflow.concurrency, 'schedule'), 'tether-schedule-refs/heads/main');
    assert.equal(expand(workflow.concurrency, 'own change'), 'tether-pull_request-refs/pull/5/merge');
  });
});
