/** Scenarios 40 to 51, 82, 83 and 88c: calls that fail, answers that are lost, runs that are cut off. */
import assert from 'node:assert/strict';
import type { ApplyResult } from '../../../reconciler/apply/run';
import type { FaultSpec } from '../../../service/admin/faults';
import { acmeHead, acmeManifest, bareHead, clientEntry, githubFields } from '../../support/acme';
import { approve, stepIds, worlds } from '../../support/scenario';
import type { World } from '../../support/world';

const clients = '/organizations/:organization_name/oauth-clients';
const post: FaultSpec = { method: 'POST', route: clients, how: 'reset-after', nth: 1 };
const one = `${acmeHead}oauthClients:\n${clientEntry('github')}`;

const statuses = ({ steps }: ApplyResult) => steps.map(({ step, status }) => `${status}: ${step}`);
const rules = async (world: World) => (await world.plan()).plan.problems.map(({ rule }) => rule);
const clientIds = (world: World) => world.service.snapshot().oauthClients.map(({ id }) => id);
const posts = (world: World) => world.writes().filter((write) => write === `POST ${clients}`).length;

/** Applies as a run that is killed right after its first POST of a client: what it would save then is lost. */
async function killedAfterPost(world: World, maxSaves = 2, address = 'OAuthClient/github'): Promise<void> {
  const store = world.store();
  const { save } = store;
  let saves = 0;
  store.save = async (...args) => {
    saves += 1;
    if (saves > maxSaves) throw new Error('killed');
    return save.apply(store, args);
  };
  await world.apply({}, { store });
  assert.deepEqual(Object.keys((await world.ledger()).pending), [address]);
}

describe('failures', () => {
  const open = worlds();

  for (const how of ['reset-after', 'truncate', 'garbage'] as const)
    it(`40: a client whose POST was executed and its answer lost (${how}) is found and adopted`, async () => {
      const world = await open();
      world.write(one);
      world.service.fault({ ...post, how });
      const { result } = await world.settle();
      assert.equal(result.steps[0]?.message, 'adopted after a lost answer');
      assert.equal(posts(world), 1);
      assert.deepEqual((await world.ledger()).pending, {});
      assert.match(JSON.stringify(await world.ledger()), /"oauthTokenString":"scrypt:/);
    });

  it('40: one that was executed and answered with a redirect is adopted, and its POST is not repeated', async () => {
    const world = await open();
    world.write(one);
    const headers = { location: '/login' };
    world.service.fault({ ...post, how: 'status', status: 303, applied: true, headers });
    const { result } = await world.settle();
    assert.equal(result.steps[0]?.message, 'adopted after a lost answer');
    assert.deepEqual([posts(world), clientIds(world).length], [1, 1]);
  });

  it('40: one that was not executed fails, and two minutes later an apply makes it', async () => {
    const world = await open();
    world.write(`${one}projectAttachments:\n  - { oauthClient: github, project: shop }\n`);
    world.service.fault({ ...post, how: 'reset-before' });
    const { result } = await world.apply();
    assert.deepEqual(statuses(result), [
      'failed: create OAuthClient/github',
      'blocked: create ProjectAttachment/github/shop',
    ]);
    assert.equal(posts(world), 1);
    const { plan } = await world.plan();
    assert.deepEqual(plan.steps, []);
    assert.match(plan.problems[0]?.message ?? '', /blocked until \d\d:\d\d:\d\d UTC/);
    await world.pass(120_000);
    await world.settle();
    assert.equal(posts(world), 1);
  });

  it('40: one that a rate limit delayed is open for two minutes after its last POST', async () => {
    const world = await open();
    world.write(one);
    world.service.fault([
      { ...post, how: 'status', status: 429, headers: { 'retry-after': '100' } },
      { ...post, how: 'status', status: 504, nth: 2 },
    ]);
    const start = world.clock.elapsed();
    const { result } = await world.apply();
    assert.deepEqual(statuses(result), ['failed: create OAuthClient/github']);
    await world.pass(start + 124_000 - world.clock.elapsed());
    assert.deepEqual(await rules(world), ['create-pending']);
    assert.equal(posts(world), 2);
    await world.pass(20_000);
    // The service executes the second POST.
    await world.somebody.oauthClients.create('acme', { ...githubFields, oauthTokenString: 'x' });
    const { plan } = await world.settle();
    assert.deepEqual(stepIds(plan), ['adopt OAuthClient/github']);
    assert.equal(clientIds(world).length, 1);
  });

  it('40: one that a service executed although it limited the rate is taken over after a later POST failed', async () => {
    const world = await open();
    world.write(one);
    const limited = { how: 'status', status: 429, headers: { 'retry-after': '100' }, applied: true } as const;
    world.service.fault([
      { ...post, ...limited },
      { ...post, how: 'status', status: 504, nth: 2 },
    ]);
    const { result } = await world.settle();
    assert.equal(result.steps[0]?.message, 'adopted after a lost answer');
    assert.deepEqual([posts(world), clientIds(world).length], [2, 1]);
  });

  it('41: killed during that wait or after the second POST, the next apply takes the client of either POST over', async () => {
    for (const [applied, savesUntilKill] of [
      [true, 2],
      [true, 3],
      [false, 3],
    ] as const) {
      const world = await open();
      world.write(one);
      const limited = { how: 'status', status: 429, headers: { 'retry-after': '100' }, applied } as const;
      const second = { ...post, nth: 2, ...(applied && ({ how: 'status', status: 504 } as const)) };
      world.service.fault([{ ...post, ...limited }, second]);
      await killedAfterPost(world, savesUntilKill);
      const { plan } = await world.settle();
      assert.deepEqual(stepIds(plan), ['adopt OAuthClient/github']);
      assert.equal(clientIds(world).length, 1);
    }
  });

  it('41: killed after that POST, the next apply takes the client over, with the digests of its secrets', async () => {
    const world = await open();
    world.write(one);
    await killedAfterPost(world);
    const { plan } = await world.settle();
    assert.deepEqual(
      plan.steps.map(({ id, reason }) => `${id}: ${reason}`),
      ['adopt OAuthClient/github: taken-over'],
    );
    assert.deepEqual(posts(world), 1);
    const { digests = {} } = (await world.ledger()).objects['OAuthClient/github'] ?? {};
    assert.deepEqual(Object.keys(digests), ['oauthTokenString']);
  });

  it('41: what is wanted by then is done to it: an update at once, a replacement and a destruction after approval', async () => {
    const edits: Readonly<Record<string, string>> = {
      'adopt OAuthClient/github, update OAuthClient/github': one.replace('name: GitHub', 'name: Other'),
      'adopt OAuthClient/github, replace OAuthClient/github': one.replace(
        'git.example.com/api',
        'new.example.com/api',
      ),
      'adopt OAuthClient/github, delete OAuthClient/github': acmeHead,
    };
    for (const [steps, edited] of Object.entries(edits)) {
      const world = await open();
      world.write(one);
      await killedAfterPost(world);
      world.write(edited);
      const { plan } = await world.plan();
      assert.equal(
        stepIds(plan)
          .filter((id) => !id.includes('('))
          .join(', '),
        steps,
      );
      assert.equal(plan.blockers.length, steps.includes('update') ? 0 : 1);
      approve(world, plan);
      await world.settle();
      assert.equal(clientIds(world).length, edited === acmeHead ? 0 : 1, steps);
      assert.deepEqual((await world.ledger()).pending, {});
    }
  });

  for (const how of ['reset-before', 'reset-after'] as const)
    it(`40: an \`id:\` line that moves a client ends the open create of its new address (${how})`, async () => {
      const world = await open();
      world.write(one);
      const { result } = await world.settle();
      const id = result.steps[0]?.objectId ?? '';
      const declare = (name: string, more: Readonly<Record<string, string>> = {}) =>
        clientEntry(name, { name: 'New', ...more });
      world.write(`${one}${declare('new')}`);
      world.service.fault({ ...post, how });
      await killedAfterPost(world, 2, 'OAuthClient/new');
      world.write(`${acmeHead}oauthClients:\n${declare('new', { id })}`);
      const { plan } = await world.settle();
      assert.deepEqual(stepIds(plan), ['move OAuthClient/new', 'update OAuthClient/new']);
      assert.equal((await world.ledger()).objects['OAuthClient/new']?.id, id);
      assert.deepEqual((await world.ledger()).pending, {});
    });

  it('40: a create whose answer was lost is dropped by a `forget` line at once, which says what may come of it', async () => {
    const world = await open();
    world.write(one);
    world.service.fault({ ...post, how: 'reset-before' });
    await world.apply();
    world.write(`${acmeHead}forget: [OAuthClient/github]\n`);
    const { plan } = await world.settle();
    assert.match(
      plan.steps[0]?.because ?? '',
      /^a `forget` line names it; the service may still execute its create until \d\d:\d\d:\d\d UTC$/,
    );
    assert.deepEqual((await world.ledger()).pending, {});
    world.write(one);
    assert.deepEqual(stepIds((await world.settle()).plan), ['create OAuthClient/github']);
  });

  it('43: what a create made that is dropped, or that an `id:` line replaces, is named', async () => {
    const world = await open();
    world.write(one);
    await killedAfterPost(world);
    const [made = ''] = clientIds(world);
    const { id: other } = await world.somebody.oauthClients.create('acme', {
      ...githubFields,
      name: 'Other',
      oauthTokenString: 'x',
    });
    world.write(one.replace('name: GitHub', `id: ${other}\n    name: Other`));
    const { notes } = (await world.plan()).plan;
    assert.match(
      notes[0]?.message ?? '',
      new RegExp(`^${made}, which an earlier create of OAuthClient/github may have made, stays unmanaged`),
    );
    await world.somebody.oauthClients.delete(made);
    await world.pass(240_000);
    const late = await world.somebody.oauthClients.create('acme', { ...githubFields, oauthTokenString: 'x' });
    world.write(acmeHead);
    const { plan } = await world.settle();
    assert.match(
      plan.steps[0]?.because ?? '',
      new RegExp(`made nothing within two minutes; ${late.id}, which is equal, stays unmanaged$`),
    );
  });

  for (const duplicate of ['422', '409', 'accept'])
    it(`44: the lost answer of a trigger's POST makes one trigger (duplicate: ${duplicate})`, async () => {
      const world = await open({ behaviours: { 'duplicate-trigger': duplicate } });
      world.write(`${acmeHead}runTriggers:\n  - { target: app, source: network }\n`);
      world.service.fault({
        method: 'POST',
        route: '/workspaces/:workspace_id/run-triggers',
        how: 'reset-after',
        nth: 1,
      });
      await world.settle();
      assert.equal(world.service.snapshot().runTriggers.length, 1);
    });

  it('44: of two triggers that a killed run and a late list made, the plan names the one that it does not manage', async () => {
    const behaviours = { 'duplicate-trigger': 'accept', 'create-hidden-ms': '60000' };
    const world = await open({ behaviours });
    const declare = (line: string) => world.write(`${acmeHead}runTriggers:\n  - { target: app, ${line} }\n`);
    declare('source: network');
    // The killed run saved nothing of its POST.
    const { id } = await world.somebody.runTriggers.create('ws-app', 'ws-network');
    await world.pass(10_000);
    const { result } = await world.apply();
    assert.equal(result.counts.done, 1);
    assert.equal(world.service.snapshot().runTriggers.length, 2);
    await world.pass(120_000);
    const { plan } = await world.plan();
    assert.deepEqual(plan.steps, []);
    assert.deepEqual(
      plan.notes.map(({ address, message }) => `${address}: ${message}`),
      [`RunTrigger/app/network: ${id}, which Tether does not manage, also triggers.`],
    );
    declare('sources: [network]');
    const { plan: exact } = await world.settle();
    assert.deepEqual(stepIds(exact), [`delete RunTrigger/app/network (${id})`]);
    assert.deepEqual((await world.plan()).plan.notes, []);
  });

  it('41: killed after the PATCH of a secret, an apply with the earlier value writes it again', async () => {
    const world = await open();
    world.write(acmeManifest());
    await world.settle();
    const earlier = world.env.GIT_SECRET;
    world.env.GIT_SECRET = 'git-secret-second';
    world.writes();
    const store = world.store();
    const { save } = store;
    store.save = async (...args) => {
      if (world.service.requests().some(({ method }) => method === 'PATCH')) throw new Error('killed');
      return save.apply(store, args);
    };
    await world.apply({}, { store });
    assert.deepEqual(world.writes(), ['PATCH /oauth-clients/:id']);
    world.env.GIT_SECRET = earlier ?? '';
    const { plan } = await world.settle();
    assert.deepEqual(
      plan.steps.map(({ id, reason }) => `${id}: ${reason}`),
      ['update OAuthClient/gitlab: secret-unknown'],
    );
    assert.deepEqual(world.writes(), ['PATCH /oauth-clients/:id']);
  });

  it('45: a step that fails blocks what needs it, the rest is done, and later only that is left', async () => {
    const world = await open();
    world.write(acmeManifest());
    world.service.fault({ method: 'POST', route: clients, how: 'status', status: 422, nth: 1 });
    const { result } = await world.apply();
    assert.deepEqual(
      statuses(result).filter((text) => !text.startsWith('done')),
      [
        'failed: create OAuthClient/github',
        'blocked: create ProjectAttachment/github/payments',
        'blocked: create ProjectAttachment/github/shop',
      ],
    );
    const blocked = result.steps.find(({ status }) => status === 'blocked');
    assert.match(blocked?.message ?? '', /it needs "create OAuthClient\/github"/);
    assert.deepEqual((await world.ledger()).pending, {});
    const { plan } = await world.settle();
    assert.equal(plan.steps.length, 3);
  });

  const destroyed = async (world: World, next: string) => {
    world.write(next);
    const { plan } = await world.plan();
    approve(world, plan);
    world.writes();
    return plan;
  };
  const triggers = (line: string) => `runTriggers:\n  - { ${line} }\n`;
  const successor = `${acmeHead}oauthClients:\n${clientEntry('new', { name: 'New', httpUrl: 'https://new.example.com', apiUrl: 'https://new.example.com' })}`;
  const triggerPost: FaultSpec = {
    ...{ method: 'POST', route: '/workspaces/:workspace_id/run-triggers' },
    ...{ how: 'status', status: 422, nth: 1 },
  };

  it('88c: a client stays when the POST of another one is refused; after the fix both are done, its delete last', async () => {
    const world = await open();
    world.write(one);
    await world.settle();
    const line = triggers('target: app, source: network');
    const { steps } = await destroyed(world, successor + line);
    world.service.fault({ ...post, how: 'status', status: 422 });
    const { result } = await world.apply();
    assert.deepEqual(statuses(result), [
      'failed: create OAuthClient/new',
      'done: create RunTrigger/app/network',
      'blocked: delete OAuthClient/github',
    ]);
    assert.match(
      result.steps.at(-1)?.message ?? '',
      /^it needs "create OAuthClient\/new", which was not done; to go on without it, take OAuthClient\/new out/,
    );
    assert.ok(world.writes().every((write) => !write.startsWith('DELETE')));
    assert.deepEqual(steps.at(-1)?.after, ['create OAuthClient/new', 'create RunTrigger/app/network']);
    await world.settle();
    assert.deepEqual(world.writes(), [`POST ${clients}`, 'DELETE /oauth-clients/:id']);
  });

  it('88c: a client is deleted after everything else, and a trigger that failed does not keep it', async () => {
    const world = await open();
    world.write(one);
    await world.settle();
    await destroyed(world, acmeHead + triggers('target: app, source: network'));
    world.service.fault(triggerPost);
    const { result } = await world.apply();
    assert.deepEqual(statuses(result), [
      'failed: create RunTrigger/app/network',
      'done: delete OAuthClient/github',
    ]);
    assert.deepEqual(world.writes(), [
      'POST /workspaces/:workspace_id/run-triggers',
      'DELETE /oauth-clients/:id',
    ]);
    await world.settle();
  });

  it('88c: no client is deleted while a declared one cannot be made, and the plan says how to delete it all the same', async () => {
    const world = await open();
    world.write(one);
    await world.settle();
    world.write(successor.replace('provider_a', 'provider_c_server'));
    const { plan } = await world.plan();
    assert.deepEqual([stepIds(plan), plan.blockers], [[], []]);
    assert.match(
      plan.unknown[0]?.message ?? '',
      /^OAuthClient\/github is left alone, because OAuthClient\/new is declared and cannot be made or seen now: .* take OAuthClient\/new out of the manifests\.$/,
    );
    await destroyed(world, successor);
    world.service.fault({ ...post, how: 'reset-before' });
    await world.apply();
    const blocked = (await world.plan()).plan;
    assert.deepEqual([stepIds(blocked), blocked.problems.map(({ rule }) => rule)], [[], ['create-pending']]);
    await world.pass(120_000);
    await world.settle();
    assert.equal(clientIds(world).length, 1);
  });

  it('88c: a trigger of an exact set stays when the create of a new member fails', async () => {
    const world = await open();
    world.write(acmeHead + triggers('target: app, sources: [network]'));
    await world.settle();
    world.write(acmeHead + triggers('target: app, sources: [dns]'));
    world.service.fault(triggerPost);
    const { result } = await world.apply({ maxDeletes: 1 });
    assert.deepEqual(statuses(result), [
      'failed: create RunTrigger/app/dns',
      'blocked: delete RunTrigger/app/network',
    ]);
    assert.equal(world.service.snapshot().runTriggers[0]?.sourceableId, 'ws-network');
    await world.settle({ maxDeletes: 1 });
  });

  it('46: an interruption starts nothing more, records what was under way, and apply goes on from there', async () => {
    const world = await open();
    world.write(acmeManifest());
    const ending = new AbortController();
    const { result, plan } = await world.apply(
      {},
      { concurrency: 1, signal: ending.signal, onEvent: ({ type }) => type === 'finished' && ending.abort() },
    );
    assert.equal(result.interrupted, true);
    assert.deepEqual([result.counts.done, result.counts['not-tried']], [1, plan.steps.length - 1]);
    assert.equal(Object.keys((await world.ledger()).objects).length, 1);
    const again = await world.settle();
    assert.equal(again.plan.steps.length, plan.steps.length - 1);
  });

  const declared = (projects: readonly string[], isSet: boolean, host: string) => {
    const set = isSet ? { projects: `[${projects.join(', ')}]` } : {};
    const fields = { httpUrl: `https://${host}.example.com`, organizationScoped: 'false', ...set };
    const lines = projects.map((project) => `  - { oauthClient: github, project: ${project} }\n`);
    const attachments = isSet ? '' : `projectAttachments:\n${lines.join('')}`;
    return `${acmeHead}oauthClients:\n${clientEntry('github', fields)}${attachments}`;
  };
  /** Applies, and presses Ctrl-C during the first step. */
  async function interruptedAfterReplace(world: World): Promise<void> {
    const ending = new AbortController();
    const onEvent = () => ending.abort();
    const { result } = await world.apply({}, { concurrency: 1, signal: ending.signal, onEvent });
    assert.equal(statuses(result)[0], 'done: replace OAuthClient/github');
    assert.equal(result.counts.done, 1);
  }

  for (const isSet of [false, true])
    for (const end of ['interrupted', 'killed'] as const)
      it(`46: a project that is removed after a replace was ${end} loses the new client too (${isSet ? 'exact set' : 'lines'})`, async () => {
        const world = await open();
        world.write(declared(['payments', 'shop'], isSet, 'git'));
        await world.settle();
        world.write(declared(['payments', 'shop'], isSet, 'new'));
        approve(world, (await world.plan()).plan);
        if (end === 'killed') await killedAfterPost(world);
        else await interruptedAfterReplace(world);

        world.write(declared(['payments'], isSet, 'new'));
        const { rows } = await world.drift();
        assert.deepEqual(rows, []);
        const { plan } = await world.plan();
        const id = clientIds(world).at(-1) ?? '';
        assert.deepEqual(
          plan.steps
            .filter(({ kind }) => kind === 'ProjectAttachment')
            .map(({ id, reason, key }) => [id, reason, key]),
          [
            [
              'delete ProjectAttachment/github/shop',
              'removed-from-manifest',
              ['ProjectAttachment', id, 'prj-shop'],
            ],
          ],
        );
        await world.settle();
        const { oauthClients } = world.service.snapshot();
        assert.deepEqual(
          oauthClients.map(({ projectIds }) => projectIds),
          [['prj-payments']],
        );
        assert.deepEqual(Object.keys((await world.ledger()).objects), [
          'OAuthClient/github',
          `ProjectAttachment/${id}/prj-payments`,
        ]);
      });

  for (const end of ['interrupted', 'killed'] as const)
    it(`46: an attachment that a replace forgot before it was ${end} stays unmanaged, also without its line`, async () => {
      const world = await open();
      world.write(declared(['payments', 'shop'], false, 'git'));
      await world.settle();
      const manifest = declared(['payments'], false, 'new');
      world.write(`${manifest}forget: [ProjectAttachment/github/shop]\n`);
      approve(world, (await world.plan()).plan);
      if (end === 'killed') await killedAfterPost(world);
      else await interruptedAfterReplace(world);
      world.write(manifest);
      const { plan } = await world.settle();
      assert.deepEqual(
        plan.steps.map(({ action, reason }) => `${action}: ${reason}`),
        [...(end === 'killed' ? ['adopt: taken-over'] : []), 'delete: replaced'],
      );
      const { oauthClients } = world.service.snapshot();
      assert.deepEqual(
        oauthClients.map(({ projectIds }) => projectIds.toSorted()),
        [['prj-payments', 'prj-shop']],
      );
    });

  for (const spelling of ['the address', 'the key in the ledger', 'the id of the new client'] as const)
    it(`46: an attachment that is forgotten after a replace was killed stays, by ${spelling}`, async () => {
      const world = await open();
      world.write(declared(['payments', 'shop'], false, 'git'));
      await world.settle();
      world.write(declared(['payments', 'shop'], false, 'new'));
      approve(world, (await world.plan()).plan);
      await killedAfterPost(world);
      const [oldId, newId] = clientIds(world);
      const client = { 'the address': 'github', 'the key in the ledger': oldId }[spelling as string] ?? newId;
      world.write(`${declared(['payments'], false, 'new')}forget: [ProjectAttachment/${client}/prj-shop]\n`);
      const { plan } = await world.settle();
      assert.deepEqual(stepIds(plan), [
        'adopt OAuthClient/github',
        'forget ProjectAttachment/github/shop',
        `delete OAuthClient/github (${oldId})`,
      ]);
      assert.deepEqual(plan.notes, []);
      const { oauthClients } = world.service.snapshot();
      assert.deepEqual(
        oauthClients.map(({ id, projectIds }) => [id, projectIds.toSorted()]),
        [[newId, ['prj-payments', 'prj-shop']]],
      );
      world.write(declared(['payments'], false, 'new'));
      await world.expectNothing();
    });

  it('48: an attach with one unknown project of three names that one and attaches the others', async () => {
    const world = await open();
    const links = (more: string) =>
      `projectAttachments:\n${['prj-payments', 'prj-shop', ...(more ? [more] : [])].map((project) => `  - { oauthClient: github, project: ${project} }\n`).join('')}`;
    world.write(`${bareHead}oauthClients:\n${clientEntry('github')}${links('prj-nowhere')}`);
    const { result } = await world.apply();
    assert.deepEqual(
      statuses(result).filter((text) => !text.startsWith('done')),
      ['failed: create ProjectAttachment/github/prj-nowhere'],
    );
    assert.equal(world.service.snapshot().oauthClients[0]?.projectIds.length, 2);
    world.write(`${bareHead}oauthClients:\n${clientEntry('github')}${links('')}`);
    await world.expectNothing();
  });

  it('51: a ledger of another organization, a corrupt one and one of another version stop everything, untouched', async () => {
    const world = await open();
    world.write(one);
    await world.settle();
    const file = 'tether.ledger.json';
    const sound = world.read(file);
    for (const bad of [
      sound.replace('"acme"', '"acmee"'),
      sound.slice(0, -20),
      sound.replace('"version": 3', '"version": 2'),
      sound.replace('{', '<<<<<<< HEAD\n{'),
    ]) {
      assert.notEqual(bad, sound);
      world.write(bad, file);
      await assert.rejects(world.plan());
      await assert.rejects(world.apply());
      assert.equal(world.read(file), bad);
    }
  });

  for (const status of [404, 422])
    it(`82: a create that was answered with ${status} and executed is a possible match for the next plan`, async () => {
      const world = await open();
      world.write(one);
      world.service.fault({ method: 'POST', route: clients, how: 'status', status, applied: true, nth: 1 });
      const { result } = await world.apply();
      assert.deepEqual(statuses(result), ['failed: create OAuthClient/github']);
      assert.deepEqual(await rules(world), ['possible-match']);
    });

  it('83: a create whose answer names a client that was listed already fails, and nothing is written to that', async () => {
    const world = await open();
    world.write(one);
    await world.settle();
    const before = world.service.snapshot().oauthClients[0];
    const body = await (
      await fetch(`${world.service.url}/oauth-clients/${before?.id}`, {
        headers: { authorization: 'Bearer owner' },
      })
    ).text();
    world.write(`${one}${clientEntry('second', { name: 'Second' })}`);
    world.service.fault({
      method: 'POST',
      route: clients,
      how: 'status',
      status: 201,
      body,
      headers: { 'content-type': 'application/vnd.api+json' },
      nth: 1,
    });
    const { result } = await world.apply();
    assert.match(result.steps[0]?.message ?? '', /answered the create with a client that was there before/);
    assert.deepEqual(world.service.snapshot().oauthClients, [before]);
    assert.equal((await world.ledger()).objects['OAuthClient/second'], undefined);
  });

  it('two equal clients in one manifest are two clients, also where an answer is lost', async () => {
    const world = await open();
    world.write(`${one}${clientEntry('second')}`);
    world.service.fault(post);
    const { result } = await world.apply();
    assert.ok(result.counts.done >= 1, JSON.stringify(result));
    await world.pass(120_000);
    await world.settle();
    assert.equal(clientIds(world).length, 2);
    assert.equal(new Set(Object.values((await world.ledger()).objects).map(({ id }) => id)).size, 2);
  });
});
