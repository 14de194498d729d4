/** Courses that somebody thought of to break the core: several clients and sets at once, lost rights, edits at the worst time. */
import assert from 'node:assert/strict';
import { acmeHead, acmeSeed } from '../support/acme';
import type { FolderWorld } from '../support/folder-world';
import { approve, bareHead, clientEntry, seedClient, worlds, writesOf } from '../support/scenario';

const clients = (...entries: string[]) => `oauthClients:\n${entries.join('')}`;
const triggers = (...lines: string[]) => `runTriggers:\n${lines.map((line) => `  - ${line}\n`).join('')}`;
const idOf = async (world: FolderWorld, key: string) => (await world.ledger()).objects[key]?.id ?? '';
const one = { name: 'One', httpUrl: 'https://one.example.com' };
const two = { name: 'Two', httpUrl: 'https://two.example.com' };

describe('the core', () => {
  const open = worlds();

  it('replaces two clients that swap their URLs, and gives each its own attachments', async () => {
    const world = await open();
    const attach =
      'projectAttachments:\n  - { oauthClient: x, project: shop }\n  - { oauthClient: y, project: data }\n';
    world.write(acmeHead + clients(clientEntry('x', one), clientEntry('y', two)) + attach);
    await world.settle();
    const [x, y] = [await idOf(world, 'OAuthClient/x'), await idOf(world, 'OAuthClient/y')];
    world.write(
      acmeHead +
        clients(
          clientEntry('x', { ...one, httpUrl: two.httpUrl }),
          clientEntry('y', { ...two, httpUrl: one.httpUrl }),
        ) +
        attach,
    );
    const { plan } = await world.plan();
    assert.deepEqual(
      plan.blockers.map(({ rule }) => rule),
      ['approval', 'approval', 'losses'],
    );
    approve(world, plan);
    await world.settle({ maxDeletes: 2 });
    const made = world.service.snapshot().oauthClients;
    assert.ok(made.every(({ id }) => id !== x && id !== y));
    assert.deepEqual(made.map(({ name, projectIds }) => [name, projectIds]).sort(), [
      ['One', ['prj-shop']],
      ['Two', ['prj-data']],
    ]);
  });

  it('keeps what a set does not list while one of its members cannot be made', async () => {
    const world = await open();
    world.write(acmeHead + triggers('{ target: app, sources: [network, dns] }'));
    await world.settle();
    world.write(bareHead + triggers('{ target: ws-app, sources: [ws-network, ws-nowhere] }'));
    const { result } = await world.apply();
    assert.equal(world.service.snapshot().runTriggers.length, 2, JSON.stringify(result.steps));
  });

  it('counts every trigger of a pair in drift where an exact set covers it, as the plan does', async () => {
    const world = await open({ behaviours: { 'duplicate-trigger': 'accept' } });
    world.write(acmeHead + triggers('{ target: app, sources: [network] }', '{ target: docs, source: app }'));
    await world.settle();
    const second = await world.api().runTriggers.create('ws-app', 'ws-network');
    await world.api().runTriggers.create('ws-docs', 'ws-app');
    const { rows, unmanaged } = await world.drift();
    assert.deepEqual(
      rows.map(({ state, objectId }) => [state, objectId]),
      [['added', second.id]],
    );
    assert.equal(unmanaged.RunTrigger, 2);
    const { plan } = await world.settle();
    assert.deepEqual(
      plan.steps.map(({ reason, objectId }) => [reason, objectId]),
      [['duplicate', second.id]],
    );
    assert.deepEqual((await world.drift()).rows, []);
  });

  it('neither loses nor writes a secret whose line goes and comes back', async () => {
    const world = await open();
    const entry = (secret: string | null) => acmeHead + clients(clientEntry('x', { secret }));
    world.write(entry('{ fromEnv: GIT_SECRET }'));
    await world.settle();
    writesOf(world);
    world.write(entry(null));
    await world.expectNothing();
    world.write(entry('{ fromEnv: GIT_SECRET }'));
    await world.expectNothing();
    world.env.GIT_SECRET = 'new';
    await world.settle();
    assert.deepEqual(writesOf(world), ['PATCH /oauth-clients/:id']);
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

  it('destroys what is managed of a folder whose names are not found and whose workspaces are gone', async () => {
    const world = await open({
      profile: 'hcp-terraform',
      seed: acmeSeed({
        workspaces: { 'ws-1': { name: 'app' }, 'ws-2': { name: 'network' }, 'ws-3': { name: 'dns' } },
      }),
    });
    const head = `profile: hcp-terraform\n${bareHead}`;
    world.write(head + triggers('{ target: app, sources: [network, dns] }'));
    await world.settle();
    world.write(head + triggers('{ target: nowhere, sources: [network] }'));
    const { result, plan } = await world.apply({ destroy: true, maxDeletes: 2 });
    assert.deepEqual([result.counts.done, plan.unknown], [2, []]);
    assert.deepEqual(world.service.snapshot().runTriggers, []);
  });

  it('keeps the old client while something of the new one is not done', async () => {
    const world = await open();
    const entry = (host: string) => bareHead + clients(clientEntry('x', { httpUrl: `https://${host}` }));
    world.write(entry('one.example'));
    await world.settle();
    world.write(`${entry('two.example')}projectAttachments:\n  - { oauthClient: x, project: prj-nowhere }\n`);
    approve(world, (await world.plan()).plan);
    const { result } = await world.apply();
    assert.deepEqual(
      result.steps.map(({ status }) => status),
      ['done', 'failed', 'blocked'],
    );
    assert.equal(world.service.snapshot().oauthClients.length, 2);
    world.write(entry('two.example'));
    await world.settle();
    assert.equal(world.service.snapshot().oauthClients.length, 1);
  });

  it('lets a client go in every state of a replacement', async () => {
    const world = await open({
      seed: acmeSeed({ oauthClients: { 'oc-1': seedClient({ projects: ['prj-data'] }) } }),
    });
    const entry = (more: Record<string, string>) => acmeHead + clients(clientEntry('x', more));
    world.write(entry({ id: 'oc-1' }));
    await world.settle();
    world.write(entry({ apiUrl: 'https://git.example.com/api/v4' }));
    approve(world, (await world.plan()).plan);
    world.service.fault({
      method: 'DELETE',
      route: '/oauth-clients/:id',
      how: 'status',
      status: 422,
      nth: 1,
    });
    const { result } = await world.apply();
    assert.equal(result.counts.failed, 1);
    assert.deepEqual((await world.ledger()).objects['OAuthClient/x']?.retiring, ['oc-1']);
    // The line that approved the replacement still approves the delete; without it `forget` ends it.
    world.write(bareHead, 'approved.tether.yaml');
    assert.deepEqual(
      (await world.plan()).plan.blockers.map(({ rule }) => rule),
      ['approval'],
    );
    world.write(`${entry({ apiUrl: 'https://git.example.com/api/v4' })}forget: [OAuthClient/oc-1]\n`);
    writesOf(world);
    await world.settle();
    assert.deepEqual(writesOf(world), []);
    assert.equal(world.service.snapshot().oauthClients.length, 2);
    world.write(`${acmeHead}forget: [OAuthClient/x]\n`);
    await world.settle();
    assert.deepEqual([(await world.ledger()).objects, writesOf(world)], [{}, []]);
  });
});
