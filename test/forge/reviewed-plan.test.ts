/** The digest that a merge applies: taken from the plan of the request, and from nothing that others can write. */
import assert from 'node:assert/strict';
import { ForgeRun, forges } from '../support/forge-run';
import { GithubForge } from '../support/github-forge';
import { startingCommit } from '../support/github-workflow';
import { GitlabForge } from '../support/gitlab-forge';

const digest = '0123456789abcdef';
const forged = 'ffffffffffffffff';
const planned = { 'exit-code': '0', digest, 'output.txt': 'Plan: 1 to create' };

for (const kind of forges) {
  describe(`the reviewed plan on ${kind.name}`, () => {
    let run: ForgeRun;
    beforeEach(async () => {
      run = new ForgeRun(kind, await kind.open());
    });
    afterEach(() => run.close());

    const isPlanned = async (left: typeof planned | { 'exit-code': string }): Promise<void> => {
      await run.tell('plan', left);
      if (!(run.forge instanceof GitlabForge)) return;
      const status = left['exit-code'] === '0' ? 'success' : 'failed';
      run.forge.jobs.splice(0, 1, { id: 5, name: 'tether plan .', status, digest: `${digest}\n` });
    };
    async function refuses(expected: RegExp): Promise<void> {
      const end = await run.run('reviewed');
      assert.equal(end.code, 1);
      assert.match(end.stdout + end.stderr, /No reviewed plan was found, so nothing is applied: /u);
      assert.match(end.stdout + end.stderr, expected);
      assert.equal(run.outputOf(end), '');
    }

    it('is the newest of the request that made this commit', async () => {
      await isPlanned(planned);
      const end = await run.run('reviewed');
      assert.equal(end.code, 0, end.stderr);
      assert.equal(run.outputOf(end), `${digest}\n`);
      assert.match(
        end.stdout + end.stderr,
        /Expecting the plan 0123456789abcdef, which (?:pull request #|merge request !)7 showed/u,
      );
    });

    it('is not what a comment says', async () => {
      run.forge.comments.push(run.forge.note('mallory', `<!-- tether-plan folder=. -->\nDigest: ${forged}`));
      await refuses(/no plan of \. was recorded|was not complete/u);
      await isPlanned(planned);
      assert.equal(run.outputOf(await run.run('reviewed')), `${digest}\n`);
    });

    it('is none after a plan that failed, or for another folder', async () => {
      await isPlanned(planned);
      const other = await run.run('reviewed', {}, { TETHER_FOLDER: 'acme' });
      assert.equal(other.code, 1);
      await isPlanned({ 'exit-code': '1' });
      await refuses(/the last plan of .*7 was not complete/u);
    });

    it('is none where no merged request made the commit', async () => {
      await isPlanned(planned);
      if (run.forge instanceof GithubForge) {
        const merged = { ...run.forge.pull, merged_at: '2026-11-22', merge_commit_sha: startingCommit };
        run.forge.pullsOfCommit = [
          { ...merged, merged_at: null },
          { ...merged, merge_commit_sha: 'd'.repeat(40) },
          { ...merged, base: { ref: 'mallory' } },
        ];
      } else if (run.forge instanceof GitlabForge) {
        const merged = { iid: 7, state: 'merged', target_branch: 'main', merge_commit_sha: startingCommit };
        run.forge.requestsOfCommit = [
          { ...merged, state: 'opened' },
          { ...merged, merge_commit_sha: 'd'.repeat(40) },
          { ...merged, target_branch: 'mallory' },
        ];
      }
      await refuses(/no merged (?:pull|merge) request made commit c{40} of main/u);
    });

    it('is none where the forge does not answer, and nothing is applied', async () => {
      await isPlanned(planned);
      for (const status of [403, 404, 422, 500]) {
        run.forge.fault = () => ({ status });
        await refuses(new RegExp(`answered ${status}`, 'u'));
      }
    });
  });
}

describe('the status that carries a digest on GitHub', () => {
  let run: ForgeRun;
  let forge: GithubForge;
  beforeEach(async () => {
    forge = await GithubForge.start();
    run = new ForgeRun({ name: 'GitHub', us: '', open: () => GithubForge.start() }, forge);
  });
  afterEach(() => run.close());

  it('counts only where a workflow wrote it', async () => {
    await run.tell('plan', planned);
    const [status] = forge.statuses;
    assert.ok(status);
    for (let count = 0; count < 100; count += 1) {
      forge.statuses.unshift({ ...status, author: 'mallory', description: `Digest ${forged}` });
    }
    assert.equal(run.outputOf(await run.run('reviewed')), `${digest}\n`);
  });

  it('counts only where it holds a digest', async () => {
    await run.tell('plan', { ...planned, digest: 'any' });
    const end = await run.run('reviewed');
    assert.equal(end.code, 1);
    assert.match(end.stdout, /pull request #7 holds no digest/u);
  });

  it('is left out where the job may not write it, and the comment is still made', async () => {
    forge.permissions = { 'pull-requests': 'write' };
    const { code, stdout } = await run.run('plan', planned);
    assert.equal(code, 0);
    assert.match(stdout, /^::warning title=Tether::Recording the digest failed, .* 403 .*\n$/u);
    assert.equal(forge.comments.length, 1);
  });
});

describe('GitLab without TETHER_FORGE_TOKEN', () => {
  it('is said, and fails no plan', async () => {
    const forge = await GitlabForge.start();
    const run = new ForgeRun({ name: 'GitLab', us: '', open: () => GitlabForge.start() }, forge);
    const { code, stderr } = await run.run('plan', planned, { TETHER_FORGE_TOKEN: '' });
    assert.equal(code, 0);
    assert.match(stderr, /^Warning: Writing the comment failed, .*: TETHER_FORGE_TOKEN is not set\n$/u);
    assert.deepEqual(forge.requests, []);
    await run.close();
  });
});
