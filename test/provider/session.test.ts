/** One provider process: its configuration is taken over at once, shared by all kinds, and never undone by a repetition. */
import assert from 'node:assert/strict';

import { linkName, queueOf } from '../../provider/links';
import { resourceTypeOf } from '../../provider/resource-types';
import { Session } from '../../provider/session';
import { definitionOf } from '../../resources/kind';
import { registry } from '../../resources/registry';
import { startForwardProxy } from '../support/forward-proxy';
import { openGate } from '../support/gate';
import { errorOf, links, ProviderHandlers } from '../support/provider-handlers';

const here = 'https://here.example.com/api/v2';
const there = 'https://there.example.com/api/v2';

describe('a provider process', () => {
  const session = (variables: Readonly<Record<string, string>> = {}) =>
    new Session({ variable: (name) => variables[name], folder: () => '/', say: () => undefined });

  it('asks the proxy of the environment for a tunnel, and nothing else', async () => {
    const proxy = await startForwardProxy({ login: 'ann:other' });
    try {
      const process = session({
        TETHER_ADDRESS: 'https://tfe.test/api/v2',
        TETHER_TOKEN: 'token-1',
        https_proxy: `http://ann:wrong@127.0.0.1:${proxy.port}`,
      });
      await assert.rejects(process.api.oauthClients.read('oc-1'), /wants a user name and password.*\(407\)/);
      assert.deepEqual(
        proxy.tunnels.map(({ host }) => host),
        ['tfe.test:443'],
      );
      assert.doesNotMatch(proxy.received(), /token-1|api\/v2/);
    } finally {
      await proxy.close();
    }
  });

  it('takes a new configuration, and makes a client of its own for it', () => {
    const process = session({ TETHER_TOKEN: 'token' });
    process.configure({ address: here, token: 'own', explicit: true });
    const { api, lists } = process.connection;
    assert.deepEqual([process.api, process.connection.lists], [api, lists]);
    process.configure({ address: there, token: 'own', explicit: true });
    assert.equal(process.api.address, there);
  });

  it('begins nothing more once the run was cancelled', async () => {
    const world = await ProviderHandlers.start();
    const gate = await openGate(world.service.url);
    world.variables.TETHER_ADDRESS = gate.address;
    const session = world.newRun();
    const run = links(session, resourceTypeOf('RunTrigger'));
    const reached = gate.stop({ method: 'POST', path: /run-triggers/u, when: 'before' });
    const first = run.create({ workspaceId: 'ws-app', sourceableId: 'ws-dns' });
    const second = errorOf(run.create({ workspaceId: 'ws-app', sourceableId: 'ws-web' }));
    await reached;
    session.cancel();
    gate.open();
    await first;
    assert.equal((await second).message, 'the run was cancelled before this was begun');
    assert.equal(world.service.snapshot().runTriggers.length, 1);
    await gate.close();
    await world.close();
  });

  it('does not compare addresses where nobody says one', () => {
    session().refuseOtherAddress('oc-1', here);
    session({ TETHER_ADDRESS: here }).refuseOtherAddress('oc-1', undefined);
    session({ TETHER_ADDRESS: `${here}/` }).refuseOtherAddress('oc-1', here);
    const shouted = 'https://HERE.Example.com:443/api/v2/';
    session({ TETHER_ADDRESS: shouted }).refuseOtherAddress('oc-1', here);
    session({ TETHER_ADDRESS: here }).refuseOtherAddress('oc-1', shouted);
    assert.throws(
      () => session({ TETHER_ADDRESS: here }).refuseOtherAddress('oc-1', 'nonsense'),
      /belongs to/,
    );
    assert.throws(() => session({ TETHER_ADDRESS: there }).refuseOtherAddress('oc-1', here), {
      message: /^oc-1 belongs to https:\/\/here.*configured for https:\/\/there/,
    });
  });

  it('works on with what it made where its address is written with capitals', async () => {
    const world = await ProviderHandlers.start();
    world.variables.TETHER_ADDRESS = world.service.url.replace('http://127.0.0.1', 'HTTP://LocalHost');
    const inputs = { workspaceId: 'ws-app', sourceableId: 'ws-dns' };
    const run = () => links(world.newRun(), resourceTypeOf('RunTrigger'));
    const { id, outs = {} } = await run().create(inputs);
    assert.deepEqual(await run().diff(id, outs, inputs), { update: [], replace: [] });
    assert.equal((await run().read(id, outs)).id, id);
    await run().delete(id, outs);
    assert.deepEqual(world.service.snapshot().runTriggers, []);
    await world.close();
  });

  it('refuses a client whose organization the service does not say', async () => {
    const world = await ProviderHandlers.start();
    const client = { serviceProvider: 'provider_a', httpUrl: 'https://a', apiUrl: 'https://a/api' };
    world.service.patchSeed({ organizations: { acme: { oauthClients: { 'oc-1': client } } } });
    const headers = { authorization: 'Bearer owner-token' };
    const body = await (await fetch(`${world.service.url}/oauth-clients/oc-1`, { headers })).text();
    const { data } = JSON.parse(body) as { data: { relationships: Record<string, unknown> } };
    delete data.relationships.organization;
    world.service.fault({ how: 'status', method: 'GET', status: 200, body: JSON.stringify({ data }) });
    const attached = await errorOf(world.attachment.create({ oauthClientId: 'oc-1', projectId: 'prj-web' }));
    const read = await errorOf(world.client.read('oc-1'));
    const writes = world.writes();
    await world.close();
    for (const { message } of [attached, read]) {
      assert.equal(message, 'the service does not say which organization oc-1 belongs to');
    }
    assert.deepEqual(writes, []);
  });

  it('has a queue for each target, for each client, and else for each link alone', () => {
    const { createQueue: _, ...free } = definitionOf('RunTrigger', registry);
    const key = (sourceableId: string) => ({ workspaceId: 'ws-1', sourceableId });
    const trigger = definitionOf('RunTrigger', registry);
    assert.equal(queueOf(trigger, key('ws-2')), queueOf(trigger, key('ws-3')));
    assert.notEqual(queueOf(free, key('ws-2')), queueOf(free, key('ws-3')));
    assert.equal(linkName(free, key('ws-2')), 'RunTrigger ws-1 ws-2');
    const attachment = definitionOf('ProjectAttachment', registry);
    assert.equal(
      queueOf(attachment, { oauthClientId: 'oc-1', projectId: 'prj-1' }),
      queueOf(attachment, { oauthClientId: 'oc-1', projectId: 'prj-2' }),
    );
  });

  it('says that nobody can tell where the list of a client is not to be seen', async () => {
    const world = await ProviderHandlers.start();
    const client = { serviceProvider: 'provider_a', httpUrl: 'https://a', apiUrl: 'https://a/api' };
    world.service.patchSeed({ organizations: { acme: { oauthClients: { 'oc-1': client } } } });
    const { id, outs } = await world.attachment.create({ oauthClientId: 'oc-1', projectId: 'prj-web' });
    world.service.fault({ how: 'status', method: 'GET', status: 404 });
    const { message } = await errorOf(
      links(world.newRun(), resourceTypeOf('ProjectAttachment')).read(id, outs),
    );
    await world.close();
    assert.match(
      message,
      /^nobody can tell whether ProjectAttachment oc-1\/prj-web still exists, so the state stays/,
    );
    assert.doesNotMatch(message, /\.\./);
  });
});
