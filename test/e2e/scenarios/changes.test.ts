/** Scenarios 10 to 20, 70, 76, 77 and 81: somebody edits the manifests. */

import assert from 'node:assert/strict';
import { PlanBlocked } from '../../../reconciler/apply/apply';
import { readMember, type Step } from '../../../reconciler/plan/plan';
import {
  acmeClients,
  acmeHead,
  acmeLinks,
  acmeManifest,
  acmeSeed,
  bareHead,
  clientEntry,
  seedClient,
} from '../../support/acme';
import { startFaultyProxy } from '../../support/faulty-proxy';
import { approve, stepIds, worlds } from '../../support/scenario';
import type { World } from '../../support/world';

const clientsWithNewUrl = acmeClients.replace('https://git.example.com\n', 'https://git2.example.com\n');

function risksIn(step: Step | undefined): readonly string[] {
  return (step && readMember(step, 'risks')) ?? [];
}

describe('changes of the manifests', () => {
  const open = worlds();

  async function openSettled(manifest = acmeManifest(), options = {}): Promise<World> {
    const world = await open(options);
    world.write(manifest);
    await world.settle();
    world.writes();
    return world;
  }

  const readId = async (world: World, address = 'OAuthClient/github') =>
    (await world.ledger()).objects[address]?.id ?? '';

  it('10: name, key, secret, agent pool and scope are written in place by one PATCH, with the risky ones marked', async () => {
    const world = await openSettled();
    world.env.GIT_SECRET = 'another';
    world.write(
      acmeManifest({
        clients: acmeClients
          .replace('name: GitLab', 'name: Lab')
          .replace('key: lab-key', 'key: other-key\n    agentPool: lab\n    organizationScoped: false'),
      }),
    );
    const { plan } = await world.settle();
    assert.deepEqual(stepIds(plan), ['update OAuthClient/gitlab']);
    const changes = plan.steps.flatMap((step) => readMember(step, 'changes') ?? []);
    assert.deepEqual(changes.map(({ field }) => field).sort(), [
      'agentPoolId',
      'key',
      'name',
      'organizationScoped',
      'secret',
    ]);
    const risky = changes.flatMap(({ field, risk }) => (risk ? [field] : []));
    assert.deepEqual(risky.sort(), ['key', 'organizationScoped', 'secret']);
    assert.deepEqual(world.writes(), ['PATCH /oauth-clients/:id']);
  });

  it('10: projects are attached and detached beside the PATCH, attached before the scope narrows', async () => {
    const world = await openSettled();
    const all = acmeClients.replace('projects: [data]', 'projects: [shop]\n    organizationScoped: false');
    world.write(acmeManifest({ clients: all }));
    const { plan } = await world.settle();
    const writes = world.writes();
    const update = plan.steps.find(({ action }) => action === 'update');
    assert.deepEqual(update?.needs, ['create ProjectAttachment/gitlab/shop']);
    assert.equal(writes.length, 3);
    const [attach, narrow] = ['POST /oauth-clients/:id/relationships/projects', 'PATCH /oauth-clients/:id'];
    assert.ok(writes.indexOf(attach) < writes.indexOf(narrow), writes.join());
    world.write(
      acmeManifest({
        clients: all.replace(
          'projects: [shop]\n    organizationScoped: false',
          'projects: []\n    organizationScoped: true',
        ),
      }),
    );
    await world.settle();
    assert.deepEqual(world.writes(), [
      'PATCH /oauth-clients/:id',
      'DELETE /oauth-clients/:id/relationships/projects',
    ]);
  });

  it('11 and 12: a changed URL replaces after approval, carries over what no line says, and destroys last', async () => {
    const world = await openSettled();
    const id = await readId(world);
    const somebody = world.api();
    await somebody.oauthClients.update(id, { key: 'set by hand' });
    await somebody.oauthClients.attach(id, ['prj-data']);
    world.write(acmeManifest({ clients: clientsWithNewUrl }));
    const { plan } = await world.plan();
    const replace = plan.steps.find(({ action }) => action === 'replace');
    assert.match(risksIn(replace)[0] ?? '', /every workspace that uses it loses its VCS link/);
    assert.deepEqual(
      plan.blockers.map(({ remedy }) => remedy),
      [`approved: [{ replace: OAuthClient/github, id: ${id} }]`],
    );
    world.writes();
    await assert.rejects(world.apply(), PlanBlocked);
    assert.deepEqual(world.writes(), []);

    approve(world, plan);
    const result = await world.settle();
    assert.deepEqual(world.writes(), [
      'POST /organizations/:organization_name/oauth-clients',
      'DELETE /oauth-clients/:id',
    ]);
    assert.equal(stepIds(result.plan).at(-1), `delete OAuthClient/github (${id})`);
    const now = await readId(world);
    const client = world.service.snapshot().oauthClients.find((client) => client.id === now);
    assert.equal(client?.key, 'set by hand');
    assert.deepEqual([...(client?.projectIds ?? [])].sort(), ['prj-data', 'prj-payments', 'prj-shop']);
    const { objects } = await world.ledger();
    assert.deepEqual(
      Object.keys(objects).filter((key) => key.includes(now)),
      [`ProjectAttachment/${now}/prj-payments`, `ProjectAttachment/${now}/prj-shop`],
    );
    assert.doesNotMatch(JSON.stringify(objects), new RegExp(id));
    assert.deepEqual((await world.plan()).plan.notes, []);

    const withKey = clientsWithNewUrl.replace('git2', 'git3').replace('agentPool: dmz', '$&\n    key: k2');
    world.write(acmeManifest({ clients: withKey }));
    const again = await world.plan();
    assert.match(risksIn(again.plan.steps[0]).join(), /a changed key can break/);
    assert.match(again.plan.blockers[0]?.remedy ?? '', new RegExp(now));
  });

  const atUrl = (host: string) => ({ httpUrl: `https://${host}.example.com`, oauthTokenString: null });
  const kept = clientEntry('hub', atUrl('git'));
  const movedTo = (host: string, more = {}) => clientEntry('github', { ...atUrl(host), ...more });
  for (const [what, before, entries] of [
    ['a new entry', movedTo('git'), () => movedTo('new') + kept],
    [
      'a new entry, and the other has an `id:` line',
      movedTo('git'),
      (id: string) => movedTo('new', { id }) + kept,
    ],
    [
      'an entry that must be replaced too',
      movedTo('git') + clientEntry('hub', atUrl('second')),
      () => movedTo('new') + kept,
    ],
  ] as const) {
    it(`12: a replaced client that ${what} describes is never deleted before that is settled`, async () => {
      const world = await openSettled(`${acmeHead}oauthClients:\n${before}`);
      const id = await readId(world);
      const approved = `approved: [{ replace: OAuthClient/github, id: ${id} }]\n`;
      const declared = `${acmeHead}oauthClients:\n${entries(id)}${approved}`;
      world.write(declared);
      for (const steps of [['replace OAuthClient/github'], []]) {
        const { plan } = await world.apply();
        assert.deepEqual(stepIds(plan), steps);
        assert.match(
          plan.unknown[0]?.message ?? '',
          new RegExp(
            `^${id}, the predecessor of OAuthClient/github, .* OAuthClient/hub would be created beside it`,
          ),
        );
        assert.match(plan.problems[0]?.message ?? '', new RegExp(`to keep it, add .*${id}\\]\` and apply`));
      }
      assert.deepEqual(world.writes(), ['POST /organizations/:organization_name/oauth-clients']);

      // Each of the two ways out that the problem names ends it.
      world.write(`${declared}forget: [OAuthClient/${id}]\n`);
      await world.apply();
      assert.doesNotMatch(JSON.stringify((await world.ledger()).objects), new RegExp(id));
      const withoutId = declared.replace(`    id: ${id}\n`, '');
      world.write(withoutId.replace('  hub:\n', `  hub:\n    allowDuplicate: [${id}]\n`));
      approve(world, (await world.plan()).plan);
      await world.settle();
      const clients = world.service.snapshot().oauthClients.map((client) => client.id);
      assert.equal(clients.length, 3);
      assert.ok(clients.includes(id));
    });
  }

  it('12: a forget line with the id of a client that is replaced keeps it, and its attachments', async () => {
    const world = await openSettled();
    const id = await readId(world);
    const lines = `forget: [OAuthClient/${id}]\n`;
    world.write(acmeManifest({ clients: clientsWithNewUrl, rest: lines }));
    const asked = await world.plan();
    assert.deepEqual(
      asked.plan.blockers.map(({ message }) => message),
      [`Replacing OAuthClient/github (${id}) needs an approval.`],
    );
    approve(world, asked.plan);
    const { plan } = await world.settle();
    assert.deepEqual(plan.notes, []);
    assert.deepEqual(risksIn(plan.steps.find(({ action }) => action === 'replace')), []);
    assert.deepEqual(world.writes(), ['POST /organizations/:organization_name/oauth-clients']);
    const old = world.service.snapshot().oauthClients.find((client) => client.id === id);
    assert.deepEqual([...(old?.projectIds ?? [])].sort(), ['prj-payments', 'prj-shop']);
    assert.doesNotMatch(JSON.stringify((await world.ledger()).objects), new RegExp(id));
  });

  it('12: where the service tells which workspaces use a client, the plan names them', async () => {
    const profile = 'hcp-terraform';
    const head = `profile: ${profile}\n${acmeHead}`;
    const client = clientEntry('github', { serviceProvider: 'github' });
    const world = await openSettled(`${head}oauthClients:\n${client}`, { profile });
    const workspaces = { 'ws-app': { oauthClient: await readId(world) } };
    world.write(head);
    const { digest } = await world.plan();
    world.service.patchSeed({ organizations: { acme: { workspaces } } });
    const used = await world.plan();
    assert.notEqual(used.digest, digest);
    assert.match(used.plan.blockers[0]?.message ?? '', /1 workspace \(ws-app\) loses its VCS link/);
  });

  it('13: a client whose entry is removed is destroyed after approval, with its attachments', async () => {
    const world = await openSettled();
    const id = await readId(world);
    const clients = `oauthClients:\n${acmeClients.slice(acmeClients.indexOf('  gitlab'))}`;
    const links = acmeLinks.slice(acmeLinks.indexOf('runTriggers'));
    world.write(acmeManifest({ clients, links }));
    const { plan } = await world.plan();
    assert.deepEqual(stepIds(plan), ['delete OAuthClient/github']);
    assert.equal(risksIn(plan.steps[0])[1], 'payments, shop can no longer use it');
    const rest = 'forget: [ProjectAttachment/github/shop]\n';
    world.write(acmeManifest({ clients, links, rest }));
    assert.equal(
      risksIn((await world.plan()).plan.steps[0])[1],
      'payments, shop can no longer use it, whatever a `forget` line says of their attachments',
    );
    world.write(acmeManifest({ clients, links }));
    await assert.rejects(world.apply(), PlanBlocked);
    approve(world, plan);
    await world.settle();
    assert.deepEqual(world.writes(), ['DELETE /oauth-clients/:id']);
    assert.doesNotMatch(JSON.stringify(await world.ledger()), new RegExp(id));
  });

  it('14: a rename with another change says the `id:` line before it asks for the approval of a destroy', async () => {
    const github = `oauthClients:\n${clientEntry('github')}`;
    const world = await openSettled(acmeHead + github);
    const id = await readId(world);
    const planNotes = async (text: string) => {
      world.write(acmeHead + text);
      const { notes, blockers } = (await world.plan()).plan;
      assert.equal(blockers[0]?.rule, 'approval');
      return notes.map(({ address, message }) => `${address}: ${message}`).join('\n');
    };
    const renamed = github.replace('github:', 'hub:');
    const first = new RegExp(
      `^OAuthClient/hub: If this is OAuthClient/github under a new address, add \`id: ${id}\` to`,
    );
    assert.match(await planNotes(renamed.replace('name: GitHub', 'name: Hub')), first);
    assert.match(await planNotes(renamed.replaceAll('git.example', 'hub.example')), first);
    const other = renamed.replace('name: GitHub', 'name: Hub');
    assert.equal(await planNotes(other.replaceAll('git.example', 'hub.example')), '');
    assert.equal(await planNotes(other.replace('_a', '_b_hosted')), '');
    // A plan that only creates the new one says so too.
    world.write(`${acmeHead}${other}${clientEntry('more', { serviceProvider: 'provider_c_server' })}`);
    const { plan: held } = await world.plan();
    assert.deepEqual([stepIds(held), held.notes.length], [['create OAuthClient/hub'], 1]);
    world.write(acmeHead + other.replace('hub:\n', `hub:\n    id: ${id}\n`));
    const { plan } = await world.settle();
    assert.deepEqual(stepIds(plan), ['move OAuthClient/hub', 'update OAuthClient/hub']);
    assert.equal(await readId(world, 'OAuthClient/hub'), id);
  });

  it('12: an approval that is not the one that the plan needs is a note with the line that it needs', async () => {
    const world = await openSettled(`${acmeHead}oauthClients:\n${clientEntry('github')}`);
    const id = await readId(world);
    for (const line of [
      `destroy: OAuthClient/GitHub, id: ${id}`,
      'destroy: OAuthClient/github, id: oc-other',
      `replace: OAuthClient/github, id: ${id}`,
    ]) {
      world.write(`${acmeHead}approved: [{ ${line} }]\n`);
      const { notes, blockers } = (await world.plan()).plan;
      assert.match(
        notes[0]?.message ?? '',
        new RegExp(
          `^The line \\{ ${line} \\} does not approve .*: \\{ destroy: OAuthClient/github, id: ${id} \\}\\.$`,
        ),
      );
      assert.deepEqual([notes.length, blockers.length], [1, 1]);
    }
  });

  it('15: a removed line deletes its trigger; another trigger of the pair is reported as still triggering', async () => {
    const world = await openSettled(acmeManifest(), { behaviours: { 'duplicate-trigger': 'accept' } });
    const other = await world.api().runTriggers.create('ws-docs', 'ws-app');
    world.write(acmeManifest({ links: acmeLinks.replace('  - { target: docs, source: app }\n', '') }));
    const { plan } = await world.settle();
    assert.deepEqual(stepIds(plan), ['delete RunTrigger/docs/app']);
    assert.match(plan.notes[0]?.message ?? '', new RegExp(`${other.id}.*still triggers`));
    assert.ok(world.service.snapshot().runTriggers.some(({ id }) => id === other.id));
  });

  it('15: a `forget` line keeps a trigger from an exact set that does not list it', async () => {
    const world = await openSettled();
    const other = await world.somebody.runTriggers.create('ws-app', 'ws-jobs');
    const ids = () => world.service.snapshot().runTriggers.map(({ id }) => id);
    world.write(acmeManifest({ rest: 'forget: [RunTrigger/app/jobs]\n' }));
    const { plan } = await world.settle();
    assert.match(plan.notes[0]?.message ?? '', /keeps it, although an exact set does not list it\.$/);
    assert.ok(ids().includes(other.id));
    world.write(acmeManifest());
    await world.settle();
    assert.ok(!ids().includes(other.id));
  });

  it('16: a secret is written when its value changed, and only then', async () => {
    const world = await openSettled();
    world.write(
      acmeManifest({ clients: acmeClients.replace('{ fromEnv: GIT_SECRET }', '{ fromEnv: RENAMED }') }),
    );
    world.env.RENAMED = world.env.GIT_SECRET ?? '';
    await world.expectNothing();
    world.env.RENAMED = 'another value';
    const { plan } = await world.settle();
    assert.deepEqual(
      plan.steps.map((step) => [
        step.id,
        readMember(step, 'changes')?.map(({ field, secret }) => [field, secret]),
      ]),
      [['update OAuthClient/gitlab', [['secret', 'changed']]]],
    );
    assert.deepEqual(world.writes(), ['PATCH /oauth-clients/:id']);
  });

  it('17: a field whose line is removed leaves the ledger without a call, and no longer stands against a rename', async () => {
    const world = await openSettled();
    const id = await readId(world, 'OAuthClient/gitlab');
    const { digests } = (await world.ledger()).objects['OAuthClient/gitlab'] ?? {};
    const clients = acmeClients.replace('    key: lab-key\n    secret: { fromEnv: GIT_SECRET }\n', '');
    world.write(acmeManifest({ clients }));
    const { plan } = await world.settle();
    assert.deepEqual(plan.steps, []);
    assert.deepEqual(world.writes(), []);
    const { values, ...left } = (await world.ledger()).objects['OAuthClient/gitlab'] ?? {};
    assert.deepEqual(Object.keys(values ?? {}).sort(), ['apiUrl', 'httpUrl', 'name', 'serviceProvider']);
    assert.deepEqual(left.digests, digests);
    await world.somebody.oauthClients.update(id, { key: 'by hand' });
    world.write(acmeManifest({ clients: clients.replace('  gitlab:', '  lab:') }));
    assert.deepEqual((await world.drift()).rows, []);
    const move = await world.settle();
    assert.deepEqual(stepIds(move.plan).slice(0, 1), ['move OAuthClient/lab']);
    assert.deepEqual(world.writes(), ['PATCH /oauth-clients/:id']);
    assert.deepEqual((await world.ledger()).objects['OAuthClient/lab']?.digests, digests);
  });

  it('17: a field whose PATCH was refused keeps the value that was written last, also when another line goes', async () => {
    const world = await openSettled();
    const clients = acmeClients.replace('    key: lab-key\n', '').replace('name: GitLab', 'name: Lab');
    world.write(acmeManifest({ clients }));
    world.service.fault({ how: 'status', status: 422, method: 'PATCH', times: 1 });
    const { result } = await world.apply();
    assert.equal(result.counts.failed, 1);
    const { objects } = await world.ledger();
    assert.equal(objects['OAuthClient/gitlab']?.values?.name, 'GitLab');
    const { plan } = await world.settle();
    assert.equal(plan.steps[0]?.reason, 'manifest-changed');
    assert.equal((await world.ledger()).objects['OAuthClient/gitlab']?.values?.key, undefined);
  });

  it('19: a deleted file takes its links along, and its clients need approval', async () => {
    const world = await open();
    world.write(acmeManifest({ links: '' }));
    world.write(
      `${bareHead}${acmeLinks}oauthClients:\n${clientEntry('extra', { name: 'Extra' })}`,
      'b.tether.yaml',
    );
    await world.settle();
    world.remove('b.tether.yaml');
    const { plan } = await world.plan();
    assert.deepEqual(stepIds(plan).sort(), [
      'delete OAuthClient/extra',
      'delete ProjectAttachment/github/payments',
      'delete ProjectAttachment/github/shop',
      'delete RunTrigger/app/dns',
      'delete RunTrigger/app/network',
      'delete RunTrigger/docs/app',
    ]);
    assert.deepEqual(
      plan.blockers.map(({ rule }) => rule),
      ['approval', 'losses'],
    );
    approve(world, plan);
    await world.settle({ maxDeletes: 6 });
  });

  it('20 and 87: many deletes, or all that there is, need --max-deletes with their number', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `s${index}`);
    const seed = acmeSeed({
      workspaces: Object.fromEntries(['app', ...names].map((name) => [`ws-${name}`, {}])),
    });
    const lines = (some: readonly string[]) =>
      `${bareHead}runTriggers:${some.length === 0 ? ' []' : ''}\n${some.map((name) => `  - { target: ws-app, source: ws-${name} }\n`).join('')}`;
    const world = await open({ seed });
    world.write(lines(names));
    await world.settle();
    world.write(lines(names.slice(8)));
    assert.equal((await world.plan()).plan.blockers[0]?.remedy, '--max-deletes 8');
    await assert.rejects(world.apply({ maxDeletes: 7 }), PlanBlocked);
    await world.settle({ maxDeletes: 8 });
    world.write(lines([]));
    assert.equal((await world.plan()).plan.blockers[0]?.remedy, '--max-deletes 4');
    await world.settle({ maxDeletes: 4 });
    assert.deepEqual((await world.ledger()).objects, {});
  });

  it('70: lines that move within a file or to another change nothing, and not the digest', async () => {
    const world = await openSettled();
    const clients = acmeClients.replace('name: GitLab', 'name: Lab');
    const [one, other] = ['  - { target: network, source: dns }\n', '  - { target: dns, source: app }\n'];
    world.write(acmeManifest({ clients, links: acmeLinks + one + other }));
    const { digest } = await world.plan();
    world.write(acmeManifest({ clients, links: '' }));
    const first = `runTriggers:\n${other}${one}`;
    world.write(`${bareHead}${acmeLinks.replace('runTriggers:\n', first)}`, 'links.tether.yaml');
    assert.equal((await world.plan()).digest, digest);
  });

  it('76: projects are detached although the list does not show their client yet', async () => {
    const world = await open({ behaviours: { 'create-hidden-ms': '60000' } });
    const clients = `oauthClients:\n${clientEntry('github', { projects: '[payments]' })}`;
    world.write(`${acmeHead}${clients}`);
    const { result } = await world.apply();
    assert.equal(result.counts.done, result.steps.length);
    world.writes();
    world.write(`${acmeHead}${clients.replace('[payments]', '[]')}`);
    const { plan } = await world.apply();
    assert.deepEqual(stepIds(plan), ['delete ProjectAttachment/github/payments']);
    assert.deepEqual(plan.unknown, []);
    assert.deepEqual(world.writes(), ['DELETE /oauth-clients/:id/relationships/projects']);
    assert.deepEqual(world.service.snapshot().oauthClients[0]?.projectIds, []);
    await world.pass(180_000);
    await world.expectNothing();
  });

  it('76: a project is detached although the list does not show its attachment yet', async () => {
    const world = await open();
    const clients = `oauthClients:\n${clientEntry('github', { organizationScoped: 'false' })}`;
    const line = 'projectAttachments:\n  - { oauthClient: github, project: payments }\n';
    const proxy = await startFaultyProxy(world.service.url);
    try {
      world.address = proxy.origin + new URL(world.service.url).pathname;
      world.write(`${acmeHead}${clients}${line}`);
      await world.settle();
      world.writes();
      // Only a list has several clients. A Show of one is current.
      proxy.edit = (body) => body.replace(/^(\{"data":\[.*"projects":\{"data":)\[[^\]]*\]/, '$1[]');
      assert.deepEqual((await world.api().oauthClients.list('acme'))[0]?.projectIds, []);
      assert.deepEqual((await world.drift()).rows, []);
      await world.expectNothing();
      world.write(`${acmeHead}${clients}`);
      const { plan } = await world.apply();
      assert.deepEqual(stepIds(plan), ['delete ProjectAttachment/github/payments']);
      assert.deepEqual(plan.unknown, []);
      assert.deepEqual(world.writes(), ['DELETE /oauth-clients/:id/relationships/projects']);
      assert.deepEqual(world.service.snapshot().oauthClients[0]?.projectIds, []);
      await world.expectNothing();
    } finally {
      await proxy.close();
    }
  });

  it('77: two outbound sets swap targets that are full, in one run', async () => {
    const fill = Array.from({ length: 19 }, (_, index) => `f${index}`);
    const names = ['a', 'b', 'one', 'two', ...fill];
    const runTriggers = Object.fromEntries(
      ['a', 'b'].flatMap((target) =>
        fill.map((source) => [
          `rt-${target}-${source}`,
          { workspace: `ws-${target}`, sourceable: `ws-${source}` },
        ]),
      ),
    );
    const seed = acmeSeed({
      workspaces: Object.fromEntries(names.map((name) => [`ws-${name}`, {}])),
      runTriggers,
    });
    const world = await open({ seed, profile: 'hcp-terraform' });
    const sets = (left: string, right: string) =>
      `profile: hcp-terraform\n${bareHead}runTriggers:\n  - { source: ws-one, targets: [ws-${left}] }\n  - { source: ws-two, targets: [ws-${right}] }\n  - { target: ws-f0, source: ws-f1 }\n`;
    world.write(sets('a', 'b'));
    await world.settle();
    world.write(sets('b', 'a'));
    const { plan } = await world.settle();
    const room = plan.steps.flatMap((step) => (step.action === 'create' ? (step.after ?? []) : []));
    assert.deepEqual(room.sort(), ['delete RunTrigger/ws-a/ws-one', 'delete RunTrigger/ws-b/ws-two']);
    const triggersOfTarget = world.service
      .snapshot()
      .runTriggers.map(({ workspaceId, sourceableId }) => `${workspaceId} ${sourceableId}`);
    assert.ok(triggersOfTarget.includes('ws-b ws-one') && triggersOfTarget.includes('ws-a ws-two'));
    assert.equal(triggersOfTarget.length, 41);
  });

  it('77: a create that the service refuses for want of room fails, and nothing else waits for it', async () => {
    const fill = Array.from({ length: 20 }, (_, index) => `ws-f${index}`);
    const seed = acmeSeed({
      workspaces: Object.fromEntries(['ws-a', 'ws-b', 'ws-one', ...fill].map((id) => [id, {}])),
      runTriggers: Object.fromEntries(fill.map((id) => [`rt-${id}`, { workspace: 'ws-a', sourceable: id }])),
    });
    const world = await open({ seed, profile: 'hcp-terraform' });
    world.write(
      `profile: hcp-terraform\n${bareHead}runTriggers:\n  - { source: ws-one, targets: [ws-a, ws-b] }\n`,
    );
    const { result } = await world.apply();
    assert.deepEqual(
      result.steps.map(({ step, status }) => [step, status]),
      [
        ['create RunTrigger/ws-a/ws-one', 'failed'],
        ['create RunTrigger/ws-b/ws-one', 'done'],
      ],
    );
  });

  it('81: an approval of an object for which nothing is planned is a note while that exists, and nothing after', async () => {
    const world = await openSettled();
    const id = await readId(world);
    const rest = `approved: [{ destroy: OAuthClient/github, id: ${id} }]\n`;
    world.write(acmeManifest({ rest }));
    assert.match((await world.plan()).plan.notes[0]?.message ?? '', /approves nothing in this plan/);
    world.write(acmeManifest({ rest: rest.replace(id, 'oc-never') }));
    assert.deepEqual((await world.plan()).plan.notes, []);
    world.write(acmeManifest({ rest, clients: clientsWithNewUrl }));
    assert.equal((await world.plan()).plan.blockers[0]?.rule, 'approval');
    const gitlab = await readId(world, 'OAuthClient/gitlab');
    const cases = [
      ['replace', {}, 0],
      ['replace', { GIT_TOKEN: world.env.GIT_TOKEN }, 1],
      ['destroy', {}, 1],
    ] as const;
    for (const [action, env, count] of cases) {
      world.write(acmeManifest({ rest: `approved: [{ ${action}: OAuthClient/gitlab, id: ${gitlab} }]\n` }));
      assert.equal((await world.plan()).plan.notes.length, 1);
      const { notes } = (await world.plan({ env })).plan;
      assert.equal(notes.filter(({ message }) => /approves nothing/.test(message)).length, count);
    }
  });

  it('a client that is replaced and attached to a project of its own at once gets it with the POST or after', async () => {
    const world = await open({
      seed: acmeSeed({
        oauthClients: { 'oc-1': seedClient({ projects: ['prj-data'], organizationScoped: false }) },
      }),
    });
    const entry = (fields: Record<string, string | null>) =>
      `${acmeHead}oauthClients:\n${clientEntry('github', fields)}`;
    world.write(entry({ id: 'oc-1' }));
    await world.settle();
    world.write(entry({ id: 'oc-1', apiUrl: 'https://git.example.com/api/v4', projects: '[shop]' }));
    approve(world, (await world.plan()).plan);
    const { digest } = await world.plan();
    await world.api().oauthClients.attach('oc-1', ['prj-payments']);
    assert.notEqual((await world.plan()).digest, digest, 'it drops one more project');
    await world.settle();
    assert.deepEqual(
      world.service.snapshot().oauthClients.map(({ projectIds }) => projectIds),
      [['prj-shop']],
    );
  });
});
