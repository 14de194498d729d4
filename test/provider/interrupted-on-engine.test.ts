/** Runs on the real engine that end before their time: half a create is recorded and repaired, a cancelled run is clean. */
import assert from 'node:assert/strict';
import { OAuthClient, RunTrigger } from '../../provider/pulumi';
import { needEngine } from '../support/pulumi-engine';
import { PulumiWorld } from '../support/pulumi-world';

const client = {
  organization: 'acme',
  serviceProvider: 'provider_a',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
};

describe('an interrupted run on the real engine', () => {
  let world: PulumiWorld;
  before(needEngineHere);
  afterEach(() => world?.close());

  function needEngineHere(this: Mocha.Context): void {
    needEngine(this);
  }

  const names = (): (string | null)[] => world.service.snapshot().oauthClients.map((one) => one.name);

  for (const [how, refreshed] of [
    ['', false],
    [', also after a refresh', true],
  ] as const) {
    it(`records a client that was created and not finished, and repairs it${how}`, async () => {
      world = await PulumiWorld.start();
      world.program = async () => {
        new OAuthClient('github', client);
      };
      world.service.fault({ how: 'status', method: 'PATCH', status: 422, nth: 1 });
      const failed = await world.up();
      assert.match(
        failed.failure ?? '',
        /oc-\w+ was created and not finished: PATCH \/oauth-clients\/oc-\w+: refused/,
      );
      assert.match(names().join(), /^tether-pending-/);
      if (refreshed) assert.equal((await world.refresh()).failure, undefined);
      assert.equal((await world.up()).failure, undefined);
      assert.deepEqual(names(), [null]);
      await world.expectNothing();
    });
  }

  it('is finished by the next one after it was cancelled, without a lock or a double', async () => {
    world = await PulumiWorld.start({ behaviours: { 'latency-ms': '30' } });
    world.program = async () => {
      new OAuthClient('github', { ...client, name: 'GitHub' });
      for (const source of ['ws-network', 'ws-dns', 'ws-jobs', 'ws-web', 'ws-docs']) {
        new RunTrigger(source, { workspaceId: 'ws-app', sourceableId: source });
      }
    };
    const cancelling = new AbortController();
    const watch = setInterval(() => {
      if (world.service.requests().some((one) => one.method === 'POST')) cancelling.abort();
    }, 5);
    const cancelled = await world.up({ signal: cancelling.signal });
    clearInterval(watch);
    assert.notEqual(cancelled.failure, undefined);
    assert.equal((await world.up()).failure, undefined);
    assert.deepEqual(names(), ['GitHub']);
    assert.equal(world.service.snapshot().runTriggers.length, 5);
    await world.expectNothing();
  });
});
