/** Run triggers, attachments and sets on the real engine, and how many calls many of them cost. */
import assert from 'node:assert/strict';
import * as tether from '../../provider/pulumi';
import { needEngine } from '../support/pulumi-engine';
import { PulumiWorld } from '../support/pulumi-world';

const pair = { workspaceId: 'ws-app', sourceableId: 'ws-network' };
const client = {
  organization: 'acme',
  serviceProvider: 'provider_a',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
};

describe('links on the engine', function () {
  this.timeout(120_000);
  let world: PulumiWorld;
  before(async function () {
    needEngine(this);
    world = await PulumiWorld.start();
  });
  after(() => world?.close());

  const there = () =>
    world.service
      .snapshot()
      .runTriggers.map((one) => `${one.sourceableId} ${one.workspaceId}`)
      .sort();

  it('that exist are adopted, which up says, and survive that their resources are renamed in the program', async () => {
    await world.somebody.runTriggers.create('ws-app', 'ws-network');
    const { id } = await world.somebody.oauthClients.create('acme', client);
    await world.somebody.oauthClients.attach(id, ['prj-web']);
    const declares = (name: string) => async () => {
      new tether.RunTrigger(`${name}-trigger`, pair);
      new tether.ProjectAttachment(`${name}-web`, { oauthClientId: id, projectId: 'prj-web' });
    };
    world.program = declares('old');
    const up = await world.up();
    assert.match(up.output, /rt-\w+ existed, and is managed here now/);
    world.program = declares('new');
    world.writes();
    const renamed = await world.up();
    assert.deepEqual([renamed.failure, renamed.steps], [undefined, { create: 2, delete: 2 }]);
    assert.deepEqual(there(), ['ws-network ws-app']);
    assert.deepEqual(world.service.snapshot().oauthClients[0]?.projectIds, ['prj-web']);
    await world.expectNothing();
  });

  it('become a set and single ones again without one being missing', async () => {
    world.program = async () => {
      new tether.InboundRunTriggers('app', {
        workspaceId: 'ws-app',
        sourceableIds: ['ws-network', 'ws-dns'],
      });
      new tether.OutboundRunTriggers('dns', { sourceableId: 'ws-web', workspaceIds: ['ws-docs'] });
    };
    world.writes();
    await world.settle();
    const posts = world.writes().filter((one) => one.startsWith('POST'));
    assert.equal(posts.length, 2);
    assert.deepEqual(there(), ['ws-dns ws-app', 'ws-network ws-app', 'ws-web ws-docs']);
    world.program = async () => {
      new tether.RunTrigger('network', pair);
      new tether.RunTrigger('jobs', { ...pair, sourceableId: 'ws-jobs' });
    };
    await world.settle();
    assert.deepEqual(there(), ['ws-jobs ws-app', 'ws-network ws-app']);
  });

  it('and clients, 125 together, cost at most 150 calls, and none when nothing changes', async () => {
    assert.equal((await world.destroy()).failure, undefined);
    const names = Array.from({ length: 25 }, (_, index) => `ws-${index}`);
    const projects = Array.from({ length: 20 }, (_, index) => `prj-${index}`);
    world.service.patchSeed({
      organizations: {
        acme: {
          workspaces: Object.fromEntries(names.map((name) => [name, {}])),
          projects: Object.fromEntries(projects.map((name) => [name, {}])),
        },
      },
    });
    world.program = async () => {
      for (let one = 0; one < 5; one += 1) {
        const made = new tether.OAuthClient(`client-${one}`, { ...client, name: `Client ${one}` });
        for (const projectId of projects.slice(one * 4, one * 4 + 4)) {
          new tether.ProjectAttachment(projectId, { oauthClientId: made.id, projectId });
        }
      }
      for (const workspaceId of names.slice(0, 5)) {
        for (const sourceableId of names.slice(5)) {
          new tether.RunTrigger(`${workspaceId}-${sourceableId}`, { workspaceId, sourceableId });
        }
      }
    };
    world.service.clearRequests();
    const up = await world.up();
    assert.deepEqual([up.failure, up.steps], [undefined, { create: 125 }]);
    const calls = world.service.requests().length;
    assert.ok(calls <= 150, `${calls} calls`);
    world.service.clearRequests();
    assert.equal((await world.preview({ expectNoChanges: true })).failure, undefined);
    assert.equal(world.service.requests().length, 0);
  });
});
