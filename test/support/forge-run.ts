/** A step that tells the forge: forge/main.mjs beside what a run of Tether left, against a stand-in of either forge. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ForgeServer } from './forge-server';
import { GithubForge, githubBot, repository } from './github-forge';
import { jobToken, startingCommit } from './github-workflow';
import { GitlabForge, gitlabBot, projectToken } from './gitlab-forge';
import { type Ended, runProcess } from './run-process';

const script = resolve(__dirname, '../../../forge/main.mjs');

export interface ForgeKind {
  readonly name: 'GitHub' | 'GitLab';
  /** Who writes with the token of these tests. */
  readonly us: string;
  open(): Promise<ForgeServer>;
}

export const forges: readonly ForgeKind[] = [
  { name: 'GitHub', us: githubBot, open: () => GithubForge.start() },
  { name: 'GitLab', us: gitlabBot, open: () => GitlabForge.start() },
];

const environments = {
  GitHub: (url: string, folder: string): Record<string, string> => ({
    TETHER_FORGE_TOKEN: jobToken,
    GITHUB_API_URL: url,
    GITHUB_SERVER_URL: 'https://github.example',
    GITHUB_REPOSITORY: repository,
    GITHUB_RUN_ID: '9',
    GITHUB_SHA: startingCommit,
    GITHUB_REF_NAME: 'main',
    GITHUB_EVENT_PATH: join(folder, 'event.json'),
    GITHUB_STEP_SUMMARY: join(folder, 'summary.md'),
    GITHUB_OUTPUT: join(folder, 'output'),
  }),
  GitLab: (url: string): Record<string, string> => ({
    TETHER_FORGE_TOKEN: projectToken,
    GITLAB_CI: 'true',
    CI_API_V4_URL: url,
    CI_PROJECT_ID: '1',
    CI_MERGE_REQUEST_IID: '7',
    CI_COMMIT_SHA: startingCommit,
    CI_COMMIT_BRANCH: 'main',
    CI_JOB_URL: 'https://gitlab.example/acme/infra/-/jobs/9',
  }),
};

/** What tether.sh leaves. */
export type Left = Readonly<Partial<Record<'exit-code' | 'digest' | 'output.txt' | 'report.md', string>>>;

export class ForgeRun {
  readonly #folder = mkdtempSync(join(tmpdir(), 'tether-forge-'));

  constructor(
    readonly kind: ForgeKind,
    readonly forge: ForgeServer,
  ) {
    forge.permissions = { issues: 'write', 'pull-requests': 'write', statuses: 'write' };
    writeFileSync(join(this.#folder, 'event.json'), JSON.stringify({ pull_request: new GithubForge().pull }));
  }

  /** Runs main.mjs; `env` is added to that of the step. */
  async run(command: string, left: Left = {}, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
    const out = join(this.#folder, 'out');
    rmSync(out, { recursive: true, force: true });
    mkdirSync(out);
    for (const [name, text] of Object.entries(left)) writeFileSync(join(out, name), `${text}\n`);
    return runProcess(process.execPath, [script, command], {
      cwd: this.#folder,
      env: {
        PATH: process.env.PATH ?? '',
        TETHER_OUT: out,
        TETHER_FOLDER: '.',
        ...environments[this.kind.name](this.forge.url, this.#folder),
        ...env,
      },
    });
  }

  /** The same, which must end well and say nothing. */
  async tell(command: string, left: Left, env?: Readonly<Record<string, string>>): Promise<void> {
    assert.deepEqual(await this.run(command, left, env), { code: 0, stdout: '', stderr: '' });
  }

  #read(name: string): string {
    const file = join(this.#folder, name);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  summary(): string {
    return this.#read('summary.md');
  }

  /** What the next step would be given. */
  outputOf({ stdout }: Ended): string {
    return this.kind.name === 'GitHub' ? this.#read('output').replace('digest=', '') : stdout;
  }

  async close(): Promise<void> {
    await this.forge.close();
    rmSync(this.#folder, { recursive: true, force: true });
    assert.deepEqual(this.forge.mistakes, []);
  }
}
