/** What the pipelines of examples/gitops must do, whichever system runs them: their steps, as written, against the service. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ForgeServer } from './forge-server';
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
  forgeOf(world: PipelineWorld): ForgeServer;
  /** Variables of the project for the forge. */
  readonly variables: Readonly<Record<string, string>>;
  /** The system itself keeps protected variables from pull requests; else the workflow must name none. */
  readonly hides: boolean;
  /** Jobs of a group wait for each other; else the newest that waits takes the place of the others. */
  readonly queues: boolean;
}

/** Declares the tests of one system; a file per system, so that they run beside each other. */
export function describePipelines(system: PipelineSystem): void {
  const { name, file, read, hides, queues } = system;
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
        variables: who === 'fork' ? open : { ...open, ...token, ...guarded, ...system.variables },
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

    /** A change made outside Tether. */
    async function somebody(method: string, path: string, data: object): Promise<void> {
      world.service.patchSeed({ tokens: { somebody: { acme: 'owner' } } });
      const headers = { authorization: 'Bearer somebody', 'content-type': 'application/vnd.api+json' };
      const answer = await fetch(`${world.service.url}${path}`, {
        method,
        headers,
        body: JSON.stringify({ data }),
      });
      assert.ok(answer.ok, await answer.text());
    }
    /** The bodies of all comments, and of the open issues. */
    const shown = (): readonly string[] => system.forgeOf(world).comments.map(({ body }) => body);
    const openIssues = (): readonly string[] =>
      system.forgeOf(world).issues.flatMap(({ open, body }) => (open ? [body] : []));
    const review = async (): Promise<string> => succeed(await runAll('pull_request'));

    it('reviews, applies, records and watches; the second time there is nothing to do', async () => {
      assert.match(succeed(await runAll('pull_request', 'fork')), /./u);
      assert.equal(world.service.requests().length, 0, 'a fork sends nothing');
      assert.equal(system.forgeOf(world).requests.length, 0, 'and tells the forge nothing');
      assert.match(await review(), /Plan: 76 to create/u);
      const [comment = ''] = shown();
      assert.match(comment, /^<!-- tether-plan folder=\. -->\n### Plan: 76 to create\n/u);
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
      assert.ok([...drift.kept.keys()].some((file) => file.endsWith('/report.json')));
      assert.deepEqual(openIssues(), []);

      world.service.clearRequests();
      assert.match(await review(), /No changes/u);
      assert.deepEqual(
        shown().map((body) => /No changes/u.test(body)),
        [true],
        'the same comment, brought up to date',
      );
      succeed(await runAll('push'));
      succeed(await runAll('schedule'));
      assert.ok(world.service.requests().every(({ method }) => method === 'GET'));
      assert.equal(world.heads(), recorded, 'nothing to record');
      assert.doesNotMatch(world.history(), /canary/u);
    });

    it('is red and still records what was done when a step of apply fails; a run by hand does the rest', async () => {
      world.keepFew();
      await review();
      world.service.fault({
        how: 'status',
        status: 422,
        method: 'POST',
        route: '/workspaces/:workspace_id/run-triggers',
        nth: 3,
      });
      const [failed] = await runAll('push');
      assert.equal(failed?.ok, false);
      assert.equal(world.service.snapshot().runTriggers.length, 4);
      assert.ok(world.ledgerFiles().includes('tether.ledger.json'));
      const before = world.service.snapshot().runTriggers.map(({ id }) => id);

      world.service.clearFaults();
      world.service.clearRequests();
      const [again] = await runAll('push');
      assert.match(again?.output ?? '', /stale plan/u, 'what is left is not what was reviewed');
      succeed(await runAll('workflow_dispatch'));
      assert.equal(world.service.requests().filter(({ method }) => method !== 'GET').length, 1);
      const after = world.service.snapshot().runTriggers.map(({ id }) => id);
      assert.equal(after.length, 5);
      assert.deepEqual(
        before.filter((id) => !after.includes(id)),
        [],
      );
    });

    it('is red when the plan of a pull request fails', async () => {
      world.keepFew();
      world.service.fault({ how: 'status', status: 401, method: 'GET' });
      const [failed] = (await runAll('pull_request')).filter(({ ok }) => !ok);
      assert.match(failed?.output ?? '', /401/u);
      assert.match(shown()[0] ?? '', /### Tether plan failed\n[\s\S]*401/u);
      world.service.clearFaults();
      const [merged] = await runAll('push');
      assert.equal(merged?.ok, false);
      assert.match(merged.output, /No reviewed plan was found.*the last plan of .*7 was not complete/u);
    });

    it('applies nothing on a merge whose request had no plan, or after which something else changed', async () => {
      world.keepFew();
      const [early] = await runAll('push');
      assert.match(early?.output ?? '', /No reviewed plan was found, so nothing is applied/u);
      assert.equal(world.service.requests().length, 0);
      await review();
      await somebody('POST', '/workspaces/ws-1uqvDfnE5yBqhv1r/run-triggers', {
        type: 'run-triggers',
        relationships: { sourceable: { data: { id: 'ws-FapZVd3JMWGbgAx5', type: 'workspaces' } } },
      });
      const [late] = await runAll('push');
      assert.match(late?.output ?? '', /stale plan/u);
      assert.equal(world.service.requests().filter(({ method }) => method !== 'GET').length, 1);
    });

    it('applies by hand only the plan whose digest was typed in', async () => {
      world.keepFew();
      const [, digest = ''] = /^Digest: (\S+)$/mu.exec(await review()) ?? [];
      const [other] = jobs('workflow_dispatch', 'team', { digest: '0123456789abcdef' });
      const [typed] = jobs('workflow_dispatch', 'team', { digest });
      assert.ok(other && typed);
      world.service.clearRequests();
      const refused = await world.run(other);
      assert.equal(refused.ok, false);
      assert.match(refused.output, /stale plan/u);
      assert.ok(world.service.requests().every(({ method }) => method === 'GET'));
      succeed([await world.run(typed)]);
      assert.equal(world.service.snapshot().runTriggers.length, 5);
      assert.match(succeed(await runAll('workflow_dispatch')), /No changes/u);
    });

    it('turns red on drift, keeps one issue about it, and closes it after the apply that repairs it', async () => {
      world.keepFew();
      await review();
      succeed(await runAll('push'));
      const [client] = world.service.snapshot().oauthClients;
      for (const name of ['Renamed by hand', 'Renamed again']) {
        await somebody('PATCH', `/oauth-clients/${client?.id ?? ''}`, {
          type: 'oauth-clients',
          attributes: { name },
        });
        const [drift] = await runAll('schedule');
        assert.equal(drift?.ok, false);
        assert.ok(drift.steps.some(({ code }) => code === 2));
        const [issue = '', ...others] = openIssues();
        assert.deepEqual(others, []);
        assert.match(issue, /^<!-- tether-drift folder=\. -->\n### Drift: 1 changed\n/u);
        assert.ok(issue.includes(name));
      }
      succeed(await runAll('workflow_dispatch'));
      assert.deepEqual(openIssues(), []);
      const [closed] = system.forgeOf(world).issues;
      assert.match(closed?.title ?? '', /^Objects were changed outside Tether$/u);
      assert.match(closed?.body ?? '', /\*\*Closed:\*\* an apply left nothing to do[\s\S]*Renamed again/u);
      succeed(await runAll('schedule'));
    });

    it('gives no secret of the manifests to a pull request, and lets nothing take the place of an apply that waits', () => {
      for (const job of jobs('pull_request')) {
        const state = { ok: true, temp: '', ended: new Map() };
        const given = [job.env, ...job.steps.map(({ env }) => env(state))].flatMap((env) =>
          Object.values(env),
        );
        assert.deepEqual(
          given.filter((value) => value.startsWith('canary')),
          [],
        );
      }
      for (const event of ['push', 'schedule'] as const) {
        const [job, ...more] = jobs(event);
        assert.deepEqual(more, []);
        assert.equal(job?.group, event === 'push' || queues ? 'tether-acme' : null);
      }
      for (const event of ['schedule', 'workflow_dispatch'] as const) {
        assert.equal(jobs(event)[0]?.checksOutBranch, true);
      }
    });

    it('keeps what could not be pushed, and takes over the lock that a job of its group left', async () => {
      world.keepFew();
      await review();
      const [job] = jobs('push');
      assert.ok(job);
      // Its lock is the first commit of the branch; its end is refused.
      world.refusePushes('while read old new ref; do expr "$old" : "0*$" >/dev/null || exit 1; done');
      const failed = await world.run(job);
      assert.equal(failed.ok, false);
      assert.match(failed.output, /may not be on the branch/u);
      assert.ok(
        [...failed.kept.keys()].some((file) => /\/ledger\/.*tether\.ledger\.json/u.test(file)),
        'an artifact',
      );
      world.refusePushes('exit 0');
      const [next] = await runAll('workflow_dispatch');
      assert.match(next?.output ?? '', /Took over the lock of a run that did not end/u);
    });
  });
}
