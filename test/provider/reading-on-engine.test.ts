/** The functions of `tether-iac/pulumi` that read without a resource, on the real engine. */
import assert from 'node:assert/strict';
import { ComponentResource, type ComponentResourceOptions, output } from '@pulumi/pulumi';
import {
  getOAuthClient,
  getOAuthClientOutput,
  getProjectOutput,
  getWorkspace,
  listOAuthClientsOutput,
  listRunTriggers,
  listRunTriggersOutput,
  OAuthClient,
  Provider,
  RunTrigger,
} from '../../provider/pulumi';
import { definitionOf } from '../../resources/kind';
import { registry } from '../../resources/registry';
import { createService } from '../../service';
import { needEngine } from '../support/pulumi-engine';
import { PulumiWorld } from '../support/pulumi-world';
import { acme } from '../support/world';

const body = { serviceProvider: 'provider_a', httpUrl: 'https://a', apiUrl: 'https://a/api' };
const one = { organization: 'acme', id: 'oc-one' };
const pair = (workspaceId: string, sourceableId: string) => ({ workspaceId, sourceableId });

describe('reading from a program on the real engine', () => {
  let world: PulumiWorld;
  before(async function () {
    needEngine(this);
    world = await PulumiWorld.start();
    world.service.patchSeed({
      organizations: {
        acme: {
          oauthClients: { 'oc-one': { ...body, name: 'One' }, 'oc-two': { ...body, name: 'Two' } },
          runTriggers: { 'rt-1': { workspace: 'ws-app', sourceable: 'ws-dns' } },
        },
      },
    });
  });
  after(() => world?.close());

  it('finds clients and triggers, with every readable field and output, in one list each', async () => {
    world.program = async () => {
      const byName = await getOAuthClient({ organization: 'acme', name: 'One' });
      assert.deepEqual(byName, await getOAuthClient(one));
      const { fields, outputs } = definitionOf('OAuthClient', registry);
      const readable = Object.keys(fields).filter((name) => !fields[name]?.writeOnly);
      assert.deepEqual(Object.keys(byName).sort(), ['id', ...readable, ...Object.keys(outputs)].sort());
      const inbound = await listRunTriggers({ workspaceId: 'ws-app', direction: 'inbound' });
      const triggers = listRunTriggersOutput({ workspaceId: output('ws-app'), direction: 'inbound' });
      return {
        inbound: inbound.map(({ id, sourceableId }) => `${id} ${sourceableId}`),
        later: triggers.apply((all) => all.length),
        clients: listOAuthClientsOutput({ organization: 'acme' }).apply((all) => all.map(({ id }) => id)),
      };
    };
    world.service.clearRequests();
    assert.equal((await world.preview()).failure, undefined);
    assert.equal(world.service.requests().length, 2);
    assert.equal((await world.up()).failure, undefined);
    const { inbound, later, clients } = await world.outputs();
    assert.deepEqual(
      [inbound?.value, later?.value, clients?.value],
      [['rt-1 ws-dns'], 1, ['oc-one', 'oc-two']],
    );
  });

  it('waits for what it is told to wait for, and is not known in the preview of that', async () => {
    world.program = async () => {
      const asked = { organization: 'acme', name: 'Made' };
      const made = new OAuthClient('made', { ...body, ...asked, deletionProtection: false });
      const found = getOAuthClientOutput(asked, { dependsOn: made });
      const trigger = new RunTrigger('one', { workspaceId: 'ws-web', sourceableId: 'ws-dns' });
      const counted = listRunTriggersOutput({ workspaceId: trigger.workspaceId, direction: 'inbound' });
      return { same: found.id, counted: counted.apply((all) => all.length) };
    };
    const up = await world.up();
    assert.equal(up.failure, undefined);
    const made = world.service.snapshot().oauthClients.find((client) => client.name === 'Made');
    assert.equal((await world.outputs()).same?.value, made?.id);
  });

  it('waits for the children of a component, its components too', async () => {
    class Links extends ComponentResource {
      constructor(name: string, options: ComponentResourceOptions = {}) {
        super('acme:Links', name, {}, options);
        if (options.parent === undefined) new Links(`${name}-inner`, { parent: this });
        const first = new RunTrigger(`${name}-first`, pair('ws-docs', `ws-${name}`), { parent: this });
        // Begins when the first is there.
        const { createdAt } = first;
        const second = { workspaceId: 'ws-jobs', sourceableId: createdAt.apply(() => `ws-${name}`) };
        new RunTrigger(`${name}-second`, second, { parent: this });
      }
    }
    world.service.patchSeed({
      organizations: { acme: { workspaces: { 'ws-links': {}, 'ws-links-inner': {} } } },
    });
    world.program = async () => {
      const dependsOn = new Links('links');
      const found = ['ws-docs', 'ws-jobs'].map((workspaceId) => {
        const all = listRunTriggersOutput({ workspaceId, direction: 'inbound' }, { dependsOn: [dependsOn] });
        return all.apply((triggers) => triggers.length);
      });
      return { found };
    };
    assert.equal((await world.preview()).failure, undefined);
    assert.equal((await world.up()).failure, undefined);
    assert.deepEqual((await world.outputs()).found?.value, [2, 2]);
  });

  it('is not known in a preview that does not know the settings of the provider', async () => {
    const declare = (later: boolean) => async () => {
      const trigger = new RunTrigger('late', pair('ws-web', 'ws-jobs'));
      const address = trigger.createdAt.apply(() => world.service.url);
      const provider = new Provider('late', { address, token: 'owner-token' });
      const ask = later ? listRunTriggersOutput : listRunTriggers;
      const found = ask({ workspaceId: 'ws-app', direction: 'inbound' }, { provider });
      return { ids: output(found).apply((all) => all.map(({ id }) => id)) };
    };
    world.program = declare(false);
    assert.match(
      (await world.preview()).failure ?? '',
      /listRunTriggers: the settings of its provider are not known yet: use listRunTriggersOutput/,
    );
    world.program = declare(true);
    assert.equal((await world.preview()).failure, undefined);
    assert.equal((await world.up()).failure, undefined);
    assert.deepEqual((await world.outputs()).ids?.value, ['rt-1']);
  });

  it('asks the account of a given provider', async () => {
    const other = await createService({ seed: acme });
    other.patchSeed({
      organizations: { acme: { oauthClients: { 'oc-there': { ...body, name: 'There' } } } },
    });
    world.env.OTHER_TOKEN = 'owner-token';
    world.program = async () => {
      const provider = new Provider('other', { address: other.url, tokenEnv: 'OTHER_TOKEN' });
      return { there: getOAuthClientOutput({ organization: 'acme', id: 'oc-there' }, { provider }).name };
    };
    const { failure } = await world.preview();
    const asked = other.requests().length;
    await other.close();
    assert.deepEqual([failure, asked], [undefined, 1]);
  });

  const mistakes: readonly (readonly [string, () => Promise<unknown>, RegExp])[] = [
    [
      'nobody',
      () => getOAuthClient({ organization: 'acme', name: 'None' }),
      /there is no OAuth client named "None" in acme/,
    ],
    [
      'neither id nor name',
      // As a program in JavaScript may ask.
      () => getOAuthClient({ organization: 'acme' } as typeof one),
      /getOAuthClient takes either the id or the name/,
    ],
    [
      'a service that looks up no names',
      () => getWorkspace({ organization: 'acme', name: 'app' }),
      /getWorkspace: a service of profile `default` cannot look names up/,
    ],
    [
      'the same by an output',
      async () => getProjectOutput({ organization: output('acme'), name: 'web' }),
      /getProject: a service of profile `default` cannot look names up/,
    ],
  ];
  for (const [what, ask, message] of mistakes) {
    it(`says what is wrong with ${what}, on one line`, async () => {
      world.program = async () => {
        await ask();
      };
      assert.match((await world.preview()).failure ?? '', message);
    });
  }
});
