/** A machine for pipelines: the example in a bare repository, the service, and runners that start from nothing. */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createService, type Service } from '../../service';
import { type Job, type JobResult, runJob } from './pipeline-job';

const root = resolve(__dirname, '../../..');
/** The folder of the GitOps example in the source tree. */
export const exampleFolder = join(root, 'examples/gitops');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

/** `npm` accepts the one install the example may do; `tether` is what was just built. */
const programs = {
  npm: `[[ "$*" == "install --global --ignore-scripts --no-fund --no-audit tether-iac@${version}" ]] || { echo "npm $*: not this version" >&2; exit 1; }`,
  tether: `exec '${process.execPath}' '${join(root, 'dist/cli/main.js')}' "$@"`,
};

export class PipelineWorld {
  readonly #folder = mkdtempSync(join(tmpdir(), 'tether-pipelines-'));
  readonly #origin = join(this.#folder, 'origin.git');
  readonly #machine: NodeJS.ProcessEnv;
  readonly service: Service;
  #clones = 0;

  private constructor(service: Service) {
    this.service = service;
    const bin = join(this.#folder, 'bin');
    mkdirSync(bin);
    for (const [name, script] of Object.entries(programs)) {
      writeFileSync(join(bin, name), `#!/usr/bin/env bash\n${script}\n`);
      chmodSync(join(bin, name), 0o755);
    }
    const gitConfig = join(this.#folder, 'gitconfig');
    writeFileSync(gitConfig, '[init]\n\tdefaultBranch = main\n');
    this.#machine = {
      PATH: `${bin}:${process.env.PATH ?? ''}`,
      HOME: this.#folder,
      GIT_CONFIG_GLOBAL: gitConfig,
      GIT_CONFIG_NOSYSTEM: '1',
      GITHUB_STEP_SUMMARY: join(this.#folder, 'summary.md'),
      CI: 'true',
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
    return new PipelineWorld(await createService({ seed: join(exampleFolder, 'seed.yaml') }));
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

  /** A new clone of `main`, as a runner starts with. */
  clone(): string {
    this.#clones += 1;
    const folder = join(this.#folder, `clone-${this.#clones}`);
    this.git(this.#folder, 'clone', '--quiet', this.#origin, folder);
    return folder;
  }

  /** Runs a job on a runner of its own. */
  run(job: Job): Promise<JobResult> {
    return runJob(job, this.clone(), this.#machine);
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
    await this.service.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
