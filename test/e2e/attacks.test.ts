/** Courses that somebody thought of to break the core: several clients and sets at once, lost rights, edits at the worst time. */
import assert from 'node:assert/strict';
import { acmeHead, bareHead, clientEntry, githubFields } from '../support/acme';
import { worlds } from '../support/scenario';

const triggers = (...lines: string[]) => `runTriggers:\n${lines.map((line) => `  - ${line}\n`).join('')}`;

describe('the core', () => {
  const open = worlds();

  for (const line of [
    '{ target: ws-app, sources: [ws-network, ws-nowhere] }',
    '{ target: ws-app, source: ws-nowhere }',
    '{ target: ws-nowhere, sources: [ws-network, ws-dns] }',
  ]) {
    it(`deletes no trigger while ${line} names a workspace by mistake`, async () => {
      const world = await open();
      world.write(acmeHead + triggers('{ target: app, sources: [network, dns] }'));
      await world.settle();
      world.write(bareHead + triggers(line));
      const { result } = await world.apply({ maxDeletes: 2 });
      assert.equal(world.service.snapshot().runTriggers.length, 2, JSON.stringify(result.steps));
    });
  }

  it('counts every trigger of a pair in drift where an exact set covers it, as the plan does', async () => {
    const world = await open({ behaviours: { 'duplicate-trigger': 'accept' } });
    world.write(acmeHead + triggers('{ target: app, sources: [network] }', '{ target: docs, source: app }'));
    await world.settle();
    const second = await world.api().runTriggers.create('ws-app', 'ws-network');
    const other = await world.api().runTriggers.create('ws-docs', 'ws-app');
    const { rows, unmanaged, unmanagedLinks } = await world.drift();
    assert.deepEqual(
      rows.map(({ state, objectId }) => [state, objectId]),
      [['added', second.id]],
    );
    assert.equal(unmanaged.RunTrigger, 2);
    assert.deepEqual(unmanagedLinks, [`RunTrigger/docs/app (${other.id})`]);
    const { plan } = await world.settle();
    assert.deepEqual(
      plan.steps.map(({ reason, objectId }) => [reason, objectId]),
      [['duplicate', second.id]],
    );
    assert.deepEqual((await world.drift()).rows, []);
  });

  it('does not count a client of another organization, which an `id:` line names, as unmanaged here', async () => {
    const world = await open();
    world.service.patchSeed({ organizations: { other: {} }, tokens: { owner: { other: 'owner' } } });
    const { id } = await world.api().oauthClients.create('other', githubFields);
    world.write(`${bareHead}oauthClients:\n${clientEntry('github')}    id: ${id}\n`);
    assert.deepEqual((await world.drift()).unmanaged, {});
  });

  it('says of a secret that is set and empty that it is empty', async () => {
    const world = await open();
    world.write(`${bareHead}oauthClients:\n${clientEntry('github')}`);
    await world.settle();
    world.env.GIT_TOKEN = '';
    const { notes } = (await world.plan()).plan;
    assert.match(notes[0]?.message ?? '', /was not compared: environment variable GIT_TOKEN is empty/);
  });

  it('plans the same with a reader token as the owner does, and changes nothing with it', async () => {
    const world = await open({ behaviours: { 'lists-hide-unreadable': 'yes' } });
    world.write(acmeHead + triggers('{ target: app, sources: [network, dns] }'));
    await world.settle();
    world.write(acmeHead + triggers('{ target: app, sources: [network, docs] }'));
    const { digest } = await world.plan();
    const all = {
      'ws-app': 'readRuns',
      'ws-network': 'readRuns',
      'ws-dns': 'readRuns',
      'ws-docs': 'readRuns',
    } as const;
    world.service.patchSeed({ tokens: { reader: { acme: { manageVcsSettings: false, workspaces: all } } } });
    world.token = 'reader';
    assert.equal((await world.plan()).digest, digest);
    const { result } = await world.apply();
    assert.equal(result.counts.done, 0);
    assert.equal(world.service.snapshot().runTriggers.length, 2);
  });

  it('does not bring back a trigger that a late list still shows', async () => {
    const world = await open({ behaviours: { 'delete-visible-ms': '60000' } });
    world.write(
      acmeHead + triggers('{ target: app, sources: [network, dns] }', '{ target: docs, source: app }'),
    );
    await world.settle();
    world.write(acmeHead + triggers('{ target: app, sources: [network] }'));
    await world.apply();
    // Nobody can tell yet whether it is gone, so the second delete is not called done.
    const { result } = await world.apply();
    assert.deepEqual(
      result.steps.map(({ status, code }) => [status, code]),
      [['failed', 'not-found']],
    );
    await world.pass(121_000);
    await world.expectNothing();
    assert.equal(world.service.snapshot().runTriggers.length, 1);
  });
});
