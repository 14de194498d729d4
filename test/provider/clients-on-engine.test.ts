/** OAuth clients and their attachments on the real engine. */
import assert from 'node:assert/strict';
import * as tether from '../../provider/pulumi';
import { needEngine } from '../support/pulumi-engine';
import { PulumiWorld } from '../support/pulumi-world';

const github = {
  organization: 'acme',
  name: 'GitHub',
  serviceProvider: 'provider_a',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
  oauthTokenString: 'canary-token',
};

describe('clients on the engine', function () {
  this.timeout(120_000);
  let world: PulumiWorld;
  before(async function () {
    needEngine(this);
    world = await PulumiWorld.start();
  });
  after(() => world?.close());

  it('are created with their attachments', async () => {
    world.program = async () => {
      const client = new tether.OAuthClient('github', github, {protect: false});
      new tether.ProjectAttachment('payments', { oauthClientId: client.id, projectId: 'prj-payments' });
      new tether.RunTrigger('t', { workspaceId: 'ws-app', sourceableId: 'ws-network' });
      new tether.InboundRunTriggers('s', { workspaceId: 'ws-jobs', sourceableIds: ['ws-network', 'ws-app'] });
      return { id: client.id };
    };
    const up = await world.up();
    console.log(up.failure, up.changes, up.output, world.service.requests().map((r) => `${r.method} ${r.route} ${r.status}`));
    world.service.clearRequests();
    const again = await world.preview({ expectNoChanges: true });
    console.log(again.failure, again.output, world.service.requests().length);
    const r = await world.refreshPreview();
    console.log(r.failure, world.service.requests().map((r) => `${r.method} ${r.route} ${r.status}`));
    console.log(world.stateText());
    console.log(await world.destroy({ runProgram: true}), world.service.snapshot());
    assert.ok(true);
  });
});
