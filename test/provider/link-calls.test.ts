/** Diff, read, update and delete of single links: replaced by either end, read by id alone, never taken along by another. */
import assert from 'node:assert/strict';
import { resourceTypeOf } from '../../provider/resource-types';
import { unknownValue } from '../../provider/state';
import { clientInputs, errorOf, links, ProviderHandlers } from '../support/provider-handlers';

const ends = { workspaceId: 'ws-app', sourceableId: 'ws-network' };
const client = {
  serviceProvider: 'provider_a',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
};

describe('a link under Pulumi', () => {
  let world: ProviderHandlers;
  beforeEach(async () => {
    world = await ProviderHandlers.start();
    world.service.patchSeed({ organizations: { acme: { oauthClients: { 'oc-1': client } } } });
  });
  afterEach(() => world.close());
  const pairs = () =>
    world.service.snapshot().runTriggers.map((one) => `${one.workspaceId} ${one.sourceableId}`);

  it('is replaced by either end, also while the end is not known', async () => {
    const { outs = {} } = await world.trigger.create(ends);
    const cases = [
      [ends, { update: [], replace: [] }],
      [
        { ...ends, workspaceId: 'ws-web' },
        { update: [], replace: ['workspaceId'] },
      ],
      [
        { ...ends, sourceableId: unknownValue },
        { update: [], replace: ['sourceableId'] },
      ],
    ] as const;
    for (const [news, answer] of cases)
      assert.deepEqual(await world.trigger.diff('rt-1', outs, news), answer);
  });

  it('makes room first where the service limits the sources of its target', async () => {
    const { outs = {} } = await world.trigger.create(ends);
    world.variables.TETHER_PROFILE = 'hcp-terraform';
    const trigger = links(world.newRun(), resourceTypeOf('RunTrigger'));
    const source = { ...ends, sourceableId: 'ws-dns' };
    assert.deepEqual(await trigger.diff('rt-1', outs, source), {
      update: [],
      replace: ['sourceableId'],
      deleteBeforeReplace: true,
    });
    for (const workspaceId of ['ws-web', unknownValue]) {
      const target = { ...ends, workspaceId };
      assert.deepEqual(await trigger.diff('rt-1', outs, target), { update: [], replace: ['workspaceId'] });
    }
    const attached = { oauthClientId: 'oc-1', projectId: 'prj-web' };
    const moved = { oauthClientId: 'oc-1', projectId: 'prj-search' };
    const attachment = links(world.newRun(), resourceTypeOf('ProjectAttachment'));
    assert.deepEqual(await attachment.diff('oc-1/prj-web', attached, moved), {
      update: [],
      replace: ['projectId'],
    });
  });

  it('shares the look before its create with the others of its target', async () => {
    const sources = ['ws-network', 'ws-dns', 'ws-jobs', 'ws-web'];
    await world.session.api.runTriggers.create('ws-app', 'ws-jobs');
    world.service.clearRequests();
    await Promise.all(
      sources.map((sourceableId) => world.trigger.create({ workspaceId: 'ws-app', sourceableId })),
    );
    const asked = world.service.requests().map((one) => one.method);
    // One look for all, one more before the trigger that is there is taken over.
    assert.deepEqual(asked.sort(), ['GET', 'GET', 'POST', 'POST', 'POST']);
    assert.equal(pairs().length, 4);
    const { id } = await world.session.api.runTriggers
      .list('ws-app', 'inbound')
      .then((all) => all.find((one) => one.sourceableId === 'ws-jobs') ?? { id: '' });
    assert.deepEqual(world.said, [
      `${id} existed already and is managed here from now: \`pulumi destroy\` deletes it`,
    ]);
  });

  it('looks again before it is created in the place of one that this run deleted', async () => {
    const first = await world.trigger.create(ends);
    // Another process of this run: it made sure of nothing.
    const other = links(world.newRun(), resourceTypeOf('RunTrigger'));
    await other.create({ ...ends, sourceableId: 'ws-dns' });
    await other.delete(first.id, first.outs ?? {});
    const again = await other.create(ends);
    assert.notEqual(again.id, first.id);
    assert.equal(pairs().length, 2);
  });

  it('is asked for its organization once, whoever asks, and never where its client was made in this run', async () => {
    const made = await world.client.create(clientInputs);
    world.service.clearRequests();
    await Promise.all(
      ['oc-1', made.id].flatMap((oauthClientId) =>
        ['prj-web', 'prj-search'].map((projectId) => world.attachment.create({ oauthClientId, projectId })),
      ),
    );
    const reads = world.service.requests().filter((one) => one.method === 'GET');
    assert.deepEqual(
      reads.map((one) => one.url),
      ['/api/v2/oauth-clients/oc-1'],
    );
  });

  it('is read by its id alone', async () => {
    const made = await world.trigger.create(ends);
    const { props } = await world.trigger.read(made.id);
    assert.deepEqual([props?.workspaceId, props?.sourceableId], ['ws-app', 'ws-network']);
    await world.attachment.create({ oauthClientId: 'oc-1', projectId: 'prj-web' });
    const attached = await world.attachment.read('oc-1/prj-web');
    assert.deepEqual(attached.props, {
      oauthClientId: 'oc-1',
      projectId: 'prj-web',
      organization: 'acme',
      address: world.service.url,
    });
    assert.deepEqual(attached.inputs, { oauthClientId: 'oc-1', projectId: 'prj-web', __imported: true });
  });

  it('of a client that the list does not show yet is read from the page of the client', async () => {
    await world.close();
    world = await ProviderHandlers.start(undefined, { behaviours: { 'create-hidden-ms': '3600000' } });
    const { id } = await world.client.create({ ...clientInputs, projectIds: ['prj-web'] });
    const props = { oauthClientId: id, organization: 'acme', address: world.service.url };
    const read = (projectId: string) =>
      links(world.newRun(), resourceTypeOf('ProjectAttachment')).read(`${id}/${projectId}`, {
        ...props,
        projectId,
      });
    assert.equal((await read('prj-web')).id, `${id}/prj-web`);
    assert.deepEqual(await read('prj-search'), {});
  });

  it('is an error when it is read by its id alone and is not there', async () => {
    assert.match((await errorOf(world.trigger.read('rt-9'))).message, /^GET \/run-triggers\/rt-9: not found/);
    assert.equal(
      (await errorOf(world.attachment.read('oc-1/prj-web'))).message,
      'there is no ProjectAttachment oc-1/prj-web',
    );
    assert.equal(
      (await errorOf(world.attachment.read('oc-1'))).message,
      'oc-1 is no id of a ProjectAttachment: write oc-…/prj-… (oauthClient/project)',
    );
    assert.match(
      (await errorOf(world.trigger.read('ws-app'))).message,
      /the id of a RunTrigger \(`rt-…`\) belongs here, or ws-…\/ws-… \(target\/source\)$/,
    );
    await world.trigger.create(ends);
    world.service.clearRequests();
    const turned = links(world.newRun(), resourceTypeOf('RunTrigger')).read('ws-network/ws-app');
    assert.equal(
      (await errorOf(turned)).message,
      'there is no RunTrigger ws-network/ws-app, but ws-app/ws-network exists: write ws-…/ws-… (target/source)',
    );
    // One list for each of the two.
    const lists = world.service.requests().filter((one) => one.url.includes('/workspaces/'));
    assert.equal(lists.length, 2);
    assert.equal(
      (await errorOf(world.trigger.read('ws-app/ws-jobs'))).message,
      'there is no RunTrigger ws-app/ws-jobs',
    );
  });

  it('is gone from the state with evidence, and neither gone nor there in another account', async () => {
    const { id, outs = {} } = await world.trigger.create(ends);
    const elsewhere = { ...outs, address: 'https://other.example.com/api/v2' };
    assert.match((await errorOf(world.trigger.read(id, elsewhere, ends))).message, /^rt-\w+ belongs to/);
    await world.session.api.runTriggers.delete(id);
    assert.deepEqual(await links(world.newRun(), resourceTypeOf('RunTrigger')).read(id, outs), {});
    for (const work of [
      () => links(world.newRun(), resourceTypeOf('RunTrigger')).read(id, elsewhere),
      () => world.trigger.diff(id, elsewhere, ends),
      () => world.trigger.delete(id, elsewhere),
    ]) {
      assert.match(
        (await errorOf(work())).message,
        /^rt-\w+ belongs to https:\/\/other\.example\.com\/api\/v2, and/,
      );
    }
  });

  it('is deleted, is done when it is gone, and stays when another resource of the run stands for it', async () => {
    const { id, outs = {} } = await world.trigger.create(ends);
    // Renamed in the program: the new resource is created first, then the old one is deleted.
    await world.trigger.delete(id, outs);
    assert.deepEqual(pairs(), ['ws-app ws-network']);
    const next = links(world.newRun(), resourceTypeOf('RunTrigger'));
    await next.delete(id, outs);
    assert.deepEqual(pairs(), []);
    await next.delete(id, outs);
  });

  it('is seen anew right after it was created and deleted', async () => {
    const other = { workspaceId: 'ws-app', sourceableId: 'ws-dns' };
    const second = await world.trigger.create(other);
    assert.equal((await world.trigger.read(second.id, second.outs)).id, second.id);
    // An attachment has no Show of its own: the list alone says whether it is there.
    const attached = {
      oauthClientId: 'oc-1',
      projectId: 'prj-web',
      organization: 'acme',
      address: world.service.url,
    };
    assert.deepEqual(await world.attachment.read('oc-1/prj-web', attached), {});
    await world.attachment.create({ oauthClientId: 'oc-1', projectId: 'prj-web' });
    assert.equal((await world.attachment.read('oc-1/prj-web', attached)).id, 'oc-1/prj-web');
    const next = links(world.newRun(), resourceTypeOf('RunTrigger'));
    await next.read(second.id, second.outs);
    await next.delete(second.id, second.outs ?? {});
    assert.deepEqual(await next.read(second.id, second.outs), {});
  });

  it('asks once for the organization of a client', async () => {
    await Promise.all([
      world.attachment.create({ oauthClientId: 'oc-1', projectId: 'prj-web' }),
      world.attachment.create({ oauthClientId: 'oc-1', projectId: 'prj-search' }),
    ]);
    await world.attachment.create({ oauthClientId: 'oc-1', projectId: 'prj-payments' });
    world.service.clearRequests();
    await world.attachment.create({ oauthClientId: 'oc-1', projectId: 'prj-web' });
    assert.deepEqual(
      world.service.requests().map((one) => one.method),
      ['POST'],
    );
  });
});
