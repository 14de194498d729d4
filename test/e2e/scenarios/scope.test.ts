/** Scenarios 60, 63, 65, 71, 73, 84, 88 and 89: what a folder is about, and what its names mean. */

import assert from 'node:assert/strict';
import { symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { PlanBlocked } from '../../../reconciler/apply/apply';
import { readMember } from '../../../reconciler/plan/plan';
import { planReport } from '../../../reconciler/render/plan';
import {
  acmeHead,
  acmeLinks,
  acmeManifest,
  acmeSeed,
  bareHead,
  clientEntry,
  seedClient,
} from '../../support/acme';
import { approve, stepIds, worlds } from '../../support/scenario';

describe('scope', () => {
  const open = worlds();

  it('60: destroy ends what is managed after approval, and touches nothing else', async () => {
    const world = await open({
      seed: acmeSeed({ oauthClients: { 'oc-theirs': seedClient({ name: 'Theirs' }) } }),
    });
    world.write(acmeManifest());
    await world.settle();
    const theirs = await world.api().runTriggers.create('ws-app', 'ws-docs');
    await world.api().oauthClients.attach('oc-theirs', ['prj-data']);
    const destroy = { destroy: true };
    const { plan } = await world.plan(destroy);
    assert.deepEqual(
      plan.blockers.map(({ rule }) => rule),
      ['approval', 'approval', 'losses'],
    );
    await assert.rejects(world.apply(destroy), PlanBlocked);
    approve(world, plan);
    await assert.rejects(world.apply(destroy), PlanBlocked);
    const { result } = await world.apply({ ...destroy, maxDeletes: 5 });
    assert.equal(result.counts.done, 5);
    assert.deepEqual((await world.ledger()).objects, {});
    const remaining = world.service.snapshot();
    assert.deepEqual(
      remaining.runTriggers.map(({ id }) => id),
      [theirs.id],
    );
    assert.deepEqual(
      remaining.oauthClients.map(({ id, projectIds }) => [id, projectIds]),
      [['oc-theirs', ['prj-data']]],
    );
    assert.deepEqual((await world.plan(destroy)).plan.steps, []);
  });

  it('63: a folder of triggers alone works with a token without VCS permission, and never reads the clients', async () => {
    const world = await open();
    const workspaces = {
      'ws-app': 'admin',
      'ws-docs': 'admin',
      'ws-network': 'readRuns',
      'ws-dns': 'readRuns',
    } as const;
    world.service.patchSeed({ tokens: { less: { acme: { manageVcsSettings: false, workspaces } } } });
    world.token = 'less';
    world.write(`${acmeHead}${acmeLinks.slice(acmeLinks.indexOf('runTriggers'))}`);
    await world.settle();
    await world.drift();
    world.write(
      'apiVersion: tether/v1\nforget: [OAuthClient/oc-1, ProjectAttachment/oc-1/shop]\n',
      'f.tether.yaml',
    );
    const { plan } = await world.settle();
    assert.deepEqual(
      plan.notes.map(({ message }) => /names nothing/.test(message)),
      [true, true],
    );
    assert.ok(world.service.requests().every(({ url }) => !url.includes('oauth-clients')));
  });

  it('65, 71, 73 and 84: what would be taken for another folder or a smaller one is an error', async () => {
    const world = await open();
    world.write(acmeManifest());
    await world.settle();
    const errors: Readonly<Record<string, () => void>> = {
      'acme.*other|other.*acme': () =>
        world.write('apiVersion: tether/v1\norganization: other\n', 'b.tether.yaml'),
      'rename or move it': () => world.write(`${bareHead}`, 'b.yaml'),
      'link out of this folder': () => symlinkSync('/dev/zero', join(world.folder, 'b.tether.yaml')),
      'The organization acmee was not found': () =>
        world.write(acmeManifest().replace('organization: acme', 'organization: acmee')),
    };
    for (const [message, spoil] of Object.entries(errors)) {
      world.write(acmeManifest());
      spoil();
      await assert.rejects(world.plan(), new RegExp(message, 's'));
      for (const name of ['b.tether.yaml', 'b.yaml'])
        try {
          unlinkSync(join(world.folder, name));
        } catch {}
    }
    assert.equal(world.service.snapshot().oauthClients.length, 2);
  });

  it('88: after the ledger was lost, links that are declared are adopted, and clients need their `id:` lines', async () => {
    const world = await open();
    world.write(acmeManifest());
    await world.settle();
    unlinkSync(join(world.folder, 'tether.ledger.json'));
    world.writes();
    const { plan } = await world.apply();
    assert.deepEqual(
      plan.problems.map(({ rule }) => rule),
      ['possible-match', 'possible-match'],
    );
    assert.deepEqual(
      stepIds(plan).filter((id) => !id.startsWith('adopt RunTrigger')),
      [],
    );
    let text = acmeManifest();
    for (const { address, line } of plan.problems)
      text = text.replace(`  ${address.split('/')[1]}:\n`, `  ${address.split('/')[1]}:\n    ${line}\n`);
    world.write(text);
    const again = await world.settle();
    assert.deepEqual([...new Set(again.plan.steps.map(({ action }) => action))], ['adopt']);
    // The secret that can be written in place is; nothing else is touched.
    assert.deepEqual(world.writes(), ['PATCH /oauth-clients/:id']);
  });

  const named = (...names: string[]) =>
    acmeSeed({ workspaces: Object.fromEntries(names.map((name) => [`ws-${name}-1`, { name }])) });
  const hcp = (lines: string) => `profile: hcp-terraform\n${bareHead}runTriggers:\n${lines}`;

  it('89: a renamed workspace makes one row, which says its new name', async () => {
    const seed = named('app', 'network', 'dns', 'jobs');
    const world = await open({ profile: 'hcp-terraform', seed });
    world.write(hcp('  - { target: app, sources: [network, dns] }\n  - { target: jobs, source: app }\n'));
    await world.settle();
    const places = { workspaces: { 'ws-app-1': { name: 'application' } } };
    world.service.patchSeed({ organizations: { acme: places } });
    const { plan, digest } = await world.plan();
    assert.deepEqual([plan.steps, plan.unknown.length], [[], 4]);
    const naming = { displayName: String, again: String };
    const [section] = planReport(plan, digest, naming).sections;
    assert.deepEqual(
      section?.rows.map(({ title, text }) => [title, text]),
      [
        [
          'workspace/app',
          'no workspace named `app` was found in acme: check the spelling, or what this token may see. ws-app-1, which the ledger has in its place, is now named "application"',
        ],
      ],
    );
    assert.match(
      JSON.stringify(section?.rows[0]?.lines),
      /left alone with it: RunTrigger\/app\/network, RunTrigger\/app\/dns, RunTrigger\/jobs\/app"/,
    );
    world.write(
      hcp(
        '  - { target: application, sources: [network, dns] }\n  - { target: jobs, source: application }\n',
      ),
    );
    await world.expectNothing();
  });

  it('89: a name that two workspaces have now says which of them the ledger has', async () => {
    const world = await open({ profile: 'hcp-terraform', seed: named('app', 'network', 'jobs') });
    world.write(hcp('  - { target: app, source: network }\n'));
    await world.settle();
    world.service.patchSeed({ organizations: { acme: { workspaces: { 'ws-jobs-1': { name: 'app' } } } } });
    const { plan } = await world.plan();
    assert.deepEqual(plan.steps, []);
    assert.match(
      plan.unknown[0]?.message ?? '',
      /ws-app-1.*ws-jobs-1.*The ledger has ws-app-1 in its place$/,
    );
  });

  it('89: the guess that a workspace was renamed gives no other link of it another address', async () => {
    const seed = named('app', 'network', 'dns', 'jobs');
    const world = await open({ profile: 'hcp-terraform', seed });
    world.write(hcp('  - { target: app, source: network }\n  - { target: network, source: dns }\n'));
    await world.settle();
    world.write(hcp('  - { target: app, source: netwrok }\n'));
    const { plan } = await world.plan();
    const addresses = plan.unknown.map(({ address }) => address);
    assert.ok(addresses.includes('RunTrigger/ws-network-1/ws-dns-1'), addresses.join(' '));
  });

  it('89: an id of a link to create is looked for in a list that is read for names, and no other id is', async () => {
    const names = ['app', 'network', 'dns', 'jobs', 'web', 'docs'];
    const world = await open({ profile: 'hcp-terraform', seed: named(...names, 'late') });
    const triggerLine = '  - { target: app, sources: [network, dns, jobs, web, docs] }\n';
    world.write(hcp(`${triggerLine}  - { target: ws-late-1, source: app }\n`));
    await world.settle();
    world.writes();
    world.write(
      hcp(`${triggerLine}  - { target: ws-late-1, source: app }\n  - { target: ws-lat-1, source: app }\n`),
    );
    const { plan } = await world.plan();
    assert.deepEqual(plan.steps, []);
    assert.match(
      plan.unknown[0]?.message ?? '',
      /ws-lat-1 is not among the workspaces of acme that this token may list/,
    );
    await world.apply();
    assert.deepEqual(world.writes(), []);
    // The list of workspaces lacks an end of a recorded trigger, and of a forgotten one.
    const openApi = world.api.bind(world);
    world.api = (options) => {
      const api = openApi(options);
      const list: typeof api.names.list = async (organization, type) =>
        (await api.names.list(organization, type)).filter(({ id }) => id !== 'ws-late-1');
      return { ...api, names: { ...api.names, list } };
    };
    world.write(hcp(`${triggerLine}  - { target: ws-late-1, source: app }\n`));
    await world.expectNothing();
    world.write(hcp(`${triggerLine}forget: [RunTrigger/ws-late-1/app]\n`));
    await world.settle();
    const few = await open({ profile: 'hcp-terraform', seed: named('app') });
    few.write(hcp('  - { target: app, source: ws-nowhere }\n'));
    assert.deepEqual(stepIds((await few.plan()).plan), ['create RunTrigger/app/ws-nowhere']);
  });

  for (const line of ['OAuthClient/oc-theirs', 'ProjectAttachment/oc-theirs/prj-data'])
    it(`88b: a note about ${line} does not say that it was looked for where no list of clients is read`, async () => {
      const world = await open({
        seed: acmeSeed({ oauthClients: { 'oc-theirs': seedClient({ name: 'Theirs' }) } }),
      });
      world.write(`${bareHead}runTriggers: [{ target: ws-web, source: ws-jobs }]\nforget: [${line}]\n`);
      const { plan } = await world.settle();
      assert.match(
        plan.notes[0]?.message ?? '',
        /and no list that this folder needs shows such an object\. If/,
      );
      const lists = world.service.requests().filter(({ route }) => route?.endsWith('/oauth-clients'));
      assert.deepEqual(lists, []);
    });

  it('89: a name that is not found keeps every link, and the rest is done', async () => {
    const seed = acmeSeed({
      workspaces: { 'ws-1': { name: 'app' }, 'ws-2': { name: 'network' }, 'ws-3': { name: 'dns' } },
    });
    const world = await open({ profile: 'hcp-terraform', seed });
    const head = `profile: hcp-terraform\n${bareHead}oauthClients:\n${clientEntry('github', { serviceProvider: 'github', projects: '[prj-data]' })}runTriggers:\n`;
    world.write(
      `${head}  - { target: app, sources: [network, dns] }\n  - { target: dns, source: network }\n`,
    );
    await world.settle();
    world.write(
      `${head.replace('name: GitHub', 'name: Other')}  - { target: app, sources: [network, dsn] }\n`,
    );
    const { plan } = await world.plan();
    assert.deepEqual(stepIds(plan), ['update OAuthClient/github']);
    assert.match(plan.unknown.map(({ message }) => message).join(), /no workspace named `dsn`/);
    const [{ id = '' } = {}] = world.service.snapshot().oauthClients;
    await world.somebody.oauthClients.attach(id, ['prj-web']);
    const added = (await world.drift()).rows.map(({ address, state }) => `${state} ${address}`);
    assert.deepEqual(added, ['added ProjectAttachment/github/prj-web']);
    await world.somebody.oauthClients.detach(id, ['prj-web']);
    // A client would take its attachments along.
    world.write(`profile: hcp-terraform\n${bareHead}runTriggers: [{ target: app, source: dsn }]\n`);
    assert.deepEqual(stepIds((await world.plan()).plan), []);
    for (const carried of [[], ['prj-data']]) {
      const projects = [...carried, 'dsn'].join(', ');
      const headWithNewUrl = head.replace('git.example', 'new.example').replace('prj-data', projects);
      world.write(headWithNewUrl.replace('runTriggers:', ''));
      const { steps, unknown } = (await world.plan()).plan;
      assert.match(
        unknown.map(({ message }) => message).join(' '),
        /oc-\w+, the predecessor of OAuthClient\/github, is left alone/,
      );
      const [first, ...others] = steps.filter(({ action }) => action !== 'move');
      assert.deepEqual(
        [first?.action, first && readMember(first, 'inputs')?.projectIds, others],
        ['replace', carried, []],
      );
    }
    const theirs = await world.api().runTriggers.create('ws-2', 'ws-3');
    world.write(
      `${head.replace('name: GitHub', 'name: Other')}  - { target: app, source: dsn }\n  - { target: network, sources: [] }\n`,
    );
    await world.apply();
    assert.equal(world.service.snapshot().runTriggers.length, 4);
    await world.api().runTriggers.delete(theirs.id);
    world.write(`${head.replace('name: GitHub', 'name: Other')}  - { target: app, source: dns }\n`);
    await world.settle({ maxDeletes: 2 });
    assert.equal(world.service.snapshot().runTriggers.length, 1);
  });
});
