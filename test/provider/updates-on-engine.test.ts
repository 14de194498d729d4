/** What an update of an OAuth client writes on the real engine, beside what the preview shows. */
import assert from 'node:assert/strict';
import * as tether from '../../provider/pulumi';
import { githubFields } from '../support/acme';
import { needEngine } from '../support/pulumi-engine';
import { PulumiWorld } from '../support/pulumi-world';

describe('the update of an OAuth client on the engine', function () {
  this.timeout(120_000);
  let world: PulumiWorld;
  before(async function () {
    needEngine(this);
    world = await PulumiWorld.start();
  });
  after(() => world?.close());

  const clients = () => world.service.snapshot().oauthClients;

  const declares = (more: object) => {
    world.program = async () => {
      new tether.OAuthClient('github', { organization: 'acme', ...githubFields, ...more });
    };
  };

  it('keeps a foreign change until a refresh: no later update writes over it, because no preview shows it', async () => {
    const gives = (name: string) => declares({ name, key: 'our-key' });
    gives('Renamed');
    await world.settle();
    const { id = '' } = clients()[0] ?? {};
    await world.somebody.oauthClients.update(id, { key: 'their-key' });
    for (const name of ['Third', 'Renamed']) {
      gives(name);
      const { changes } = await world.preview();
      assert.deepEqual(changes, ['update OAuthClient github [name]']);
      assert.equal((await world.up()).failure, undefined);
      assert.deepEqual([clients()[0]?.name, clients()[0]?.key], [name, 'their-key']);
      assert.equal((await world.preview({ expectNoChanges: true })).failure, undefined);
    }
    assert.match((await world.refreshPreview()).failure ?? '', /key *: "our-key" => "their-key"/);
    assert.equal((await world.refresh()).failure, undefined);
    assert.deepEqual((await world.preview()).changes, ['update OAuthClient github [key]']);
    await world.settle();
    assert.equal(clients()[0]?.key, 'our-key');
  });

  it('gets a default value again whose PATCH failed, with a refresh in between or without', async () => {
    for (const refresh of [false, true]) {
      declares({ name: 'Named', organizationScoped: false });
      await world.settle();
      declares({ name: null, organizationScoped: true });
      world.service.fault({ how: 'reset-before', method: 'PATCH' });
      assert.notEqual((await world.up()).failure, undefined);
      world.service.clearFaults();
      assert.equal(clients()[0]?.name, 'Named');
      await world.settle({ refresh });
      assert.deepEqual([clients()[0]?.name, clients()[0]?.organizationScoped], [null, true]);
    }
  });
});
