/** Scenarios 1 to 7: the first plan and the first apply of a folder. */

import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { neededSecrets, PlanBlocked } from '../../../reconciler/apply/apply';
import { readMember } from '../../../reconciler/plan/plan';
import { planSummary } from '../../../reconciler/render/plan';
import { resolveSecrets } from '../../../resources/secrets';
import type { SeedObject } from '../../../service';
import { acmeHead, acmeSeed, clientEntry, seedClient } from '../../support/acme';
import { stepIds, worlds } from '../../support/scenario';

const examples = join(__dirname, '..', '..', '..', '..', 'examples', 'gitops');

const twoEqual = acmeSeed({
  oauthClients: {
    'oc-1': seedClient({ createdAt: '2023-01-01T00:00:00.000Z', projects: ['prj-data'] }),
    'oc-2': seedClient({ createdAt: '2023-02-01T00:00:00.000Z' }),
  },
});
const declared = (fields = {}) => `${acmeHead}oauthClients:\n${clientEntry('github', fields)}`;

describe('the first day', () => {
  const open = worlds();

  it('1: an empty organization gets everything in order, each client by one POST, and then nothing is left', async () => {
    const seed = parse(readFileSync(join(examples, 'seed.yaml'), 'utf8')) as SeedObject;
    const [token = ''] = Object.keys(seed.tokens ?? {});
    const world = await open({ seed, token, env: { GITHUB_TOKEN: 'canary-1', GITLAB_TOKEN: 'canary-2' } });
    cpSync(examples, world.folder, { recursive: true });
    const { plan } = await world.plan();
    assert.deepEqual([...new Set(plan.steps.map(({ action }) => action))], ['adopt', 'create']);
    assert.deepEqual(plan.problems.concat(plan.unknown as never[]), []);
    const place = new Map(plan.steps.map(({ id }, index) => [id, index]));
    for (const { id, needs } of plan.steps)
      for (const need of needs)
        assert.ok(Number(place.get(need)) < Number(place.get(id)), `${need} before ${id}`);
    const { manifests } = await world.plan();
    for (const { source } of neededSecrets(plan))
      if ('fromEnv' in source) world.env[source.fromEnv] = `canary-${source.fromEnv}`;
    await world.settle();
    const posts = world.service
      .requests()
      .filter(({ method, route }) => method === 'POST' && route?.endsWith('/oauth-clients'));
    assert.equal(posts.length, manifests.entries.filter(({ kind }) => kind === 'OAuthClient').length);
    assert.doesNotMatch(world.read('tether.ledger.json'), /canary/);
    assert.equal(Object.keys((await world.ledger()).objects).length, manifests.entries.length);
  });

  it('2: two clients like the wanted one stop its address alone, with both ids and both ways out', async () => {
    const world = await open({ seed: twoEqual });
    world.write(`${declared()}runTriggers:\n  - { target: app, source: network }\n`);
    const { plan } = await world.plan();
    assert.deepEqual(stepIds(plan), ['create RunTrigger/app/network']);
    const [problem] = plan.problems;
    assert.equal(problem?.rule, 'possible-match');
    assert.match(
      problem?.message ?? '',
      /oc-1, created 2023-01-01.*, not connected, .*oc-2, created 2023-02-01/,
    );
    assert.match(problem?.message ?? '', /`id:`.*`allowDuplicate: \[oc-1, oc-2\]`/);
    assert.equal(problem?.line, 'id: oc-1 # or oc-2');

    world.write(declared({ allowDuplicate: '[oc-1]' }));
    assert.deepEqual(
      (await world.plan()).plan.problems.map(({ rule }) => rule),
      ['possible-match'],
    );
    world.write(declared({ allowDuplicate: '[oc-1, oc-2]' }));
    await world.settle();
    assert.equal(world.service.snapshot().oauthClients.length, 3);
    // One apply gives the name of one client to another.
    const names = await open({ seed: acmeSeed({ oauthClients: { 'oc-1': seedClient() } }) });
    names.write(declared({ id: 'oc-1', name: 'Renamed' }) + clientEntry('second'));
    await names.settle();
  });

  it('3: an `id:` line adopts one of them, and differences are written in place', async () => {
    const world = await open({ seed: twoEqual });
    world.write(declared({ id: 'oc-2', key: 'new-key', secret: '{ fromEnv: GIT_SECRET }' }));
    const { plan } = await world.settle();
    assert.deepEqual(stepIds(plan), ['adopt OAuthClient/github']);
    const changes = plan.steps.flatMap((step) => readMember(step, 'changes') ?? []);
    assert.deepEqual(
      changes.map(({ field, secret }) => [field, secret]),
      [
        ['key', undefined],
        ['secret', 'unknown'],
      ],
    );
    assert.equal(planSummary(plan), 'Plan: 1 to update. 0 unchanged.');
    // The token cannot be changed in place here, so it is taken for the one that is there.
    assert.match(plan.notes[0]?.message ?? '', /oauthTokenString cannot be changed in place/);
    assert.deepEqual(world.writes(), ['PATCH /oauth-clients/:id']);
    const client = world.service.snapshot().oauthClients.find(({ id }) => id === 'oc-2');
    assert.equal(client?.key, 'new-key');
    assert.notEqual(client?.secretDigest, null);
    // Tether does not know the secret of another client that takes the place of a missing one.
    await world.api().oauthClients.delete('oc-2');
    world.write(declared({ id: 'oc-1', key: 'new-key', secret: '{ fromEnv: GIT_SECRET }' }));
    await world.settle();
    world.env.GIT_SECRET = 'another value';
    assert.deepEqual(
      (await world.plan()).plan.steps.map(({ reason }) => reason),
      ['secret-changed'],
    );
  });

  it('3: under a profile whose PATCH takes the token, the token of an adopted client is written too', async () => {
    const hcp = { serviceProvider: 'github' };
    const world = await open({
      profile: 'hcp-terraform',
      seed: acmeSeed({ oauthClients: { 'oc-1': seedClient({ ...hcp, oauthTokens: ['ot-1'] }) } }),
    });
    world.write(`profile: hcp-terraform\n${declared({ ...hcp, id: 'oc-1' })}`);
    const { plan } = await world.settle();
    assert.deepEqual(plan.steps.map((step) => readMember(step, 'changes'))[0], [
      {
        field: 'oauthTokenString',
        secret: 'unknown',
        risk: 'a changed token can break the connection of workspaces that use this client',
      },
    ]);
    assert.deepEqual(world.writes(), ['PATCH /oauth-clients/:id']);
    const [client] = world.service.snapshot().oauthClients;
    assert.deepEqual(
      client?.oauthTokens.map(({ id }) => id),
      ['ot-1'],
    );
  });

  it('4: one that cannot be adopted as it is, is an error at that line and never a replacement', async () => {
    const world = await open({ seed: twoEqual });
    world.write(declared({ id: 'oc-2', httpUrl: 'https://other.example.com' }));
    const { plan } = await world.plan();
    assert.deepEqual(plan.steps, []);
    const [problem] = plan.problems;
    assert.equal(problem?.rule, 'cannot-adopt');
    assert.match(problem?.message ?? '', /`httpUrl` is "https:\/\/git\.example\.com"/);
    const line = world.read('main.tether.yaml').split('\n')[(problem?.at?.line ?? 0) - 1];
    assert.match(line ?? '', /httpUrl/);
  });

  it('5: links that exist and are declared are adopted without a call; others are not mentioned', async () => {
    const world = await open({
      seed: acmeSeed({
        oauthClients: { 'oc-1': seedClient({ projects: ['prj-payments', 'prj-shop'] }) },
        runTriggers: {
          'rt-1': { workspace: 'ws-app', sourceable: 'ws-network' },
          'rt-2': { workspace: 'ws-app', sourceable: 'ws-dns' },
        },
      }),
    });
    world.write(
      `${acmeHead}projectAttachments:\n  - { oauthClient: oc-1, project: payments }\nrunTriggers:\n  - { target: app, source: network }\n`,
    );
    const { plan } = await world.settle();
    assert.deepEqual(stepIds(plan), [
      'adopt ProjectAttachment/oc-1/payments',
      'adopt RunTrigger/app/network',
    ]);
    assert.doesNotMatch(JSON.stringify(plan), /rt-2|prj-shop/);
    assert.deepEqual(world.writes(), []);
  });

  it('6: an exact set deletes the unmanaged ones, marked, and counted as losses', async () => {
    const triggers = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [
          `rt-${index}`,
          { workspace: 'ws-app', sourceable: `ws-${index}` },
        ]),
      );
    const workspaces = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`ws-${index}`, {}]));
    const seed = (count: number) =>
      acmeSeed({
        workspaces: { 'ws-app': {}, 'ws-network': {}, ...workspaces },
        runTriggers: triggers(count),
      });
    const set = 'runTriggers:\n  - { target: app, sources: [network] }\n';
    const world = await open({ seed: seed(3) });
    world.write(`${acmeHead}runTriggers:\n  - { target: ws-0, source: ws-1 }\n`, 'first.tether.yaml');
    await world.settle();
    // The ledger has another object, and no link of the new set.
    world.write(acmeHead + set);
    const { plan } = await world.plan();
    const deletes = plan.steps.filter(({ action }) => action === 'delete');
    assert.deepEqual(
      deletes.map((step) => [readMember(step, 'unmanaged'), step.reason]),
      Array(3).fill([true, 'not-in-exact-set']),
    );
    assert.deepEqual(
      plan.blockers.map(({ remedy }) => remedy),
      ['--max-deletes 3'],
    );
    assert.match(plan.blockers[0]?.message ?? '', /the ledger has no link of the sources of app yet/);
    await assert.rejects(world.apply(), PlanBlocked);
    await world.settle({ maxDeletes: 3 });
    // A known set is repaired unasked.
    await world.api().runTriggers.create('ws-app', 'ws-3');
    await world.settle();
    const { notes } = (await world.plan({ maxDeletes: 40 })).plan;
    assert.match(
      notes[0]?.message ?? '',
      /^--max-deletes 40 is above the limit of 5, .* nothing here needs it/,
    );
    const many = await open({ seed: seed(6) });
    many.write(acmeHead + set);
    const [blocker] = (await many.plan()).plan.blockers;
    assert.equal(blocker?.remedy, '--max-deletes 6');
    await many.settle({ maxDeletes: 6 });
    assert.equal(many.service.snapshot().runTriggers.length, 1);
  });

  it('6: the projects of a client that is adopted with a list are a new set, too', async () => {
    const oauthClients = { 'oc-1': seedClient({ projects: ['prj-payments', 'prj-shop'] }) };
    const world = await open({ seed: acmeSeed({ oauthClients }) });
    world.write(declared({ id: 'oc-1', projects: '[payments]' }));
    const { blockers } = (await world.plan()).plan;
    assert.deepEqual(
      blockers.map(({ remedy }) => remedy),
      ['--max-deletes 1'],
    );
    await world.settle({ maxDeletes: 1 });
  });

  it('7: a secret that is not set stops nothing but the apply, which names every missing one', async () => {
    const world = await open();
    world.write(declared({ oauthTokenString: '{ fromEnv: NOT_SET }', secret: '{ fromFile: no-such-file }' }));
    const { plan } = await world.plan();
    assert.deepEqual(stepIds(plan), ['create OAuthClient/github']);
    await world.drift();
    const { failures } = resolveSecrets(neededSecrets(plan), { env: world.env, root: world.folder });
    assert.deepEqual(
      failures.map(({ why }) => why),
      ['environment variable NOT_SET is not set', 'secret file no-such-file does not exist'],
    );
  });
});
