/** The whole way once, on the real engine: up, nothing to do, changed elsewhere, refresh, repaired, destroyed. */
import assert from 'node:assert/strict';
import { OAuthClient, ProjectAttachment, RunTrigger } from '../../provider/pulumi';
import { needEngine } from '../support/pulumi-engine';
import { PulumiWorld } from '../support/pulumi-world';
import { step } from '../support/step';

const program = (name: string) => async () => {
  const github = new OAuthClient('github', {
    organization: 'acme',
    name,
    serviceProvider: 'provider_a',
    httpUrl: 'https://git.example.com',
    apiUrl: 'https://git.example.com/api/v3',
    oauthTokenString: 'canary-token',
  });
  new ProjectAttachment('payments', { oauthClientId: github.id, projectId: 'prj-payments' });
  new RunTrigger('network-to-app', { workspaceId: 'ws-app', sourceableId: 'ws-network' });
  return { callback: github.callbackUrl };
};

describe('a stack on the real engine', () => {
  let world: PulumiWorld;
  before(async function () {
    needEngine(this);
    world = await PulumiWorld.start();
  });
  after(() => world?.close());

  it('goes the whole way', async () => {
    await step('is previewed without a write', async () => {
      world.program = program('GitHub');
      const preview = await world.preview();
      assert.equal(preview.failure, undefined);
      assert.deepEqual(preview.steps, { create: 3 });
      assert.deepEqual(world.writes(), []);
    });

    await step('comes up, and then there is nothing to do and nothing drifts', async () => {
      const up = await world.up();
      assert.equal(up.failure, undefined);
      assert.deepEqual(up.steps, { create: 3 });
      const [client] = world.service.snapshot().oauthClients;
      assert.equal(client?.name, 'GitHub');
      assert.equal((await world.preview({ expectNoChanges: true })).failure, undefined);
      assert.equal((await world.refreshPreview()).failure, undefined);
    });

    await step('shows in a refresh what somebody changed, and repairs it', async () => {
      const [client] = await world.somebody.oauthClients.list('acme');
      await world.somebody.oauthClients.update(client?.id ?? '', { name: 'Mine now' });
      const refresh = await world.refresh();
      assert.equal(refresh.failure, undefined);
      const up = await world.up();
      assert.equal(up.failure, undefined);
      assert.deepEqual(up.changes, ['update OAuthClient github [name]']);
      assert.equal((await world.somebody.oauthClients.read(client?.id ?? '')).name, 'GitHub');
    });

    await step('updates in place what the API can', async () => {
      world.program = program('Renamed');
      assert.deepEqual((await world.up()).changes, ['update OAuthClient github [name]']);
    });

    await step('destroys a client only when it is allowed', async () => {
      const [client] = await world.somebody.oauthClients.list('acme');
      const id = client?.id ?? '';
      const refused = await world.destroy();
      assert.match(
        refused.failure ?? '',
        new RegExp(`^${id} is protected and was not destroyed: .*TETHER_ALLOW_DESTROY=${id}`),
      );
      world.env.TETHER_ALLOW_DESTROY = id;
      assert.equal((await world.destroy()).failure, undefined);
      assert.deepEqual(await world.somebody.oauthClients.list('acme'), []);
    });
  });
});
