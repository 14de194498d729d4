/** The pipelines of docs/pipelines.md parse, run commands that exist, and bring the ledger back to the branch. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { readPage } from '../support/page';
import { runProcess } from '../support/run-process';
import { temporaryFolder } from '../support/temporary-folder';

const page = readFileSync(join(resolve(__dirname, '../../..'), 'docs/pipelines.md'), 'utf8');
const [github, gitlab] = readPage(page)
  .blocks.filter(({ language }) => language === 'yaml')
  .map(({ text }) => parse(text) as unknown);

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
}
interface GitlabJobs {
  readonly [job: string]: { readonly script: readonly string[]; readonly after_script?: readonly string[] };
}

const steps = (github as Workflow).jobs.apply?.steps ?? [];
const jobs = gitlab as GitlabJobs;
const withoutRemote = (line: string): boolean => !line.startsWith('git remote set-url');

describe('the pipelines of the docs', () => {
  const folder = temporaryFolder();

  async function shell(script: string): Promise<string> {
    const env = { PATH: process.env.PATH, HOME: folder(), CI_COMMIT_BRANCH: 'main' };
    const { code, stdout, stderr } = await runProcess('bash', ['-e', '-c', script], { cwd: folder(), env });
    assert.equal(code, 0, stdout + stderr);
    return stdout;
  }

  it('name only commands that exist', () => {
    const commands = [...page.matchAll(/npx tether (\w+)/gu)].map(([, command]) => command);
    assert.deepEqual([...new Set(commands)].sort(), ['apply', 'drift', 'plan']);
  });

  for (const [name, script] of [
    ['GitHub', steps.at(-1)?.run ?? ''],
    ['GitLab', (jobs.apply?.after_script ?? []).filter(withoutRemote).join('\n')],
  ] as const) {
    it(`commit a changed ledger and nothing else, and push it (${name})`, async () => {
      await shell(`git init -q --bare -b main remote && git clone -q remote work 2>&1 && cd work
        git config user.name a && git config user.email a@localhost
        git checkout -q -B main && echo one >x && git add x && git commit -q -m one && git push -q origin main`);
      const again = () => shell(`cd work\n(${script}\n)`);
      await again();
      writeFileSync(join(folder(), 'work', 'tether.ledger.json'), '{}\n');
      writeFileSync(join(folder(), 'work', 'report.md'), 'a report\n');
      await again();
      await again();
      const log = await shell('git -C remote log --format=%s --name-only main');
      assert.equal(log, 'ledger [skip ci]\n\ntether.ledger.json\none\n\nx\n');
    });
  }
});
