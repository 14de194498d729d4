/** The pipelines of the examples as they run: each job whose condition holds, its shells in bash, `gh` and `glab` replaced. */
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
import type { Post } from '../support/forge-stand-in';
import { readPage } from '../support/page';
import { root } from '../support/pulumi-engine';
import { type Ended, runProcess } from '../support/run-process';
import { type StateServer, startStateServer } from '../support/state-server';

const example = join(root, 'examples/pipelines');
const read = (name: string): string => readFileSync(join(example, name), 'utf8');

/** What a forge knows of an event: `github.…` for GitHub, variables for GitLab. */
type Event = 'own change' | 'change from a fork' | 'merge' | 'schedule';

interface Shell {
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
}

interface Forge {
  readonly command: 'gh' | 'glab';
  readonly me: string | number;
  /** The shells of every job that this event starts. `states` serves ledgers where the forge does. */
  shells(event: Event, states?: StateServer): readonly Shell[];
}

interface Step {
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const workflow = parse(read('.github/workflows/tether.yml')) as {
  readonly permissions: object;
  readonly defaults: { readonly run: { readonly shell: string } };
  readonly jobs: Readonly<
    Record<
      'report' | 'apply',
      {
        readonly if: string;
        readonly permissions: object;
        readonly concurrency: unknown;
        readonly steps: readonly Step[];
      }
    >
  >;
};

const githubEvents: Readonly<Record<Event, object>> = {
  'own change': pullRequest('acme/infra'),
  'change from a fork': pullRequest('somebody/infra'),
  merge: { event_name: 'push', repository: 'acme/infra', event: {} },
  schedule: { event_name: 'schedule', repository: 'acme/infra', event: {} },
};

function pullRequest(from: string): object {
  const pull = { head: { repo: { full_name: from } } };
  return { event_name: 'pull_request', repository: 'acme/infra', event: { number: 5, pull_request: pull } };
}

/** Evaluates `a.b == 'c' || d.e == f`. What does not exist is null. */
function holds(condition: string, event: Event): boolean {
  return condition.split(' || ').some((part) => {
    const [left, right] = part.split(' == ').map((text) => fieldOf(text, event));
    return left === right;
  });
}

function fieldOf(text: string, event: Event): unknown {
  const [, literal] = /^'(.*)'$/.exec(text) ?? [];
  if (literal !== undefined) return literal;
  const [first, ...names] = text.split('.');
  assert.equal(first, 'github', text);
  return names.reduce<unknown>(
    (value, name) => (value as Record<string, unknown> | null)?.[name] ?? null,
    githubEvents[event],
  );
}

const secrets: Readonly<Record<string, string>> = {
  'secrets.TETHER_TOKEN': 'pipelines-example-token',
  'secrets.GIT_TOKEN': 'git-secret-canary',
  'github.token': 'gh-token',
  'github.event.number': '5',
};

const github: Forge = {
  command: 'gh',
  me: 'github-actions[bot]',
  shells(event) {
    const jobs = Object.values(workflow.jobs).filter((job) => holds(job.if, event));
    const steps = jobs.flatMap((job) => job.steps.filter((step) => holds(step.if ?? "'' == ''", event)));
    return steps.flatMap(({ run, env = {} }) => {
      if (run === undefined || run === 'npm ci --ignore-scripts') return [];
      const given = Object.entries(env).map(([name, text]) => [name, filledIn(text)]);
      return [{ script: run, env: Object.fromEntries(given) as Record<string, string> }];
    });
  },
};

function filledIn(text: string): string {
  return text.replace(/\$\{\{ (.*?) \}\}/g, (_, name: string) => {
    assert.ok(name in secrets, name);
    return secrets[name] ?? '';
  });
}

interface GitlabJob {
  readonly rules: readonly [{ readonly if: string }];
  readonly script: readonly string[];
}
const {
  image: _,
  variables,
  before_script: __,
  ...gitlabJobs
} = parse(read('.gitlab-ci.yml')) as {
  readonly image: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly before_script: readonly string[];
} & Readonly<Record<string, unknown>>;

const mergeRequest = { CI_PIPELINE_SOURCE: 'merge_request_event', CI_MERGE_REQUEST_PROJECT_ID: '42' };
const branch = { CI_COMMIT_BRANCH: 'main', CI_DEFAULT_BRANCH: 'main' };
const gitlabEvents: Readonly<Record<Event, Readonly<Record<string, string>>>> = {
  'own change': { ...mergeRequest, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '42', CI_MERGE_REQUEST_IID: '5' },
  'change from a fork': {
    ...mergeRequest,
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '77',
    CI_MERGE_REQUEST_IID: '5',
  },
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
  me: 7,
  shells(event, states) {
    const jobs = (Object.values(gitlabJobs) as GitlabJob[]).filter(({ rules }) =>
      isRuled(rules[0].if, event),
    );
    return jobs.map(({ script }) => ({
      script: script.join('\n'),
      env: {
        ...gitlabEvents[event],
        CI_PROJECT_ID: '42',
        TETHER_LEDGER_CREDENTIALS: credentialsFor(states),
        TETHER_TOKEN: 'pipelines-example-token',
        GIT_TOKEN: 'git-secret-canary',
      },
    }));
  },
};

/** A checkout of the example, in which `npx`, `gh` and `glab` are these tests' own. */
class Checkout {
  readonly home = mkdtempSync(join(tmpdir(), 'tether-pipelines-'));
  readonly folder = join(this.home, 'infra');

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
    this.setPosts([]);
  }

  posts(): readonly Post[] {
    return JSON.parse(readFileSync(join(this.home, 'posts.json'), 'utf8')) as readonly Post[];
  }

  setPosts(posts: readonly Post[]): void {
    writeFileSync(join(this.home, 'posts.json'), JSON.stringify(posts));
  }

  run({ script, env }: Shell, cwd = this.folder): Promise<Ended> {
    const all = {
      PATH: [join(this.home, 'bin'), process.env.PATH].join(delimiter),
      HOME: this.home,
      FORGE_POSTS: join(this.home, 'posts.json'),
      TETHER_ADDRESS: this.service.url,
      TETHER_RATE: '1000',
      GITHUB_REPOSITORY: 'acme/infra',
      GITHUB_STEP_SUMMARY: join(this.home, 'summary.md'),
    };
    return runProcess('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
      cwd,
      env: { ...all, ...env },
    });
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

/** A repository with a remote, whose `main` has one commit. */
const gitSetup = `git init -q -b main && git init -q --bare -b main ../remote && git remote add origin ../remote
  git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one && git push -q origin main`;

const needJq = (test: Mocha.Context): void => {
  if (spawnSync('jq', ['--version']).status !== 0) test.skip();
};

for (const [name, forge] of Object.entries({ GitHub: github, GitLab: gitlab })) {
  describe(`the pipeline for ${name}`, () => {
    let service: Service;
    let checkout: Checkout;
    let states: StateServer;
    beforeEach(async function () {
      needJq(this);
      service = await createService({ seed: join(example, 'seed.yaml') });
      states = await startStateServer(jobToken);
      checkout = new Checkout(service);
      for (const organization of forge === gitlab ? ['acme', 'beta'] : []) {
        const place = `${states.origin}/api/v4/projects/42/terraform/state/${organization}`;
        checkout.write(organization, (text) => `${text}ledger: ${place}\n`);
      }
      await checkout.run({ script: gitSetup, env: {} });
    });
    afterEach(async () => {
      checkout?.close();
      await states?.close();
      await service?.close();
    });

    async function expect(code: number, event: Event): Promise<void> {
      const shells = forge.shells(event, states);
      assert.equal(shells.length, 1);
      for (const shell of shells) {
        const ended = await checkout.run(shell);
        assert.equal(ended.code, code, ended.stdout + ended.stderr);
        assert.doesNotMatch(ended.stdout + ended.stderr, /canary/);
      }
    }
    const somebody = () =>
      createClient({ address: service.url, token: 'pipelines-example-token', rate: 1000 });

    it('has one comment for a change, edited with each push, and touches no other', async () => {
      const spoof = { comments: 5, isOpen: true, body: '<!-- tether plan -->\nAll is well.' };
      const others: readonly Post[] = [
        { ...spoof, id: 1, author: forge.me, body: 'A comment of another pipeline.' },
        { ...spoof, id: 2, author: 'mallory' },
        { ...spoof, id: 3, author: forge.me, comments: 6 },
      ];
      checkout.setPosts(others);
      await expect(0, 'own change');
      const [first] = checkout.posts().slice(3);
      assert.deepEqual([first?.comments, first?.author], [5, forge.me]);
      assert.match(first?.body ?? '', /^<!-- tether plan -->\n[\s\S]*`Plan: 2 to create\./);
      checkout.write('acme', (text) => text.replace('[ws-acme-network]', '[ws-acme-network, ws-acme-dns]'));
      checkout.write('beta', (text) => text.replace('runTriggers', 'triggers'));
      await expect(1, 'own change');
      const [edited, ...more] = checkout.posts().slice(3);
      assert.deepEqual(more, []);
      assert.match(edited?.body ?? '', /`Plan: 3 to create\.[\s\S]*unknown key 'triggers'/);
      assert.deepEqual(checkout.posts().slice(0, 3), others);
      assert.deepEqual(
        service.requests().filter(({ method }) => method !== 'GET'),
        [],
      );
    });

    it('applies a merge, and has one issue while there is drift', async () => {
      const spoof = { comments: null, isOpen: true, body: '<!-- tether drift -->\nAll is well.' };
      const others: readonly Post[] = [
        { ...spoof, id: 1, author: forge.me, body: 'An issue of another pipeline.' },
        { ...spoof, id: 2, author: 'mallory' },
        { ...spoof, id: 3, author: forge.me, body: 'A second one of it.' },
      ];
      checkout.setPosts(others);
      const own = () => checkout.posts().slice(3);
      await expect(0, 'merge');
      assert.equal(service.snapshot().runTriggers.length, 2);
      assert.equal(service.snapshot().oauthClients.length, 2);
      assert.equal(checkout.has('orgs/acme/tether.ledger.json'), forge === github);
      await expect(0, 'schedule');
      assert.deepEqual(own(), []);
      await somebody().runTriggers.create('ws-beta-app', 'ws-beta-dns');
      await expect(2, 'schedule');
      const [issue] = own();
      assert.deepEqual([issue?.comments, issue?.title, issue?.isOpen], [null, 'Tether drift', true]);
      assert.match(issue?.body ?? '', /^<!-- tether drift -->\n[\s\S]*`beta` \| `drift`/);
      await somebody().runTriggers.create('ws-acme-app', 'ws-acme-dns');
      await expect(2, 'schedule');
      assert.match(own()[0]?.body ?? '', /`acme` \| `drift`/);
      await expect(0, 'merge');
      await expect(0, 'schedule');
      assert.deepEqual(
        own().map(({ isOpen }) => isOpen),
        [false],
      );
      await somebody().runTriggers.create('ws-beta-app', 'ws-beta-dns');
      await expect(2, 'schedule');
      assert.deepEqual(
        own().map(({ isOpen }) => isOpen),
        [false, true],
      );
      assert.deepEqual(checkout.posts().slice(0, 3), others);
    });

    it('ends with the error of the command, and says it in the issue', async () => {
      checkout.write('beta', () => 'nonsense: 1\n');
      await expect(1, 'merge');
      await expect(1, 'schedule');
      assert.match(checkout.posts()[0]?.body ?? '', /`orgs\/beta\/` \| {2}\| `error`/);
      assert.equal(service.snapshot().runTriggers.length, 1);
    });

    it('starts nothing for a change from a fork', () => {
      assert.deepEqual(forge.shells('change from a fork'), []);
    });
  });
}

describe('a ledger on a branch of its own', () => {
  const page = readPage(readFileSync(join(root, 'docs/pipelines.md'), 'utf8'));
  const [restore = '', save = ''] = page.blocks.flatMap((one) => (one.language === 'sh' ? [one.text] : []));
  let service: Service;
  let checkout: Checkout;
  beforeEach(async () => {
    service = await createService({ seed: join(example, 'seed.yaml') });
    checkout = new Checkout(service);
    await expect(
      0,
      '.',
      `${gitSetup}\ngit add . && git -c user.name=a -c user.email=a@b commit -q -m two && git push -q origin main`,
    );
  });
  afterEach(async () => {
    checkout.close();
    await service.close();
  });

  /** In a job's own clone. */
  async function expect(code: number, job: string, script: string): Promise<string> {
    const env = { TETHER_TOKEN: 'pipelines-example-token', GIT_TOKEN: 'git-secret-canary' };
    const ended = await checkout.run({ script, env }, join(checkout.folder, job));
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
    await expect(
      0,
      '.',
      'git -c user.name=a -c user.email=a@b commit -q -a -m three && git push -q origin main',
    );
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
    await expect(
      0,
      '.',
      'git -c user.name=a -c user.email=a@b commit -q -a -m three && git push -q origin main',
    );
    await job('first', 1, 'apply --yes');
    await job('late', 1, 'apply --yes');
    await expect(0, '../first', save);
    await expect(1, '../late', save);
    const files = await expect(0, '../remote', 'git ls-tree -r --name-only tether-ledger');
    assert.equal(files, 'orgs/acme/tether.ledger.json\n');
  });

  it('is not taken for empty where the remote does not answer', async () => {
    await clone('first');
    await expect(0, '../first', 'git remote set-url origin ../nowhere');
    await expect(128, '../first', restore);
  });
});

describe('the workflow for GitHub', () => {
  const { report, apply } = workflow.jobs;

  it('may write only what it has to, and its tokens reach only the steps that need them', () => {
    assert.deepEqual(workflow.permissions, {});
    assert.deepEqual(report.permissions, { contents: 'read', issues: 'write', 'pull-requests': 'write' });
    assert.deepEqual(apply.permissions, { contents: 'read' });
    for (const { run, env } of [...report.steps, ...apply.steps]) {
      assert.equal(env !== undefined, run?.includes('npx --no tether') ?? false);
    }
    const given = report.steps.flatMap(({ env = {} }) => Object.keys(env));
    assert.deepEqual([...new Set(given)].sort(), ['GH_TOKEN', 'NUMBER', 'TETHER_TOKEN']);
  });

  it('has no expression in a shell, where a title could become a command', () => {
    assert.equal(workflow.defaults.run.shell, 'bash');
    for (const { run = '' } of [...report.steps, ...apply.steps]) assert.doesNotMatch(run, /\$\{\{/);
  });

  it('pins its actions to the commits that the release uses', () => {
    const release = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8');
    for (const { uses } of [...report.steps, ...apply.steps]) {
      if (uses !== undefined) assert.ok(/@[0-9a-f]{40}$/.test(uses) && release.includes(uses), uses);
    }
  });

  it('lets one apply run at a time, and no report take its place', () => {
    assert.equal(apply.concurrency, 'tether-apply');
    assert.deepEqual(report.concurrency, {
      group: 'tether-$REF'.replace('$REF', '$' + '{{ github.ref }}'),
      'cancel-in-progress': true,
    });
  });
});
