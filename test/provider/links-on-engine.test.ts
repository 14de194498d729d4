/** Run triggers, attachments and sets on the real engine. `make bench-smoke` counts the calls of many. */
import assert from 'node:assert/strict';
import * as tether from '../../provider/pulumi';
import { githubFields } from '../support/acme';
import { needEngine } from '../support/pulumi-engine';
import { PulumiWorld } from '../support/pulumi-world';

const pair = { workspaceId: 'ws-app', sourceableId: 'ws-network' };
const client = { organization: 'acme', ...githubFields };

describe('links on the engine', function () {
  this.timeout(120_000);
  let world: PulumiWorld;
  before(async function () {
    needEngine(this);
    world = await PulumiWorld.start();
  });
  after(() => world?.close());

  const pairs = () =>
    world.service
      .snapshot()
      .runTriggers.map(({ sourceableId, workspaceId }) => `${sourceableId} ${workspaceId}`)
      .sort();

  it('that exist are adopted, which up says, and survive that their resources are renamed in the program', async () => {
    await world.somebody.runTriggers.create('ws-app', 'ws-network');
    await world.somebody.runTriggers.create('ws-jobs', 'ws-dns');
    const { id } = await world.somebody.oauthClients.create('acme', client);
    await world.somebody.oauthClients.attach(id, ['prj-web']);
    const declares = (name: string) => async () => {
      new tether.RunTrigger(`${name}-trigger`, pair);
      new tether.InboundRunTriggers('set', { workspaceId: 'ws-jobs', sourceableIds: ['ws-dns'] });
      new tether.ProjectAttachment(`${name}-web`, { oauthClientId: id, projectId: 'prj-web' });
    };
    world.program = declares('old');
    const up = await world.up();
    assert.match(up.output, /rt-\w+ \(ws-app, ws-network\) existed, and is managed here now/);
    assert.match(up.output, /rt-\w+ \(ws-jobs, ws-dns\) existed, and is managed here now/);
    world.program = declares('new');
    world.writes();
    const renamed = await world.up();
    assert.deepEqual([renamed.failure, renamed.steps], [undefined, { same: 1, create: 2, delete: 2 }]);
    assert.deepEqual(pairs(), ['ws-dns ws-jobs', 'ws-network ws-app']);
    assert.deepEqual(world.service.snapshot().oauthClients[0]?.projectIds, ['prj-web']);
    await world.expectNothing();
  });

  it('of others are deleted by a new set that may, also by the next up after one that failed there', async () => {
    await world.somebody.runTriggers.create('ws-web', 'ws-dns');
    const declares = (isGivenUp: boolean) => async () => {
      const set = { workspaceId: 'ws-web', sourceableIds: ['ws-network'], removeUnmanaged: true };
      if (!isGivenUp) new tether.InboundRunTriggers('removing', set);
    };
    const ofWeb = () => pairs().filter((ends) => ends.endsWith('ws-web'));
    const upFailing = async () => {
      world.program = declares(false);
      world.service.fault({ how: 'status', status: 422, method: 'DELETE' });
      assert.match((await world.up({ target: ['**removing'] })).failure ?? '', /422/);
      world.service.clearFaults();
      assert.deepEqual(ofWeb(), ['ws-dns ws-web', 'ws-network ws-web']);
    };
    await upFailing();
    world.program = declares(true);
    await world.settle();
    assert.deepEqual(ofWeb(), ['ws-dns ws-web']);
    await upFailing();
    await world.settle();
    assert.deepEqual(ofWeb(), ['ws-network ws-web']);
  });
});
