/** One provider process: its configuration is taken over at once, shared by all kinds, and never undone by a repetition. */
import assert from 'node:assert/strict';

import entry = require('../../provider');

import { linkName, links, queueOf } from '../../provider/links';
import { resourceTypeOf } from '../../provider/resource-types';
import { Session } from '../../provider/session';
import { definitionOf } from '../../resources/kind';
import { registry } from '../../resources/registry';
import { startForwardProxy } from '../support/forward-proxy';
import { errorOf, ProviderHandlers } from '../support/provider-handlers';

const here = 'https://here.example.com/api/v2';
const there = 'https://there.example.com/api/v2';

describe('a provider process', () => {
  const session = (variables: Readonly<Record<string, string>> = {}) =>
    new Session({ variable: (name) => variables[name], folder: () => '/', say: () => undefined });
  const config = (values: Readonly<Record<string, unknown>>) => ({
    get: (name: string) => values[name] as string,
  });

  it('exports a handler for each kind, by names that stand in every state', () => {
    assert.deepEqual(Object.keys(entry).sort(), [
      'inboundRunTriggers',
      'oauthClient',
      'outboundRunTriggers',
      'projectAttachment',
      'runTrigger',
    ]);
  });

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

  it('takes a new configuration, and an empty value for none', () => {
    const process = session();
    process.configure(config({ 'tether:address': here }));
    assert.equal(process.account.address, here);
    process.configure(config({ 'tether:address': there, 'tether:profile': '' }));
    assert.equal(process.account.address, there);
    process.configure(config({ 'tether:address': '' }));
    assert.equal(process.account.address, undefined);
  });

  it('lets variables win until a resource or the configuration says that the provider is explicit', () => {
    const variables = { TETHER_ADDRESS: there };
    const configured = session(variables);
    configured.configure(config({ 'tether:address': here, 'tether:explicit': 'true' }));
    assert.equal(configured.account.address, here);
    const noticed = session(variables);
    noticed.configure(config({ 'tether:address': here }));
    noticed.notice(['id', { explicit: false }, null, undefined]);
    assert.equal(noticed.account.address, there);
    noticed.notice(['id', {}, { explicit: true }]);
    assert.equal(noticed.account.address, here);
    // The SDK configures once more for the next kind: that undoes nothing.
    noticed.configure(config({ 'tether:address': here }));
    assert.equal(noticed.account.address, here);
  });

  it('keeps its client over repeated configurations and notices, and makes a new one for a new account', () => {
    const process = session({ TETHER_TOKEN: 'token' });
    const first = config({ 'tether:address': here, 'tether:token': 'own' });
    process.configure(first);
    const { api, lists } = process.connection;
    process.configure(first);
    process.notice([{}]);
    assert.equal(process.api, api);
    assert.equal(process.connection.lists, lists);
    process.notice([{ explicit: true }]);
    const explicit = process.api;
    assert.notEqual(explicit, api);
    process.notice([{ explicit: true }]);
    assert.equal(process.api, explicit);
    process.configure(config({ 'tether:address': there, 'tether:token': 'own' }));
    assert.equal(process.api.address, there);
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
    assert.deepEqual(await run().diff(id, outs, inputs), { changes: false });
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
