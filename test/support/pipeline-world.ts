/** A machine for pipelines: the example in a bare repository, the service, both forges, and runners that start from nothing. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createService, type Service } from '../../service';
import { GithubForge, repository } from './github-forge';
import { startingCommit } from './github-workflow';
import { GitlabForge } from './gitlab-forge';
import { type Job, type JobResult, runJob } from './pipeline-job';
import { unlimited } from './world';

const root = resolve(__dirname, '../../..');
/** The folder of the GitOps example in the source tree. */
export const exampleFolder = join(root, 'examples/gitops');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

/**
 * `npm` accepts the one install our files may do, where no token or secret is at hand on GitHub (on GitLab all of a job's variables
 * are), and gives the runner `tether`, which is what was just built.
 */
const npm = `case "$*" in
  'root --global') echo "$HOME/lib" ;;
  'install --global --ignore-scripts --no-fund --no-audit tether-iac@${version}')
    if [[ -n \${GITHUB_ACTIONS:-} ]] && env | grep -qE 'canary|acme-example-token|job-token'; then
      echo 'npm sees a secret' >&2
      exit 1
    fi
    cp "$HOME/tether" "$RUNNER_BIN/tether" ;;
  *) echo "npm $*: not this one" >&2; exit 1 ;;
esac`;
// Without the wait before each request, which the client's own tests are about.
const tether = `case $1 in plan | apply | drift) set -- "$1" --rate 100000 "\${@:2}" ;; esac
exec '${process.execPath}' '${join(root, 'dist/cli/main.js')}' "$@"`;

export class PipelineWorld {
  readonly #folder = mkdtempSync(join(tmpdir(), 'tether-pipelines-'));
  readonly #origin = join(this.#folder, 'origin.git');
  readonly #machine: NodeJS.ProcessEnv;
  readonly #summary = join(this.#folder, 'summary.md');
  #clones = 0;

  private constructor(
    readonly service: Service,
    readonly github: GithubForge,
    readonly gitlab: GitlabForge,
  ) {
    const bin = join(this.#folder, 'bin');
    mkdirSync(bin);
    mkdirSync(join(this.#folder, 'lib'));
    symlinkSync(root, join(this.#folder, 'lib/tether-iac'));
    for (const [path, script] of [
      [join(bin, 'npm'), npm],
      [join(this.#folder, 'tether'), tether],
    ] as const) {
      writeFileSync(path, `#!/usr/bin/env bash\n${script}\n`);
      chmodSync(path, 0o755);
    }
    const gitConfig = join(this.#folder, 'gitconfig');
    writeFileSync(gitConfig, '[init]\n\tdefaultBranch = main\n');
    this.#machine = {
      PATH: `${bin}:${process.env.PATH ?? ''}`,
      HOME: this.#folder,
      GIT_CONFIG_GLOBAL: gitConfig,
      GIT_CONFIG_NOSYSTEM: '1',
      CI: 'true',
      GITHUB_STEP_SUMMARY: this.#summary,
      GITHUB_API_URL: github.url,
      GITHUB_SERVER_URL: 'https://github.example',
      GITHUB_REPOSITORY: repository,
      GITHUB_RUN_ID: '9',
      GITHUB_SHA: startingCommit,
      GITHUB_REF_NAME: 'main',
      CI_API_V4_URL: gitlab.url,
      CI_COMMIT_SHA: startingCommit,
      CI_JOB_URL: 'https://gitlab.example/acme/infra/-/jobs/9',
    };
    const first = join(this.#folder, 'first');
    cpSync(exampleFolder, first, { recursive: true });
    this.git(this.#folder, 'init', '--quiet', '--bare', this.#origin);
    this.git(first, 'init', '--quiet');
    this.git(first, 'remote', 'add', 'origin', this.#origin);
    this.commit(first, 'The manifests');
  }

  /** Starts the service with the example's seed and commits the example to `main`. */
  static async open(): Promise<PipelineWorld> {
    const service = await createService({
      seed: join(exampleFolder, 'seed.yaml'),
      behaviours: unlimited,
    });
    return new PipelineWorld(service, await GithubForge.start(), await GitlabForge.start());
  }

  /** What git prints. */
  git(cwd: string, ...args: readonly string[]): string {
    return execFileSync('git', args, { cwd, env: this.#machine, encoding: 'utf8' }).trim();
  }

  /** Commits everything in a clone and pushes it to `main`. */
  commit(clone: string, message: string): void {
    this.git(clone, 'add', '--all');
    this.git(
      clone,
      '-c',
      'user.name=ada',
      '-c',
      'user.email=ada@acme.example',
      'commit',
      '--quiet',
      '-m',
      message,
    );
    this.git(clone, 'push', '--quiet', 'origin', 'HEAD:refs/heads/main');
  }

  /** Leaves the clients and five triggers: a small organization is applied sooner. */
  keepFew(): void {
    const clone = this.clone();
    for (const name of readdirSync(clone))
      if (/^(?!aliases|clients|data).*\.tether\.yaml$/u.test(name)) rmSync(join(clone, name));
    this.commit(clone, 'Only a few');
  }

  /** A new clone of `main`, as a runner starts with. */
  clone(): string {
    this.#clones += 1;
    const folder = join(this.#folder, `clone-${this.#clones}`);
    this.git(this.#folder, 'clone', '--quiet', this.#origin, folder);
    return folder;
  }

  /** Runs a job on a runner of its own. */
  async run(job: Job): Promise<JobResult> {
    const clone = this.clone();
    const [bin, event] = [`${clone}-bin`, `${clone}-event.json`];
    mkdirSync(bin);
    writeFileSync(
      event,
      JSON.stringify(job.event === 'pull_request' ? { pull_request: this.github.pull } : {}),
    );
    this.github.permissions = job.permissions;
    const result = await runJob(job, clone, {
      ...this.#machine,
      PATH: `${bin}:${this.#machine.PATH ?? ''}`,
      RUNNER_BIN: bin,
      GITHUB_EVENT_PATH: event,
    });
    if (job.name.startsWith('tether plan')) {
      const digest = result.kept.get('tether-report/digest') ?? '';
      this.gitlab.jobs.splice(0, 1, {
        id: 1,
        name: job.name,
        status: result.ok ? 'success' : 'failed',
        digest,
      });
    }
    return result;
  }

  /** What is on the page of the runs so far. */
  summary(): string {
    return existsSync(this.#summary) ? readFileSync(this.#summary, 'utf8') : '';
  }

  /** The newest commits of all branches. */
  heads(): string {
    return this.git(this.#origin, 'for-each-ref', 'refs/heads');
  }

  /** The files of the ledgers. */
  ledgerFiles(): readonly string[] {
    return this.git(this.#origin, 'ls-tree', '-r', '--name-only', 'tether-ledger').split('\n');
  }

  /** A hook of the host; it gets `<old> <new> <ref>` lines. */
  refusePushes(script: string): void {
    const hook = join(this.#origin, 'hooks/pre-receive');
    writeFileSync(hook, `#!/bin/sh\n${script}\n`);
    chmodSync(hook, 0o755);
  }

  /** Everything that was ever committed, as patches. */
  history(): string {
    return this.git(this.#origin, 'log', '-p', '--all');
  }

  async close(): Promise<void> {
    await Promise.all([this.service.close(), this.github.close(), this.gitlab.close()]);
    rmSync(this.#folder, { recursive: true, force: true });
    assert.deepEqual([...this.github.mistakes, ...this.gitlab.mistakes], []);
  }
}
