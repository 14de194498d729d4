/** Sets of run triggers: strangers are named or removed on request, changes stay within what a preview has shown. */
import assert from 'node:assert/strict';
import { queueOf } from '../../provider/links';
import { inboundSet, outboundSet } from '../../provider/resource-types';
import { unknownValue } from '../../provider/state';
import { definitionOf } from '../../resources/kind';
import { registry } from '../../resources/registry';
import { errorOf, ProviderHandlers, sets } from '../support/provider-handlers';
import { acme } from '../support/world';

const inbound = { workspaceId: 'ws-app', sourceableIds: ['ws-dns', 'ws-network'] };
const outbound = { sourceableId: 'ws-app', workspaceIds: ['ws-docs', 'ws-web'] };

describe('a set of run triggers under Pulumi', () => {
  let world: ProviderHandlers;
  beforeEach(async () => {
    world = await ProviderHandlers.start();
  });
  afterEach(() => world.close());

  const pairs = () =>
    world.service
      .snapshot()
      .runTriggers.map((one) => `${one.sourceableId}>${one.workspaceId}`)
      .sort();
  const somebody = (workspaceId: string, sourceableId: string) =>
    world.session.api.runTriggers.create(workspaceId, sourceableId);

  it('is all triggers into or out of one workspace, with its id and its members', async () => {
    const into = await world.inbound.create(inbound);
    const from = await world.outbound.create(outbound);
    assert.deepEqual([into.id, from.id], ['ws-app/inbound', 'ws-app/outbound']);
    assert.deepEqual(pairs(), ['ws-app>ws-docs', 'ws-app>ws-web', 'ws-dns>ws-app', 'ws-network>ws-app']);
    const id = (workspaceId: string) =>
      world.service.snapshot().runTriggers.find((one) => one.workspaceId === workspaceId)?.id;
    assert.deepEqual(from.outs, {
      sourceableId: 'ws-app',
      workspaceIds: ['ws-docs', 'ws-web'],
      triggerIds: { 'ws-docs': id('ws-docs'), 'ws-web': id('ws-web') },
      address: world.service.url,
    });
    for (const [handler, made, inputs] of [
      [world.inbound, into, inbound],
      [world.outbound, from, outbound],
    ] as const) {
      assert.deepEqual(await handler.diff(made.id, made.outs ?? {}, inputs), { update: [], replace: [] });
      const read = await handler.read(made.id, made.outs, inputs);
      assert.deepEqual(read.inputs, inputs);
      assert.deepEqual((await handler.read(made.id)).props, made.outs);
    }
  });

  it('is read by its own id alone', async () => {
    for (const [handler, id] of [
      [world.inbound, 'ws-app/outbound'],
      [world.outbound, 'ws-app'],
      [world.inbound, 'ws-app/inbound/more'],
    ] as const) {
      assert.match((await errorOf(handler.read(id))).message, /is not the id of an \w+: write ws-…\//);
    }
  });

  it('names strangers, in order, and creates nothing', async () => {
    await somebody('ws-app', 'ws-web');
    await somebody('ws-app', 'ws-jobs');
    await somebody('ws-app', 'ws-dns');
    world.writes();
    const { message } = await errorOf(world.inbound.create(inbound));
    assert.equal(
      message,
      'ws-app has inbound triggers that the set does not list: ws-jobs, ws-web. Add them to sourceableIds, remove them, or set removeUnmanaged: true to have them deleted',
    );
    assert.deepEqual(world.writes(), []);
  });

  it('removes strangers where it is told to, and keeps the members that are there', async () => {
    const kept = await somebody('ws-app', 'ws-dns');
    await somebody('ws-app', 'ws-web');
    world.writes();
    await world.inbound.create({ ...inbound, removeUnmanaged: true });
    assert.deepEqual(
      world.writes().map((one) => one.split(' ')[0]),
      ['DELETE', 'POST'],
    );
    assert.deepEqual(pairs(), ['ws-dns>ws-app', 'ws-network>ws-app']);
    assert.ok(world.service.snapshot().runTriggers.some((one) => one.id === kept.id));
    assert.deepEqual(world.said, [
      `${kept.id} existed already and is managed here from now: \`pulumi destroy\` deletes it`,
    ]);
  });

  it('says which triggers it takes over with an update, and only those', async () => {
    const { id, outs = {} } = await world.inbound.create(inbound);
    const theirs = [await somebody('ws-app', 'ws-jobs'), await somebody('ws-app', 'ws-web')];
    const sourceableIds = [...inbound.sourceableIds, 'ws-jobs', 'ws-web'];
    // As a state of 0.1.
    const { triggerIds: _, ...before } = outs;
    await world.inbound.update(id, before, { ...inbound, sourceableIds });
    const ids = theirs.map((one) => one.id).join(', ');
    assert.deepEqual(world.said, [
      `${ids} existed already and are managed here from now: \`pulumi destroy\` deletes them`,
    ]);
  });

  it('is replaced with its fixed end and updated with its members, also while they are not known', async () => {
    const { id, outs = {} } = await world.inbound.create(inbound);
    const cases = [
      [
        { ...inbound, workspaceId: 'ws-web' },
        { update: [], replace: ['workspaceId'] },
      ],
      [
        { ...inbound, workspaceId: unknownValue },
        { update: [], replace: ['workspaceId'] },
      ],
      [
        { ...inbound, sourceableIds: ['ws-dns'] },
        { update: ['sourceableIds'], replace: [] },
      ],
      [
        { ...inbound, sourceableIds: unknownValue },
        { update: ['sourceableIds'], replace: [] },
      ],
      [
        { ...inbound, sourceableIds: ['ws-dns', unknownValue] },
        { update: ['sourceableIds'], replace: [] },
      ],
      [
        { ...inbound, removeUnmanaged: true },
        { update: [], replace: [] },
      ],
    ] as const;
    for (const [news, answer] of cases) assert.deepEqual(await world.inbound.diff(id, outs, news), answer);
  });

  it('deletes only members of the old state, and shows strangers after a refresh', async () => {
    const { id, outs = {} } = await world.inbound.create(inbound);
    await somebody('ws-app', 'ws-web');
    const news = { ...inbound, sourceableIds: ['ws-jobs', 'ws-network'] };
    const { outs: now } = await sets(world.newRun(), inboundSet).update(id, outs, news);
    assert.deepEqual(pairs(), ['ws-jobs>ws-app', 'ws-network>ws-app', 'ws-web>ws-app']);
    assert.deepEqual(now?.sourceableIds, ['ws-jobs', 'ws-network']);
    const read = await sets(world.newRun(), inboundSet).read(id, now);
    assert.deepEqual(read.inputs?.sourceableIds, ['ws-jobs', 'ws-network', 'ws-web']);
    await sets(world.newRun(), inboundSet).update(id, read.props ?? {}, news);
    assert.deepEqual(pairs(), ['ws-jobs>ws-app', 'ws-network>ws-app']);
  });

  it('deletes duplicates of a member that leaves', async () => {
    const doubled = await ProviderHandlers.start(acme, { behaviours: { 'duplicate-trigger': 'accept' } });
    const { id, outs = {} } = await doubled.inbound.create(inbound);
    await doubled.session.api.runTriggers.create('ws-app', 'ws-dns');
    await sets(doubled.newRun(), inboundSet).update(id, outs, { ...inbound, sourceableIds: ['ws-network'] });
    const left = doubled.service.snapshot().runTriggers.map((one) => one.sourceableId);
    await doubled.close();
    assert.deepEqual(left, ['ws-network']);
  });

  const order = async (profile: string): Promise<string[]> => {
    world.variables.TETHER_PROFILE = profile;
    const { id, outs = {} } = await world.inbound.create(inbound);
    world.writes();
    await sets(world.newRun(), inboundSet).update(id, outs, {
      ...inbound,
      sourceableIds: ['ws-dns', 'ws-web'],
    });
    return world.writes().map((one) => one.split(' ')[0] ?? '');
  };

  it('creates before it deletes where there is room, and makes room first where the sources are limited', async () => {
    assert.deepEqual(await order('default'), ['POST', 'DELETE']);
    await world.inbound.delete('ws-app/inbound', { workspaceId: 'ws-app', sourceableIds: [] });
    for (const one of world.service.snapshot().runTriggers)
      await world.session.api.runTriggers.delete(one.id);
    assert.deepEqual(await order('hcp-terraform'), ['DELETE', 'POST']);
  });

  it('is done when members that leave are gone already', async () => {
    const { id, outs = {} } = await world.inbound.create(inbound);
    for (const one of world.service.snapshot().runTriggers)
      await world.session.api.runTriggers.delete(one.id);
    await sets(world.newRun(), inboundSet).update(id, outs, { ...inbound, sourceableIds: ['ws-network'] });
    assert.deepEqual(pairs(), ['ws-network>ws-app']);
    await world.session.api.runTriggers.delete(world.service.snapshot().runTriggers[0]?.id ?? '');
    await sets(world.newRun(), inboundSet).delete(id, outs);
    assert.deepEqual(pairs(), []);
  });

  it('keeps a trigger that another resource of the run stands for', async () => {
    const { id, outs = {} } = await world.inbound.create(inbound);
    const next = world.newRun();
    await sets(next, outboundSet).create({ sourceableId: 'ws-dns', workspaceIds: ['ws-app'] });
    await sets(next, inboundSet).delete(id, outs);
    assert.deepEqual(pairs(), ['ws-dns>ws-app']);
  });

  it('keeps a trigger that another set hands over to it in the same run', async () => {
    const into = await world.inbound.create({ ...inbound, sourceableIds: ['ws-network'] });
    const from = await world.outbound.create({
      ...outbound,
      sourceableId: 'ws-dns',
      workspaceIds: ['ws-app'],
    });
    const next = world.newRun();
    await sets(next, inboundSet).update(into.id, into.outs, inbound);
    world.writes();
    await sets(next, outboundSet).update(from.id, from.outs, { ...from.outs, workspaceIds: [] });
    assert.deepEqual(pairs(), ['ws-dns>ws-app', 'ws-network>ws-app']);
    assert.deepEqual(world.writes(), []);
  });

  it('makes again a trigger that is just being deleted when it is handed over', async () => {
    const into = await world.inbound.create({ ...inbound, sourceableIds: ['ws-network'] });
    const old = await somebody('ws-app', 'ws-dns');
    const next = world.newRun();
    const queue = queueOf(definitionOf('RunTrigger', registry), {
      workspaceId: 'ws-app',
      sourceableId: 'ws-dns',
    });
    const updated: { done?: Promise<unknown> } = {};
    // The other resource found before that nobody wants the trigger; its delete arrives while the set is changed.
    await next.queues.run(queue, async () => {
      updated.done = sets(next, inboundSet).update(into.id, into.outs, inbound);
      await world.session.api.runTriggers.list('ws-app', 'inbound');
      await world.session.api.runTriggers.delete(old.id);
    });
    await updated.done;
    assert.deepEqual(pairs(), ['ws-dns>ws-app', 'ws-network>ws-app']);
  });

  it('is as far as it came when a change fails, and fails plainly when nobody can look', async () => {
    const { id, outs = {} } = await world.inbound.create(inbound);
    const news = { ...inbound, sourceableIds: ['ws-dns', 'ws-jobs', 'ws-network'] };
    await somebody('ws-app', 'ws-web');
    world.service.fault({ how: 'status', method: 'POST', status: 403, times: 1 });
    const error = await errorOf(world.inbound.update(id, outs, news));
    assert.match(
      error.message,
      /^ws-app\/inbound is not complete: POST \/workspaces\/ws-app\/run-triggers: forbidden/,
    );
    assert.deepEqual((error.properties as Record<string, unknown>).sourceableIds, inbound.sourceableIds);
    world.service.fault({ how: 'status', method: 'POST', status: 403 });
    // After the refusal the create looks, and then the set does; each asks again without a page size.
    for (const nth of [2, 3, 4, 5]) world.service.fault({ how: 'status', method: 'GET', nth, status: 403 });
    const blind = await errorOf(sets(world.newRun(), inboundSet).update(id, outs, news));
    assert.match(blind.message, /^POST \/workspaces\/ws-app\/run-triggers: forbidden/);
    assert.equal(blind.id, undefined);
  });

  it('says what the service says of its list, unless the list is not to be seen', async () => {
    const { id, outs = {} } = await world.inbound.create(inbound);
    world.service.fault({ how: 'status', method: 'GET', status: 403, times: 2 });
    const read = await errorOf(sets(world.newRun(), inboundSet).read(id, outs));
    assert.match(read.message, /^GET \/workspaces\/ws-app\/run-triggers: forbidden/);
    world.service.fault({ how: 'status', method: 'GET', status: 403, times: 2 });
    const deleted = await errorOf(sets(world.newRun(), inboundSet).delete(id, outs));
    assert.match(deleted.message, /^GET \/workspaces\/ws-app\/run-triggers: forbidden/);
    assert.equal(pairs().length, 2);
  });

  it('goes through the lists of its members where its own is not to be seen, in either direction', async () => {
    const into = await world.inbound.create(inbound);
    const from = await world.outbound.create(outbound);
    world.service.fault({
      how: 'status',
      method: 'GET',
      route: '/workspaces/:workspace_id/run-triggers',
      nth: 1,
      status: 404,
    });
    await sets(world.newRun(), inboundSet).delete(into.id, into.outs ?? {});
    assert.deepEqual(pairs(), ['ws-app>ws-docs', 'ws-app>ws-web']);
    world.service.fault({
      how: 'status',
      method: 'GET',
      route: '/workspaces/:workspace_id/run-triggers',
      nth: 1,
      status: 404,
    });
    await sets(world.newRun(), outboundSet).delete(from.id, from.outs ?? {});
    assert.deepEqual(pairs(), []);
  });

  it('does not move to another account', async () => {
    const { id, outs = {} } = await world.inbound.create(inbound);
    const elsewhere = { ...outs, address: 'https://other.example.com/api/v2' };
    for (const work of [
      () => world.inbound.diff(id, elsewhere, inbound),
      () => world.inbound.read(id, elsewhere, inbound),
      () => world.inbound.update(id, elsewhere, inbound),
      () => world.inbound.delete(id, elsewhere),
    ]) {
      assert.match(
        (await errorOf(work())).message,
        /^ws-app\/inbound belongs to https:\/\/other\.example\.com/,
      );
    }
    assert.equal(pairs().length, 2);
  });
});

describe('a set with a member that the token may not read any more', () => {
  let world: ProviderHandlers;
  let id: string;
  let outs: Record<string, unknown>;
  beforeEach(async () => {
    world = await ProviderHandlers.start(acme, { behaviours: { 'lists-hide-unreadable': 'yes' } });
    ({ id, outs = {} } = await world.inbound.create(inbound));
    const workspaces = { 'ws-app': 'admin', 'ws-network': 'readRuns', 'ws-jobs': 'readRuns' } as const;
    world.service.patchSeed({ tokens: { less: { acme: { manageVcsSettings: false, workspaces } } } });
    world.variables.TETHER_TOKEN = 'less';
    world.writes();
  });
  afterEach(() => world.close());
  const sources = () =>
    world.service
      .snapshot()
      .runTriggers.map((one) => one.sourceableId)
      .sort();

  it('keeps it in a refresh, since the trigger itself is still there', async () => {
    const read = await sets(world.newRun(), inboundSet).read(id, outs);
    assert.deepEqual(read.props, outs);
    assert.deepEqual(read.inputs?.sourceableIds, inbound.sourceableIds);
  });

  it('loses it in a refresh when the trigger is gone', async () => {
    const [dns] = await world.session.api.runTriggers.list('ws-app', 'inbound');
    await world.session.api.runTriggers.delete(dns?.id ?? '');
    const read = await sets(world.newRun(), inboundSet).read(id, outs);
    const left = inbound.sourceableIds.filter((one) => one !== dns?.sourceableId);
    assert.deepEqual(read.inputs?.sourceableIds, left);
  });

  it('takes it along in a change, without a second trigger and without forgetting it', async () => {
    const news = { ...inbound, sourceableIds: ['ws-dns', 'ws-jobs', 'ws-network'] };
    const { outs: now } = await sets(world.newRun(), inboundSet).update(id, outs, news);
    assert.deepEqual(
      world.writes().map((one) => one.split(' ')[0]),
      ['POST'],
    );
    assert.deepEqual([now?.sourceableIds, sources()], [news.sourceableIds, news.sourceableIds]);
  });

  it('deletes it when it is taken off, and with the set', async () => {
    const news = { ...inbound, sourceableIds: ['ws-network'] };
    const { outs: now = {} } = await sets(world.newRun(), inboundSet).update(id, outs, news);
    assert.deepEqual(sources(), ['ws-network']);
    await sets(world.newRun(), inboundSet).delete(id, now);
    assert.deepEqual(sources(), []);
  });
});
