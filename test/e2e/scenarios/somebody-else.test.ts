/** Scenarios 30 to 38: what others do to the organization, or take from the token. */

import assert from 'node:assert/strict';
import { Unauthorized } from '../../../client/errors';
import { PlanBlocked } from '../../../reconciler/apply/apply';
import { readMember } from '../../../reconciler/plan/plan';
import { OrganizationNotVisible } from '../../../reconciler/read-facts';
import type { SeedObject } from '../../../service';
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
import { stepIds, worlds } from '../../support/scenario';
import type { World } from '../../support/world';

const two_minutes = 121_000;

describe('somebody else', () => {
  const open = worlds();

  async function settled(manifest = acmeManifest(), options = {}): Promise<World> {
    const world = await open(options);
    world.write(manifest);
    await world.settle();
    await world.pass(two_minutes);
    world.writes();
    return world;
  }

  const objects = async (world: World) => (await world.ledger()).objects;
  const readId = async (world: World, key: string) => (await objects(world))[key]?.id ?? '';

  it('30: drift names each field with what it was and is, what is missing and what was added; apply repairs', async () => {
    const world = await settled();
    const somebody = world.api();
    const id = await readId(world, 'OAuthClient/github');
    await somebody.oauthClients.update(id, { name: 'Renamed', agentPoolId: null, organizationScoped: true });
    await somebody.oauthClients.detach(id, ['prj-shop']);
    await somebody.oauthClients.attach(await readId(world, 'OAuthClient/gitlab'), ['prj-shop']);
    await somebody.runTriggers.delete(await readId(world, 'RunTrigger/ws-app/ws-dns'));
    await somebody.runTriggers.create('ws-app', 'ws-docs');
    const { rows, unchanged } = await world.drift();
    const summary = rows.map(({ state, address, changes }) => [
      `${state} ${address}`,
      ...changes.map(({ field, was, is }) => `${field} ${String(was)} → ${String(is)}`),
    ]);
    assert.deepEqual(summary, [
      [
        'changed OAuthClient/github',
        'agentPoolId apool-dmz → null',
        'name GitHub → Renamed',
        'organizationScoped false → true',
      ],
      ['missing ProjectAttachment/github/shop'],
      ['missing RunTrigger/app/dns'],
      ['added ProjectAttachment/gitlab/shop'],
      ['added RunTrigger/app/docs'],
    ]);
    assert.equal(unchanged, Object.keys(await objects(world)).length - 3);
    const evidence = rows.find(({ address }) => address === 'RunTrigger/app/dns')?.evidence ?? [];
    assert.match(
      evidence.join(),
      /not in the list of run triggers of ws-app \(inbound\).*GET rt-\w+ answered 404/,
    );
    const { plan } = await world.settle();
    assert.equal(plan.steps.find(({ action }) => action === 'update')?.reason, 'changed-elsewhere');
    assert.deepEqual((await world.drift()).rows, []);
  });

  it('30: drift names a trigger that was deleted and made again, and one that no line declares as missing, as the plan does', async () => {
    const world = await settled();
    const made = await readId(world, 'RunTrigger/ws-docs/ws-app');
    await world.somebody.runTriggers.delete(made);
    const { id } = await world.somebody.runTriggers.create('ws-docs', 'ws-app');
    const { rows, unmanagedLinks } = await world.drift();
    assert.deepEqual(
      rows.map(({ state, address, changes }) => [state, address, changes]),
      [['changed', 'RunTrigger/docs/app', [{ field: 'id', was: made, is: id }]]],
    );
    assert.deepEqual(unmanagedLinks, []);

    world.write(acmeManifest({ links: acmeLinks.replace(/ {2}- \{ target: docs.*\n/, '') }));
    const undeclared = await world.drift();
    assert.deepEqual(
      undeclared.rows.map(({ state, address }) => [state, address]),
      [['missing', 'RunTrigger/docs/app']],
    );
    assert.deepEqual(undeclared.unmanagedLinks, [`RunTrigger/docs/app (${id})`]);
    const { plan } = await world.plan();
    assert.deepEqual(
      plan.steps.map(({ id, reason }) => [id, reason]),
      [['forget RunTrigger/docs/app', 'already-gone']],
    );
    world.write(acmeManifest());
    const settledAgain = await world.settle();
    assert.deepEqual(
      settledAgain.plan.steps.map(({ action, objectId }) => [action, objectId]),
      [['adopt', id]],
    );
    assert.deepEqual((await world.drift()).rows, []);
  });

  const twoUrls = { httpUrl: 'https://two.example.com', apiUrl: 'https://two.example.com/api' };
  const narrow = { organizationScoped: 'false', projects: '[payments]' };
  const exactly = (fields = {}, address = 'one') =>
    `${acmeHead}oauthClients:\n${clientEntry(address, { ...narrow, ...fields })}`;
  for (const [what, manifest, address] of [
    ['nothing else changes', exactly(), 'one'],
    [
      'another client, which its project is for too, cannot be made',
      exactly() + clientEntry('two', { ...narrow, ...twoUrls, projects: '[shop]' }),
      'one',
    ],
    ['its client is to be replaced', exactly({ httpUrl: 'https://new.example.com' }), 'one'],
    ['its client has a contradiction', exactly({ id: 'oc-two' }), 'one'],
    ['its client gets another address', exactly({}, 'uno'), 'uno'],
  ] as const) {
    it(`30: drift names an unmanaged attachment that an exact set does not list, where ${what}`, async () => {
      const world = await open({ seed: acmeSeed({ oauthClients: { 'oc-two': seedClient(twoUrls) } }) });
      world.write(exactly());
      await world.settle();
      await world.api().oauthClients.attach(await readId(world, 'OAuthClient/one'), ['prj-shop']);
      world.write(manifest);
      const { rows } = await world.drift();
      assert.deepEqual(
        rows.map(({ state, address }) => `${state} ${address}`),
        [`added ProjectAttachment/${address}/shop`],
      );
      world.write(exactly());
      await world.settle();
      assert.deepEqual((await world.drift()).rows, []);
    });
  }

  it('30: a plan says that the delete of an unmanaged attachment waits, and why', async () => {
    const world = await open({ seed: acmeSeed({ oauthClients: { 'oc-two': seedClient(twoUrls) } }) });
    world.write(exactly());
    await world.settle();
    await world.api().oauthClients.attach(await readId(world, 'OAuthClient/one'), ['prj-shop']);
    world.write(exactly() + clientEntry('two', { ...narrow, ...twoUrls, projects: '[shop]' }));
    const { plan } = await world.plan();
    assert.deepEqual([plan.steps, plan.unchanged], [[], 2]);
    assert.deepEqual(
      plan.unknown.map(({ message }) => message),
      [
        'ProjectAttachment/two/shop is left alone, because OAuthClient/two is left alone.',
        'ProjectAttachment/one/shop (unmanaged) is left alone, because ProjectAttachment/two/shop, which has an end in common with it, is left alone.',
      ],
    );
  });

  it('30: drift is unknown while the list of an empty set cannot be read', async () => {
    const world = await settled(
      `${bareHead}runTriggers:\n  - { target: ws-app, sources: [] }\n  - { target: ws-docs, source: ws-jobs }\n`,
    );
    world.service.patchSeed({
      tokens: {
        less: { acme: { manageVcsSettings: true, workspaces: { 'ws-docs': 'admin', 'ws-jobs': 'admin' } } },
      },
    });
    world.token = 'less';
    const { rows, unknown } = await world.drift();
    assert.deepEqual(rows, []);
    assert.deepEqual(
      unknown.map(({ message }) => message),
      [
        'the sources of ws-app cannot be listed with this token, so Tether did not look for others among them.',
      ],
    );
  });

  it('30: drift sees a change of what was there before a line declared it', async () => {
    const world = await settled();
    const id = await readId(world, 'OAuthClient/github');
    const setKey = (key: string) => world.api().oauthClients.update(id, { agentPoolId: 'apool-dmz', key });
    for (const [declared, later] of [
      ['new', 'changed'],
      ['other', 'new'],
    ] as const) {
      await setKey(declared);
      const clients = acmeClients.replace('name: GitHub', `name: GitHub\n    key: ${declared}`);
      world.write(acmeManifest({ clients }));
      const { plan } = await world.settle();
      assert.deepEqual(plan.steps, []);
      await setKey(later);
      const changes = (await world.drift()).rows.flatMap((row) => row.changes);
      assert.deepEqual(changes, [{ field: 'key', was: declared, is: later }]);
    }
  });

  it('31: a field that both sides changed is a conflict with three values, and the manifest wins', async () => {
    const world = await settled();
    await world.api().oauthClients.update(await readId(world, 'OAuthClient/github'), { name: 'Theirs' });
    world.write(acmeManifest({ clients: acmeClients.replace('name: GitHub', 'name: Ours') }));
    const { plan } = await world.settle();
    const [step] = plan.steps;
    assert.equal(step?.reason, 'conflict');
    assert.deepEqual(step && readMember(step, 'changes'), [
      { field: 'name', from: 'Theirs', to: 'Ours', baseline: 'GitHub' },
    ]);
    assert.equal(world.service.snapshot().oauthClients.filter(({ name }) => name === 'Ours').length, 1);
  });

  it('32: a client destroyed by hand is missing with evidence, and made again with its attachments', async () => {
    const world = await settled();
    const id = await readId(world, 'OAuthClient/github');
    await world.api().oauthClients.delete(id);
    const { rows } = await world.drift();
    assert.deepEqual(
      rows.map(({ state, address }) => `${state} ${address}`),
      [
        'missing OAuthClient/github',
        'missing ProjectAttachment/github/payments',
        'missing ProjectAttachment/github/shop',
      ],
    );
    assert.match(
      rows[0]?.evidence.join() ?? '',
      /not in the list of OAuth clients of acme,GET oc-\w+ answered 404/,
    );
    const { plan } = await world.settle();
    assert.deepEqual(
      plan.steps.map(({ id: step, reason }) => `${step}: ${reason}`),
      [
        'create OAuthClient/github: gone',
        'create ProjectAttachment/github/payments: new',
        'create ProjectAttachment/github/shop: new',
      ],
    );
    assert.doesNotMatch(JSON.stringify(await world.ledger()), new RegExp(id));
  });

  it('33: triggers of a workspace that the token lost are unknown, and everything else is planned', async () => {
    const world = await settled();
    const seed: SeedObject = {
      tokens: {
        less: {
          acme: {
            manageVcsSettings: true,
            workspaces: { 'ws-app': null, 'ws-network': 'readRuns', 'ws-dns': null, 'ws-docs': 'admin' },
          },
        },
      },
    };
    world.service.patchSeed(seed);
    world.token = 'less';
    world.write(
      acmeManifest({ clients: acmeClients.replace('name: GitHub', 'name: Other') }).replace(
        '[network, dns]',
        '[dns]',
      ),
    );
    const { plan } = await world.plan();
    assert.deepEqual(stepIds(plan), ['update OAuthClient/github']);
    const addressesLeftAlone = plan.unknown.map(({ address }) => address);
    assert.ok(addressesLeftAlone.includes('RunTrigger/app/dns'), String(addressesLeftAlone));
    assert.ok(
      addressesLeftAlone.includes('RunTrigger/app/network') ||
        addressesLeftAlone.includes('the sources of app'),
      String(addressesLeftAlone),
    );
    const before = world.service.snapshot().runTriggers.length;
    await world.apply();
    assert.equal(world.service.snapshot().runTriggers.length, before);
    const { unknown } = await world.drift();
    assert.deepEqual(
      unknown.map(({ address, line = 'no line, because it is declared' }) => `${address}: ${line}`),
      [
        'RunTrigger/app/dns: no line, because it is declared',
        'RunTrigger/app/network: forget: [RunTrigger/ws-app/ws-network]',
        'the sources of app: no line, because it is declared',
      ],
    );
  });

  for (const targets of [['app'], ['app', 'docs', 'web']])
    it(`33: ${targets.length} triggers of a source that the token lost are seen at their targets`, async () => {
      const declare = (some: readonly string[]) =>
        `${acmeHead}runTriggers:\n${some.map((target) => `  - { target: ${target}, source: jobs }\n`).join('')}`;
      const world = await settled(declare(targets));
      const workspaces = {
        'ws-app': 'admin',
        'ws-docs': 'admin',
        'ws-web': 'admin',
        'ws-jobs': null,
      } as const;
      world.service.patchSeed({ tokens: { less: { acme: { manageVcsSettings: true, workspaces } } } });
      world.token = 'less';
      await world.expectNothing();
      assert.deepEqual((await world.drift()).unknown, []);
      world.write(declare(['app']));
      await world.settle();
      assert.equal(world.service.snapshot().runTriggers.length, 1);
    });

  for (const duplicate of ['422', '409', 'accept'])
    it(`33: a trigger that lists hide is never doubled and never taken for missing (duplicate: ${duplicate})`, async () => {
      const world = await settled(acmeManifest(), {
        behaviours: { 'lists-hide-unreadable': 'yes', 'duplicate-trigger': duplicate },
      });
      world.service.patchSeed({
        tokens: {
          less: {
            acme: {
              manageVcsSettings: true,
              workspaces: { 'ws-app': 'admin', 'ws-docs': 'admin', 'ws-network': 'readRuns' },
            },
          },
        },
      });
      world.token = 'less';
      const { plan } = await world.plan();
      assert.deepEqual(stepIds(plan), []);
      const before = world.service.snapshot().runTriggers.length;
      await world.apply();
      assert.equal(world.service.snapshot().runTriggers.length, before);
      assert.deepEqual((await world.drift()).rows, []);
    });

  it('34 and 35: an organization that cannot be seen and a refused token are one sentence, and nothing is planned', async () => {
    const world = await settled();
    world.service.patchSeed({ tokens: { blind: { acme: { manageVcsSettings: false } } } });
    world.token = 'blind';
    await assert.rejects(world.plan(), OrganizationNotVisible);
    await assert.rejects(world.drift(), OrganizationNotVisible);
    world.token = 'revoked';
    await assert.rejects(world.plan(), Unauthorized);
  });

  it('36: many managed objects that vanished stop the apply until that is accepted; drift lists them', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `s${index}`);
    const world = await open({
      seed: acmeSeed({ workspaces: Object.fromEntries(['app', ...names].map((name) => [`ws-${name}`, {}])) }),
    });
    world.write(
      `${bareHead}runTriggers:\n${names.map((name) => `  - { target: ws-app, source: ws-${name} }\n`).join('')}`,
    );
    await world.settle();
    await world.pass(two_minutes);
    for (const name of names.slice(0, 7))
      await world.api().runTriggers.delete(await readId(world, `RunTrigger/ws-app/ws-${name}`));
    assert.equal((await world.drift()).rows.length, 7);
    const { plan } = await world.plan();
    assert.deepEqual(
      plan.blockers.map(({ remedy }) => remedy),
      ['--max-deletes 7'],
    );
    assert.match(plan.blockers[0]?.message ?? '', /7 managed objects missing/);
    await assert.rejects(world.apply(), PlanBlocked);
    await world.settle({ maxDeletes: 7 });
  });

  it('37: what was changed after the plan is refused as stale, and nothing is written to it', async () => {
    const world = await settled();
    const id = await readId(world, 'OAuthClient/github');
    world.write(acmeManifest({ clients: acmeClients.replace('name: GitHub', 'name: Ours') }));
    const api = world.api();
    const { update, read } = api.oauthClients;
    let isChanged = false;
    api.forStep = () => ({
      ...api,
      oauthClients: {
        ...api.oauthClients,
        read: async (one) => {
          if (!isChanged) await update(id, { key: 'in between' });
          isChanged = true;
          return read(one);
        },
      },
    });
    world.writes();
    const { result } = await world.apply({}, { api });
    assert.deepEqual(
      result.steps.map(({ status, code }) => [status, code]),
      [['failed', 'stale']],
    );
    assert.match(result.steps[0]?.message ?? '', /key of oc-\S+ changed since it was planned/);
    assert.equal(world.writes().length, 1);
    await world.settle();
  });

  it('37 and 50: the digest of a reviewed plan is another once somebody changed what a step rests on, or it was applied', async () => {
    const world = await settled();
    const clients = acmeClients.replace('name: GitHub', 'name: Ours');
    world.write(acmeManifest({ clients: clients.replaceAll('GIT_SECRET', 'ANOTHER') }));
    const other = await world.plan();
    world.write(acmeManifest({ clients }));
    const { digest } = await world.plan();
    assert.notEqual(digest, other.digest, 'secrets stand in it by their references');
    delete world.env.GIT_SECRET;
    assert.equal((await world.plan()).digest, digest, 'a pull request has no secrets');
    world.env.GIT_SECRET = 'changed';
    assert.equal((await world.plan()).digest, digest, 'whatever their values are');
    await world.api().oauthClients.update(await readId(world, 'OAuthClient/github'), { name: 'Theirs' });
    const changed = await world.plan();
    assert.notEqual(changed.digest, digest);
    const file = 'tether.ledger.json';
    const ledger = world.read(file);
    world.write(ledger.replace(/"lineage": "[^"]+"/, '"lineage": "another"'), file);
    assert.notEqual((await world.plan()).digest, changed.digest, 'of another ledger');
    world.write(ledger, file);
    await world.settle();
    assert.notEqual((await world.plan()).digest, changed.digest);
  });

  it('88d: a trigger made a minute ago and deleted by hand is missing at once; a client says until when it is unknown', async () => {
    const world = await open();
    world.write(acmeManifest());
    await world.settle();
    await world.somebody.runTriggers.delete(await readId(world, 'RunTrigger/ws-app/ws-dns'));
    const { rows, unknown } = await world.drift();
    assert.deepEqual(
      rows.map(({ state, address }) => `${state} ${address}`),
      ['missing RunTrigger/app/dns'],
    );
    assert.deepEqual(unknown, []);
    const { plan } = await world.settle();
    assert.deepEqual(
      plan.steps.map(({ id, reason, because }) => [id, reason, because]),
      [['create RunTrigger/app/dns', 'gone', 'is not there any more']],
    );
    await world.somebody.oauthClients.delete(await readId(world, 'OAuthClient/gitlab'));
    assert.match(
      (await world.drift()).unknown[0]?.message ?? '',
      /before \d\d:\d\d:\d\d UTC: try again then/,
    );
  });

  it('38: two folders with exact sets on one target undo each other, and each marks the triggers of the other', async () => {
    const one = await settled(`${acmeHead}runTriggers:\n  - { target: app, sources: [network] }\n`);
    const two = one.beside();
    two.write(`${acmeHead}runTriggers:\n  - { target: app, sources: [dns] }\n`);
    const result = await two.settle({ maxDeletes: 1 });
    assert.deepEqual(
      result.plan.steps.map((step) => [step.id.replace(/ \(.*/, ''), readMember(step, 'unmanaged')]),
      [
        ['create RunTrigger/app/dns', undefined],
        ['delete RunTrigger/app/network', true],
      ],
    );
    const { plan } = await one.plan();
    assert.deepEqual(
      plan.steps.map((step) => [step.id.replace(/ \(.*/, ''), step.reason, readMember(step, 'unmanaged')]),
      [
        ['create RunTrigger/app/network', 'gone', undefined],
        ['delete RunTrigger/app/dns', 'not-in-exact-set', true],
      ],
    );
  });
});
