/** Links and sets under lost answers, permissions and other people, and how few calls a refresh of many takes. */
import assert from 'node:assert/strict';
import { inboundSet, resourceTypeOf } from '../../provider/resource-types';
import { membersOf } from '../../provider/state';
import type { SeedObject } from '../../service';
import { errorOf, links, ProviderHandlers, sets } from '../support/provider-handlers';
import { acme } from '../support/world';

const ends = { workspaceId: 'ws-app', sourceableId: 'ws-network' };

describe('a run trigger under Pulumi', () => {
  let world: ProviderHandlers;
  beforeEach(async () => {
    world = await ProviderHandlers.start();
  });
  afterEach(() => world.close());

  it('is one when the answer to its create is lost, and when it was there before', async () => {
    world.service.fault({ how: 'reset-after', method: 'POST', nth: 1 });
    const made = await world.trigger.create(ends);
    assert.equal((await world.trigger.create(ends)).id, made.id);
    assert.equal(world.service.snapshot().runTriggers.length, 1);
  });

  it('is the pair: made anew by somebody, it goes on under its new id', async () => {
    const made = await world.trigger.create(ends);
    await world.session.api.runTriggers.delete(made.id);
    const again = await world.session.api.runTriggers.create(ends.workspaceId, ends.sourceableId);
    const read = await links(world.newRun(), resourceTypeOf('RunTrigger')).read(made.id, made.outs);
    assert.equal(read.id, again.id);
  });

  it('is seen from its source where the target is forbidden, and is an error where both are', async () => {
    const made = await world.trigger.create(ends);
    const grant = (workspaces: Record<string, 'readRuns'>) =>
      world.service.patchSeed({ tokens: { partly: { acme: { workspaces } } } });
    grant({ 'ws-network': 'readRuns' });
    world.variables.TETHER_TOKEN = 'partly';
    assert.equal(
      (await links(world.newRun(), resourceTypeOf('RunTrigger')).read(made.id, made.outs)).id,
      made.id,
    );
    world.service.patchSeed({ tokens: { blind: { acme: { manageVcsSettings: true } } } });
    world.variables.TETHER_TOKEN = 'blind';
    const error = await errorOf(links(world.newRun(), resourceTypeOf('RunTrigger')).read(made.id, made.outs));
    assert.match(error.message, /^nobody can tell whether RunTrigger rt-\w+ still exists/);
  });

  it('refuses a workspace that triggers itself, unless an end is not known yet', async () => {
    const same = { workspaceId: 'ws-app', sourceableId: 'ws-app' };
    const { failures = [] } = await world.trigger.check({}, same);
    assert.match(failures[0]?.reason ?? '', /^sourceableId: ws-app cannot trigger itself/);
    const unknown = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';
    const later = await world.trigger.check({}, { workspaceId: unknown, sourceableId: unknown });
    assert.deepEqual(later.failures, []);
  });

  it('reads a thousand in fifty calls', async () => {
    const many = await ProviderHandlers.start(thousand());
    const { runTriggers } = many.service.snapshot();
    assert.equal(runTriggers.length, 1000);
    const address = many.service.url;
    const read = await Promise.all(
      runTriggers.map(({ id, workspaceId, sourceableId }) =>
        many.trigger.read(id, { workspaceId, sourceableId, address }),
      ),
    );
    const calls = many.service.requests().length;
    await many.close();
    assert.equal(read.filter((one) => one.id !== undefined).length, 1000);
    assert.ok(calls <= 50, `${calls} calls`);
  });
});

describe('a set under Pulumi', () => {
  let world: ProviderHandlers;
  beforeEach(async () => {
    world = await ProviderHandlers.start();
  });
  afterEach(() => world.close());

  const set = { workspaceId: 'ws-app', sourceableIds: ['ws-dns', 'ws-jobs', 'ws-network'] };
  const sources = () =>
    world.service
      .snapshot()
      .runTriggers.map((one) => one.sourceableId)
      .sort();

  it('is recorded as far as it came, and the next run completes it', async () => {
    world.service.fault({ how: 'status', method: 'POST', status: 422, nth: 2 });
    const error = await errorOf(world.inbound.create(set));
    assert.equal(error.id, 'ws-app/inbound');
    const properties = error.properties as Record<string, unknown>;
    assert.deepEqual(properties.sourceableIds, sources());
    assert.ok(sources().length < 3);
    await world.inbound.update('ws-app/inbound', properties, set);
    assert.deepEqual(sources(), set.sourceableIds);
  });

  it('remembers what it could not delete yet, and the next run deletes it', async () => {
    const { id, outs } = await world.inbound.create(set);
    const later = sets(world.newRun(), inboundSet);
    const wanted = { ...set, sourceableIds: ['ws-web'] };
    world.service.fault({ how: 'status', method: 'DELETE', status: 422, nth: 2 });
    const { properties } = await errorOf(later.update(id, outs ?? {}, wanted));
    const left = properties as Record<string, unknown>;
    assert.deepEqual(membersOf(left, 'sourceableIds'), sources());
    assert.ok(sources().length > 1);
    assert.deepEqual((await later.diff(id, left, wanted)).update, ['sourceableIds']);
    await later.update(id, left, wanted);
    assert.deepEqual(sources(), ['ws-web']);
  });

  it('remembers strangers that it was told to delete and could not', async () => {
    await world.session.api.runTriggers.create('ws-app', 'ws-docs');
    world.service.fault({ how: 'status', method: 'DELETE', status: 422, nth: 1 });
    const told = { ...set, removeUnmanaged: true };
    const { id, properties } = await errorOf(world.inbound.create(told));
    await world.inbound.update(String(id), properties as Record<string, unknown>, told);
    assert.deepEqual(sources(), set.sourceableIds);
  });

  it('deletes its members alone, also when its workspace is gone', async () => {
    const { id, outs } = await world.inbound.create(set);
    const organization = acme.organizations?.acme ?? {};
    const { 'ws-app': _, ...workspaces } = organization.workspaces ?? {};
    world.service.seed({ ...acme, organizations: { acme: { ...organization, workspaces } } });
    await world.inbound.delete(id, outs);
    assert.match(
      (await errorOf(world.inbound.read(id, outs))).message,
      /^nobody can tell whether ws-app\/inbound still exists.*GET \/workspaces\/ws-app/,
    );
  });

  it('is limited to as many sources as the service takes', async () => {
    world.variables.TETHER_PROFILE = 'hcp-terraform';
    const sourceableIds = Array.from({ length: 21 }, (_, index) => `ws-${index}`);
    const { failures = [] } = await world.inbound.check({}, { workspaceId: 'ws-app', sourceableIds });
    assert.match(failures[0]?.reason ?? '', /21 sources, and the service takes at most 20/);
  });
});

describe('a project attachment under Pulumi', () => {
  it('is created, seen and deleted by its two ends, a hundred side by side', async () => {
    const projects = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`prj-${index}`, {}]));
    const world = await ProviderHandlers.start({
      ...acme,
      organizations: { acme: { ...acme.organizations?.acme, projects } },
    });
    const { id: oauthClientId } = await world.session.api.oauthClients.create('acme', {
      serviceProvider: 'provider_a',
      httpUrl: 'https://a.example.com',
      apiUrl: 'https://a.example.com/api',
    });
    const made = await Promise.all(
      Object.keys(projects).map((projectId) => world.attachment.create({ oauthClientId, projectId })),
    );
    assert.equal(world.service.snapshot().oauthClients[0]?.projectIds.length, 100);
    world.service.clearRequests();
    const seen = await Promise.all(made.map(({ id, outs }) => world.attachment.read(id, outs)));
    assert.equal(seen.filter((one) => one.id !== undefined).length, 100);
    assert.equal(world.service.requests().length, 1);
    const run = links(world.newRun(), resourceTypeOf('ProjectAttachment'));
    await Promise.all(made.map(({ id, outs }) => run.delete(id, outs)));
    assert.deepEqual(world.service.snapshot().oauthClients[0]?.projectIds, []);
    const [first] = made;
    await run.delete(first?.id ?? '', first?.outs ?? {});
    assert.deepEqual(await run.read(first?.id ?? '', first?.outs), {});
    await world.close();
  });
});

/** Fifty targets with twenty sources each. */
function thousand(): SeedObject {
  const names = Array.from({ length: 70 }, (_, index) => `ws-${index}`);
  const runTriggers = Object.fromEntries(
    names.slice(0, 50).flatMap((workspace, target) =>
      Array.from({ length: 20 }, (_, index) => {
        const sourceable = names[(target + 1 + index) % 70] ?? '';
        return [`rt-${target}-${index}`, { workspace, sourceable }] as const;
      }),
    ),
  );
  return {
    organizations: { acme: { workspaces: Object.fromEntries(names.map((name) => [name, {}])), runTriggers } },
    tokens: { 'owner-token': { acme: 'owner' } },
  };
}
