/** Creates of clients that the service carried out and refused all the same: the ledger that began them goes on with them. */
import assert from 'node:assert/strict';
import type { Api } from '../../../client/api';
import { Invalid, NotFound } from '../../../client/errors';
import type { ApplyEvent } from '../../../reconciler/apply/apply';
import { acmeSeed } from '../../support/acme';
import { ApplyWorld, stepIds } from '../../support/apply-world';
import { HandClock } from '../../support/hand-clock';

const head = 'apiVersion: tether/v1\norganization: acme\n';
const github = `oauthClients:
  github:
    name: GitHub
    serviceProvider: provider_a
    httpUrl: https://git.example.com
    apiUrl: https://git.example.com/api/v3
    oauthTokenString: { fromEnv: GIT_TOKEN }
`;
const context = { method: 'POST', route: '/create', status: 422, attempts: 1, details: [] };

describe('a create that was carried out and refused', () => {
  let world: ApplyWorld;
  let clock: HandClock;
  async function start(behaviours: Readonly<Record<string, string>> = {}): Promise<void> {
    clock = new HandClock();
    world = await ApplyWorld.start(acmeSeed(), { behaviours, clock });
    world.manifest = head + github;
  }
  afterEach(() => world.close());

  const names = () => world.service.snapshot().oauthClients.map(({ name }) => name);
  const book = () => world.ledger;

  /** The next create of a client is done and answered like this; `blind`: nobody can look afterwards. */
  function lying(error: Error, { blind = false } = {}): Api {
    let refused = false;
    const { create, list } = world.api.oauthClients;
    return {
      ...world.api,
      oauthClients: {
        ...world.api.oauthClients,
        create: async (...given) => {
          const made = await create(...given);
          if (refused) return made;
          refused = true;
          throw error;
        },
        list: async (organization) => {
          if (refused && blind) throw new NotFound('list: not found', 'rejected', context);
          return list(organization);
        },
      },
    };
  }

  async function refusedOnce(
    error: Error = new Invalid('create: malformed', 'rejected', context),
    more = {},
  ) {
    const { plan } = await world.plan();
    return world.applyPlan(plan, { api: lying(error, more) });
  }

  for (const Refusal of [NotFound, Invalid]) {
    it(`is gone on with by the next apply (${Refusal.name})`, async () => {
      await start();
      const { steps } = await refusedOnce(new Refusal('create: refused', 'rejected', context));
      assert.deepEqual(
        steps.map(({ status }) => status),
        ['failed'],
      );
      assert.match(steps[0]?.message ?? '', /refused\. Yet oc-\w+ was made.*run again to finish it/);
      const [left] = world.service.snapshot().oauthClients;
      const { plan } = await world.apply();
      assert.deepEqual(stepIds(plan), ['update OAuthClient/github']);
      assert.deepEqual(
        world.service.snapshot().oauthClients.map(({ id, name }) => [id, name]),
        [[left?.id, 'GitHub']],
      );
    });
  }

  it('is gone on with where nobody could look for it', async () => {
    await start();
    const { steps } = await refusedOnce(undefined, { blind: true });
    assert.equal(steps[0]?.message, 'create: malformed');
    assert.deepEqual(Object.keys(book().pending), ['OAuthClient/github']);
    await world.apply();
    assert.deepEqual(names(), ['GitHub']);
  });

  it('goes with its entry where nobody could look for it', async () => {
    await start();
    await refusedOnce(undefined, { blind: true });
    world.manifest = `${head}runTriggers: []\n`;
    await world.apply();
    assert.deepEqual(names(), []);
  });

  it('goes only with approval where workspaces use it by then', async () => {
    const profile = 'hcp-terraform';
    world = await ApplyWorld.start(acmeSeed(), { profile });
    world.profile = profile;
    world.manifest = head + github.replace('provider_a', 'github');
    await refusedOnce(undefined, { blind: true });
    const [left] = world.service.snapshot().oauthClients;
    const id = left?.id ?? '';
    const use = (oauthClient: string | null) =>
      world.service.patchSeed({ organizations: { acme: { workspaces: { 'ws-app': { oauthClient } } } } });
    use(id);
    world.manifest = `${head}runTriggers: []\n`;
    const { plan } = await world.plan();
    const line = `{ destroy: OAuthClient/${id}, id: ${id} }`;
    assert.deepEqual(
      plan.blockers.map((one) => [one.code, one.line]),
      [['approval', `- ${line}`]],
    );
    assert.deepEqual(
      plan.steps.map((one) => [one.action, one.risks]),
      [['cleanup', ['1 workspace (ws-app) loses its VCS link and must be reconnected by hand']]],
    );
    await assert.rejects(world.applyPlan(plan), /approval/);
    assert.deepEqual(names(), [left?.name]);
    use(null);
    assert.deepEqual((await world.plan()).plan.blockers, []);
    use(id);
    world.manifest += `approved: [${line}]\n`;
    await world.apply();
    assert.deepEqual([names(), book().pending], [[], {}]);
  });

  it('stays when it is made anew with other values and workspaces use it by then, and the next plan asks', async () => {
    const profile = 'hcp-terraform';
    world = await ApplyWorld.start(acmeSeed(), { profile });
    world.profile = profile;
    world.manifest = head + github.replace('provider_a', 'github');
    await refusedOnce(undefined, { blind: true });
    const id = world.service.snapshot().oauthClients[0]?.id ?? '';
    world.service.patchSeed({ organizations: { acme: { workspaces: { 'ws-app': { oauthClient: id } } } } });
    world.manifest = world.manifest.replace(/httpUrl: .*/, 'httpUrl: https://other.example.com');
    const notes: string[] = [];
    const { plan } = await world.plan();
    const onEvent = (event: ApplyEvent) => notes.push(event.type === 'note' ? event.text : '');
    const { counts } = await world.applyPlan(plan, { onEvent });
    assert.equal(counts.done, 1);
    assert.ok(notes.join().includes(`workspaces use ${id}`), notes.join());
    const left = world.service.snapshot().oauthClients.map((one) => one.id);
    assert.deepEqual([left.length, left.includes(id)], [2, true]);
    const { blockers, steps } = (await world.plan()).plan;
    assert.deepEqual(
      [stepIds({ ...plan, steps }), blockers.map(({ code }) => code)],
      [[`cleanup ${id}`], ['approval']],
    );
  });

  it('is cleaned up when a list shows it only later, and made anew', async () => {
    await start({ 'create-hidden-ms': '3600000' });
    const { steps } = await refusedOnce();
    assert.equal(steps[0]?.message, 'create: malformed');
    const [left] = world.service.snapshot().oauthClients;
    // Nothing is unfinished as far as anybody can see, but the name under which something may appear is remembered.
    assert.deepEqual(Object.keys(book().pending), []);
    assert.deepEqual(
      book().tombstones.map(({ nonce }) => nonce),
      [left?.name],
    );
    clock.pass(3_600_000);
    const { plan } = await world.apply();
    assert.deepEqual(stepIds(plan), [`cleanup ${left?.id}`, 'create OAuthClient/github']);
    assert.deepEqual(names(), ['GitHub']);
  });
});

describe('a create that is kept with other values', () => {
  it('is recorded, and its step fails with both; the next plan shows what is to be done', async () => {
    const world = await ApplyWorld.start(acmeSeed());
    try {
      world.manifest = head + github;
      const { create } = world.api.oauthClients;
      const api: Api = {
        ...world.api,
        oauthClients: {
          ...world.api.oauthClients,
          create: (organization, body) =>
            create(organization, { ...body, httpUrl: 'https://other.example.com' }),
        },
      };
      const { steps } = await world.applyPlan((await world.plan()).plan, { api });
      assert.equal(steps[0]?.status, 'failed');
      assert.match(
        steps[0]?.message ?? '',
        /httpUrl was sent as "https:\/\/git\.example\.com" and is "https:\/\/other/,
      );
      const [made] = world.service.snapshot().oauthClients;
      assert.deepEqual([world.objects()['OAuthClient/github']?.id, made?.name], [made?.id, 'GitHub']);
      const { plan } = await world.plan();
      assert.deepEqual(
        plan.blockers.map(({ code }) => code),
        ['approval'],
      );
    } finally {
      await world.close();
    }
  });
});

describe('a create that was refused for good', () => {
  it('is over: the next plan says that it is new, and the ledger has nothing unfinished', async () => {
    const world = await ApplyWorld.start(acmeSeed());
    try {
      world.manifest = head + github.replace('    oauth', '    agentPool: apool-none\n    oauth');
      const { plan } = await world.plan();
      const { steps } = await world.applyPlan(plan);
      assert.deepEqual(
        steps.map(({ status, refused }) => [status, refused]),
        [['failed', true]],
      );
      assert.deepEqual(world.ledger.pending, {});
      world.manifest = head + github;
      const again = await world.apply();
      assert.deepEqual(
        again.plan.steps.map(({ id, reason }) => [id, reason]),
        [['create OAuthClient/github', 'new']],
      );
    } finally {
      await world.close();
    }
  });
});
