/** What the pipelines of examples/gitops must do, whichever system runs them: their steps, as written, against the service. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Job, JobResult, Trigger } from './pipeline-job';
import { exampleFolder, PipelineWorld } from './pipeline-world';

const secrets = {
  CLOUD_GIT_TOKEN: 'canary-cloud-token',
  ENTERPRISE_GIT_TOKEN: 'canary-enterprise-token',
  AGENCY_GIT_TOKEN: 'canary-agency-token',
  ARCHIVE_GIT_TOKEN: 'canary-archive-token',
  ARCHIVE_SSH_KEY: 'canary-archive-key',
};

/** A CI system: its name, the file it reads, and how to read it. */
export interface PipelineSystem {
  readonly name: string;
  readonly file: string;
  read(text: string, trigger: Trigger): readonly Job[];
  /** The system itself keeps protected variables from pull requests; else the workflow must name none. */
  readonly hides: boolean;
  /** Jobs of a group wait for each other; else the newest that waits takes the place of the others. */
  readonly queues: boolean;
}

/** Declares the tests of one system; a file per system, so that they run beside each other. */
export function describePipelines({ name, file, read, hides, queues }: PipelineSystem): void {
  describe(`examples/gitops on ${name}`, () => {
    const text = readFileSync(join(exampleFolder, file), 'utf8');
    let world: PipelineWorld;

    beforeEach(async () => {
      world = await PipelineWorld.open();
    });
    afterEach(async () => {
      await world.close();
    });

    function jobs(
      event: Trigger['event'],
      who: 'fork' | 'team' = 'team',
      by: Pick<Trigger, 'digest'> = {},
    ): readonly Job[] {
      const open = { TETHER_ADDRESS: world.service.url };
      const token = { TETHER_TOKEN: 'acme-example-token' };
      const guarded = hides && event === 'pull_request' ? {} : secrets;
      return read(text, {
        event,
        ...by,
        variables: who === 'fork' ? open : { ...open, ...token, ...guarded },
      });
    }

    async function runAll(event: Trigger['event'], who?: 'fork' | 'team'): Promise<readonly JobResult[]> {
      const results: JobResult[] = [];
      for (const job of jobs(event, who)) results.push(await world.run(job));
      for (const { output } of results) assert.doesNotMatch(output, /canary/u);
      return results;
    }

    const all = (results: readonly JobResult[]): string => results.map(({ output }) => output).join('');
    const succeed = (results: readonly JobResult[]): string => {
      assert.ok(results.length > 0, 'no job was started');
      assert.ok(
        results.every(({ ok }) => ok),
        all(results),
      );
      return all(results);
    };

    it('reviews, applies, records and watches; the second time there is nothing to do', async () => {
      assert.match(succeed(await runAll('pull_request', 'fork')), /./u);
      assert.equal(world.service.requests().length, 0, 'a fork sends nothing');
      assert.match(succeed(await runAll('pull_request')), /Plan: 76 to create/u);
      assert.ok(world.service.requests().every(({ method }) => method === 'GET'));

      succeed(await runAll('push'));
      const { oauthClients, runTriggers } = world.service.snapshot();
      assert.equal(oauthClients.length, 4);
      assert.equal(oauthClients.flatMap(({ projectIds }) => projectIds).length, 12);
      assert.equal(runTriggers.length, 60);
      const recorded = world.heads();
      assert.deepEqual(world.ledgerFiles(), ['tether.ledger.json', 'tether.ledger.json.run']);
      const [drift] = await runAll('schedule');
      assert.ok(drift?.ok, drift?.output);
      assert.deepEqual(drift.kept, ['drift.json']);

      world.service.clearRequests();
      assert.match(succeed(await runAll('pull_request')), /Nothing to do/u);
      succeed(await runAll('push'));
      succeed(await runAll('schedule'));
      assert.ok(world.service.requests().every(({ method }) => method === 'GET'));
      assert.equal(world.heads(), recorded, 'nothing to record');
      assert.doesNotMatch(world.history(), /canary/u);
    });

    it('is red and still records what was done when a step of apply fails; the next run does the rest', async () => {
      world.service.fault({
        how: 'status',
        status: 422,
        method: 'POST',
        route: '/workspaces/:workspace_id/run-triggers',
        nth: 7,
      });
      const [failed] = await runAll('push');
      assert.equal(failed?.ok, false);
      assert.equal(world.service.snapshot().runTriggers.length, 59);
      assert.ok(world.ledgerFiles().includes('tether.ledger.json'));
      const before = world.service.snapshot().runTriggers.map(({ id }) => id);

      world.service.clearFaults();
      world.service.clearRequests();
      succeed(await runAll('push'));
      assert.equal(world.service.requests().filter(({ method }) => method !== 'GET').length, 1);
      const after = world.service.snapshot().runTriggers.map(({ id }) => id);
      assert.equal(after.length, 60);
      assert.deepEqual(
        before.filter((id) => !after.includes(id)),
        [],
      );
    });

    it('is red when the plan of a pull request fails', async () => {
      world.service.fault({ how: 'status', status: 401, method: 'GET' });
      const [failed] = (await runAll('pull_request')).filter(({ ok }) => !ok);
      assert.match(failed?.output ?? '', /401/u);
    });

    it('applies by hand only the plan whose digest was typed in', async () => {
      const [, digest = ''] = /^Digest: (\S+)$/mu.exec(succeed(await runAll('pull_request'))) ?? [];
      const [other] = jobs('workflow_dispatch', 'team', { digest: '0123456789abcdef' });
      const [typed] = jobs('workflow_dispatch', 'team', { digest });
      assert.ok(other && typed);
      world.service.clearRequests();
      const refused = await world.run(other);
      assert.equal(refused.ok, false);
      assert.match(refused.output, /stale plan/u);
      assert.ok(world.service.requests().every(({ method }) => method === 'GET'));
      succeed([await world.run(typed)]);
      assert.equal(world.service.snapshot().runTriggers.length, 60);
      assert.match(succeed(await runAll('workflow_dispatch')), /Nothing to do/u);
    });

    it('turns red on drift and keeps the report', async () => {
      succeed(await runAll('push'));
      world.service.patchSeed({ tokens: { somebody: { acme: 'owner' } } });
      const [client] = world.service.snapshot().oauthClients;
      const answer = await fetch(`${world.service.url}/oauth-clients/${client?.id ?? ''}`, {
        method: 'PATCH',
        headers: { authorization: 'Bearer somebody', 'content-type': 'application/vnd.api+json' },
        body: JSON.stringify({ data: { type: 'oauth-clients', attributes: { name: 'Renamed by hand' } } }),
      });
      assert.equal(answer.status, 200);
      const [drift] = await runAll('schedule');
      assert.equal(drift?.ok, false);
      assert.equal(drift.steps.at(-1)?.code, 2);
      assert.match(drift.output, /Renamed by hand/u);
      assert.deepEqual(drift.kept, ['drift.json']);
      succeed(await runAll('push'));
      succeed(await runAll('schedule'));
    });

    it('gives no secret of the manifests to a pull request, and lets nothing take the place of an apply that waits', () => {
      for (const job of jobs('pull_request')) {
        const given = [job.env, ...job.steps.map(({ env }) => env)].flatMap((env) => Object.values(env));
        assert.deepEqual(
          given.filter((value) => value.startsWith('canary')),
          [],
        );
      }
      for (const event of ['push', 'schedule'] as const) {
        const [job, ...more] = jobs(event);
        assert.deepEqual(more, []);
        assert.equal(job?.group, event === 'push' || queues ? 'tether-acme' : null);
        assert.equal(job?.checksOutBranch, true);
      }
    });

    it('keeps what could not be pushed, and takes over the lock that a job of its group left', async () => {
      const [job] = jobs('push');
      assert.ok(job);
      // Its lock is the first commit of the branch; its end is refused.
      world.refusePushes('while read old new ref; do expr "$old" : "0*$" >/dev/null || exit 1; done');
      const failed = await world.run(job);
      assert.equal(failed.ok, false);
      assert.match(failed.output, /may not be on the branch/u);
      assert.ok(failed.kept.length > 0, 'an artifact');
      world.refusePushes('exit 0');
      const [next] = await runAll('push');
      assert.match(next?.output ?? '', /Took over the lock of a run that did not end/u);
    });
  });
}
