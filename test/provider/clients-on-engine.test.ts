/** OAuth clients and their attachments on the real engine, through all that happens to them. */
import assert from 'node:assert/strict';
import * as pulumi from '@pulumi/pulumi';
import * as tether from '../../provider/pulumi';
import { githubFields } from '../support/acme';
import { needEngine } from '../support/pulumi-engine';
import { PulumiWorld } from '../support/pulumi-world';

const fields = { organization: 'acme', ...githubFields };

describe('OAuth clients on the engine', function () {
  this.timeout(120_000);
  let world: PulumiWorld;
  before(async function () {
    needEngine(this);
    world = await PulumiWorld.start();
  });
  after(() => world?.close());

  const clients = () => world.service.snapshot().oauthClients;
  const calls = () => world.service.requests().length;

  /** Declares a client and one attachment of it. */
  const declares = (more: object = {}, options: pulumi.CustomResourceOptions = {}, name = 'github') => {
    world.program = async () => {
      const oauthTokenString = pulumi.secret('canary-token');
      const client = new tether.OAuthClient(name, { ...fields, oauthTokenString, ...more }, options);
      new tether.ProjectAttachment('payments', { oauthClientId: client.id, projectId: 'prj-payments' });
      return { id: client.id, token: client.connectPath };
    };
  };

  // These tests run in order: each starts from the resources that the one before left.
  it('come up with their attachments; then a preview makes no call, nothing drifts, and no secret is in clear', async () => {
    declares({ secret: 'canary-secret' });
    const up = await world.up();
    assert.equal(up.failure, undefined);
    assert.deepEqual(up.steps, { create: 2 });
    assert.deepEqual(clients()[0]?.projectIds, ['prj-payments']);
    assert.equal(calls(), 3);
    world.service.clearRequests();
    const preview = await world.preview({ expectNoChanges: true });
    assert.deepEqual([preview.failure, calls()], [undefined, 0]);
    assert.equal((await world.refreshPreview()).failure, undefined);
    assert.doesNotMatch(world.stateText() + up.output, /canary-|owner-token/);
    const { deployment } = await world.stack.exportStack();
    const state = JSON.stringify(deployment);
    assert.equal(state.split("require('tether-iac/provider').oauthClient").length, 3);
  });

  it('are changed in place by one PATCH, while their attachments stay as they are, also in the preview', async () => {
    declares({ secret: 'canary-other', name: 'Renamed' });
    world.service.clearRequests();
    const preview = await world.preview();
    assert.deepEqual([preview.changes, calls()], [['update OAuthClient github [name, secret]'], 0]);
    const up = await world.up();
    assert.deepEqual([up.failure, up.steps], [undefined, { update: 1, same: 1 }]);
    assert.deepEqual(world.writes(), ['PATCH /oauth-clients/:id']);
    assert.doesNotMatch(preview.output + up.output + world.stateText(), /canary-/);
    await world.expectNothing();
  });

  it('show what somebody changed, and get it back; what the program does not give is left alone', async () => {
    const [client] = clients();
    await world.somebody.oauthClients.update(client?.id ?? '', { name: 'Mine', key: 'their-key' });
    await world.somebody.oauthClients.detach(client?.id ?? '', ['prj-payments']);
    const drift = (await world.refreshPreview()).failure ?? '';
    assert.match(drift, /name *: "Renamed" => "Mine"/);
    assert.match(drift, /1 to delete/);
    assert.equal((await world.refresh()).failure, undefined);
    world.writes();
    const up = await world.up();
    assert.deepEqual([up.failure, up.steps], [undefined, { update: 1, create: 1 }]);
    assert.deepEqual(world.writes().sort(), [
      'PATCH /oauth-clients/:id',
      'POST /oauth-clients/:id/relationships/projects',
    ]);
    assert.deepEqual([clients()[0]?.name, clients()[0]?.key], ['Renamed', 'their-key']);
    await world.expectNothing();
  });

  it('that are protected are neither destroyed nor replaced nor dropped, and no call is made', async () => {
    world.service.clearRequests();
    assert.match((await world.pulumi('destroy', '--yes')).failure ?? '', /protect/);
    declares({ secret: 'canary-other', httpUrl: 'https://new.example.com' });
    assert.match((await world.preview()).failure ?? '', /protect/);
    assert.match((await world.up()).failure ?? '', /protect/);
    world.program = async () => undefined;
    assert.match((await world.preview()).failure ?? '', /protect/);
    assert.equal(calls(), 0);
  });

  it('are replaced once that is lifted: the successor has what the program says, and the old one goes last', async () => {
    const [old] = clients();
    await world.somebody.oauthClients.update(old?.id ?? '', { agentPoolId: 'apool-dmz' });
    await world.somebody.oauthClients.attach(old?.id ?? '', ['prj-web']);
    const more = { secret: 'canary-other', name: 'Renamed', oauthTokenString: 'canary-new' };
    declares(more, { protect: false });
    world.service.clearRequests();
    assert.match(
      (await world.up()).failure ?? '',
      /oc-\w+ is replaced, .*\n.*agentPoolId: 'apool-dmz', or null/,
    );
    assert.deepEqual(world.writes(), []);
    declares({ ...more, agentPoolId: 'apool-dmz' }, { protect: false });
    const up = await world.up();
    assert.equal(up.failure, undefined);
    assert.deepEqual(world.writes(), [
      'POST /organizations/:organization_name/oauth-clients',
      'POST /oauth-clients/:id/relationships/projects',
      'DELETE /oauth-clients/:id/relationships/projects',
      'DELETE /oauth-clients/:id',
    ]);
    const [successor, ...others] = clients();
    assert.deepEqual(
      [others, successor?.id === old?.id, successor?.agentPoolId, successor?.key, successor?.projectIds],
      [[], false, 'apool-dmz', null, ['prj-payments']],
    );
    await world.expectNothing();
  });

  it('that were only renamed in the program are refused with the alias to write, and with it nothing is called', async () => {
    const secrets = { secret: 'canary-other', oauthTokenString: 'canary-new' };
    const more = { ...secrets, name: 'Renamed', agentPoolId: 'apool-dmz' };
    declares(more, { protect: false }, 'renamed');
    const refused = (await world.up()).failure ?? '';
    assert.match(refused, /already has a matching OAuth client: 'oc-\w+'\n/);
    assert.match(refused, /aliases: \[\{ name: 'OLD NAME' \}\]/);
    declares(more, { protect: false, aliases: [{ name: 'github' }] }, 'renamed');
    world.writes();
    const up = await world.up();
    assert.deepEqual([up.failure, world.writes(), clients().length], [undefined, [], 1]);
  });

  it('are destroyed after their attachments when they are not protected', async () => {
    world.writes();
    assert.equal((await world.destroy()).failure, undefined);
    const deletes = ['DELETE /oauth-clients/:id/relationships/projects', 'DELETE /oauth-clients/:id'];
    assert.deepEqual([world.writes(), clients()], [deletes, []]);
  });

  it('of which two equal ones are declared become one, and two where the second may stand beside the first', async () => {
    const both = (allowDuplicate?: string[]) => async () => {
      new tether.OAuthClient('one', fields, { protect: false });
      const more = allowDuplicate === undefined ? {} : { allowDuplicate };
      new tether.OAuthClient('two', { ...fields, ...more }, { protect: false });
    };
    world.program = both();
    const refused = (await world.up()).failure ?? '';
    const [, id = ''] = /allowDuplicate: \['(oc-\w+)'\]/.exec(refused) ?? [];
    assert.deepEqual(
      clients().map((client) => client.id),
      [id],
    );
    // Either of them may have been the first.
    const declared = world.stateText().includes('OAuthClient::one') ? 'two' : 'one';
    world.program = async () => {
      for (const name of ['one', 'two']) {
        const more = name === declared ? { allowDuplicate: [id] } : {};
        new tether.OAuthClient(name, { ...fields, ...more }, { protect: false });
      }
    };
    await world.settle();
    assert.equal(clients().length, 2);
    // The refresh reads and compares the one that goes, too.
    world.program = async () => {
      new tether.OAuthClient(declared, fields, { protect: false });
    };
    await world.settle({ refresh: true });
    assert.equal(clients().length, 1);
    assert.equal((await world.destroy()).failure, undefined);
  });

  it('that exist are adopted by their id, changed in place, and may be left behind', async () => {
    const { id } = await world.somebody.oauthClients.create('acme', { ...fields, key: 'their-key' });
    const adopts = (more: object) => async () => {
      new tether.OAuthClient(
        'legacy',
        { ...fields, adoptId: id, ...more },
        { protect: false, retainOnDelete: true },
      );
    };
    world.program = adopts({ apiUrl: 'https://elsewhere.example.com' });
    assert.match((await world.up()).failure ?? '', /cannot be adopted: its `apiUrl` is/);
    world.program = adopts({ name: 'Adopted', oauthTokenString: 'canary-token' });
    world.writes();
    await world.settle();
    assert.deepEqual(world.writes(), ['PATCH /oauth-clients/:id']);
    assert.deepEqual(
      clients().map((client) => [client.id, client.name, client.key]),
      [[id, 'Adopted', 'their-key']],
    );
    assert.equal((await world.destroy()).failure, undefined);
    assert.equal(clients().length, 1);
  });

  it('have one resource: a second one that adopts the same client is refused, and one that adopts itself is not replaced', async () => {
    const adoptId = clients()[0]?.id ?? '';
    const declaresAll = (all: Readonly<Record<string, object>>, options = {}) => {
      world.program = async () => {
        let dependsOn: pulumi.Resource[] = [];
        for (const [name, more] of Object.entries(all)) {
          const client = new tether.OAuthClient(
            name,
            { ...fields, ...more },
            { protect: false, dependsOn, ...options },
          );
          dependsOn = [client];
        }
      };
      world.writes();
    };
    declaresAll({ one: { adoptId, key: 'one' }, two: { adoptId, key: 'two' } });
    const { failure } = await world.up();
    const isRefused = new RegExp(`^${adoptId} belongs to another resource of this program$`, 'm');
    assert.match(failure ?? '', isRefused);
    assert.deepEqual(world.writes(), ['PATCH /oauth-clients/:id']);
    const kept = 'one';
    declaresAll({ [kept]: { adoptId, key: kept } });
    await world.settle();
    declaresAll({ [kept]: { adoptId, key: kept }, late: { adoptId, key: 'late' } });
    assert.match((await world.preview()).failure ?? '', isRefused);
    // The engine creates a resource that is declared first. An `up` without a preview notices it late.
    declaresAll({ early: { adoptId, key: 'early' }, [kept]: { adoptId, key: kept } });
    assert.match((await world.preview()).failure ?? '', isRefused);
    assert.deepEqual(world.writes(), []);
    assert.match((await world.up()).failure ?? '', isRefused);
    declaresAll({ [kept]: { adoptId, key: kept } });
    await world.settle({ refresh: true });
    assert.deepEqual(
      clients().map(({ id, key }) => [id, key]),
      [[adoptId, kept]],
    );
    world.writes();
    const urn = `urn:pulumi:test::infra::pulumi-nodejs:dynamic/tether:OAuthClient::${kept}`;
    const replaced = await world.up({ replace: [urn] });
    assert.match(
      replaced.output,
      new RegExp(`${adoptId} was not deleted, because a resource of this program has it`),
    );
    assert.deepEqual([world.writes(), clients()[0]?.id], [[], adoptId]);
    declaresAll({ [kept]: { adoptId, key: kept } }, { retainOnDelete: true });
    await world.settle();
    assert.equal((await world.destroy()).failure, undefined);
  });

  it('that were adopted go when they are replaced, and their successors are new clients', async () => {
    const adoptId = clients()[0]?.id ?? '';
    const settle = async (more: object) => {
      world.program = async () => {
        const args = { ...fields, adoptId, name: 'Adopted', ...more };
        new tether.OAuthClient('legacy', args, { protect: false });
      };
      world.writes();
      await world.settle();
      return [world.writes().length, clients().map(({ id }) => id === adoptId)];
    };
    await settle({ projectIds: ['prj-web'] });
    const projectIds = ['prj-web', 'prj-payments'];
    assert.deepEqual(await settle({ projectIds }), [1, [true]]);
    const httpUrl = 'https://new.example.com';
    assert.deepEqual(await settle({ projectIds, httpUrl }), [2, [false]]);
    assert.equal((await world.destroy()).failure, undefined);
  });

  it('that stay when their resources go lose the attachments of the program, and none is imported', async () => {
    declares({}, { protect: false, retainOnDelete: true });
    await world.settle();
    assert.deepEqual(clients()[0]?.projectIds, ['prj-payments']);
    assert.equal((await world.destroy()).failure, undefined);
    assert.deepEqual(
      clients().map((client) => client.projectIds),
      [[]],
    );
    const { id = '' } = clients()[0] ?? {};
    world.program = async () => {
      const shared = tether.OAuthClient.get('shared', id);
      new tether.ProjectAttachment('payments', { oauthClientId: shared.id, projectId: 'prj-payments' });
    };
    assert.equal((await world.up()).failure, undefined);
    assert.equal((await world.destroy()).failure, undefined);
    assert.deepEqual(clients()[0]?.projectIds, []);
    declares({}, { import: id });
    assert.match((await world.up()).failure ?? '', /github cannot be imported: .* a client by adoptId/);
  });
});
