/** Update and read of OAuth clients: what is written, what stays, and what is refused without a write. */
import assert from 'node:assert/strict';
import { unknownValue } from '../../provider/state';
import { errorOf, oauthClients, ProviderHandlers } from '../support/provider-handlers';

const inputs = {
  organization: 'acme',
  name: 'GitHub',
  serviceProvider: 'provider_a',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
  secret: 'canary-one',
};

describe('an OAuth client that is updated under Pulumi', () => {
  let world: ProviderHandlers;
  let id: string;
  let outs: Record<string, unknown>;
  beforeEach(async () => {
    world = await ProviderHandlers.start();
    ({ id, outs = {} } = await world.client.create(inputs));
    world.writes();
  });
  afterEach(() => world.close());
  const there = () => world.service.snapshot().oauthClients[0];

  it('sends what differs from the object, and returns every output', async () => {
    const news = { ...inputs, name: 'Git', key: 'k', agentPoolId: 'apool-dmz' };
    const { outs: now = {} } = await world.client.update(id, outs, news);
    assert.deepEqual(world.writes(), ['PATCH /oauth-clients/:id']);
    assert.deepEqual([there()?.name, there()?.key, there()?.agentPoolId], ['Git', 'k', 'apool-dmz']);
    assert.deepEqual(
      [now.name, now.agentPoolId, now.secret, now.address],
      ['Git', 'apool-dmz', 'canary-one', world.service.url],
    );
    assert.deepEqual(await world.client.diff(id, now, news), { update: [], replace: [] });
  });

  it('sends a changed secret alone, and a new one too', async () => {
    await world.client.update(id, outs, { ...inputs, secret: 'canary-two' });
    assert.deepEqual(world.writes(), ['PATCH /oauth-clients/:id']);
    const { secret: _, ...before } = outs;
    assert.deepEqual(await world.client.diff(id, before, inputs), { update: ['secret'], replace: [] });
    await world.client.update(id, before, inputs);
    assert.deepEqual(world.writes(), ['PATCH /oauth-clients/:id']);
  });

  it('sends nothing when somebody has made it so already, and records what only the state holds', async () => {
    await world.session.api.oauthClients.update(id, { name: 'Git' });
    world.writes();
    const news = { ...inputs, name: 'Git', deletionProtection: false };
    const { outs: now } = await world.client.update(id, outs, news);
    assert.deepEqual(world.writes(), []);
    assert.deepEqual([now?.name, now?.deletionProtection], ['Git', false]);
  });

  it('never sends what does not change in place', async () => {
    const { outs: now } = await world.client.update(id, outs, {
      ...inputs,
      httpUrl: 'https://new.example.com',
    });
    assert.deepEqual(world.writes(), []);
    assert.equal(now?.httpUrl, inputs.httpUrl);
  });

  it('has its name cleared when the program clears it', async () => {
    const news = { ...inputs, name: null };
    assert.deepEqual(await world.client.diff(id, outs, news), { update: ['name'], replace: [] });
    await world.client.update(id, outs, news);
    assert.equal(there()?.name, null);
  });

  it('is told to be gone when it is, and nothing is written', async () => {
    await world.session.api.oauthClients.delete(id);
    world.writes();
    const { message } = await errorOf(world.client.update(id, outs, { ...inputs, name: 'Git' }));
    assert.match(
      message,
      new RegExp(`^${id} is not there any more, or the token may not see it: nothing was`),
    );
    assert.deepEqual(world.writes(), []);
  });

  it('passes on in one line what the service says against a look and a change', async () => {
    world.service.fault({ how: 'status', method: 'GET', status: 403, times: 1 });
    const looked = await errorOf(world.client.update(id, outs, { ...inputs, name: 'Git' }));
    assert.match(looked.message, /^GET \/oauth-clients\/oc-\w+: forbidden \(403\)/);
    world.service.fault({ how: 'status', method: 'PATCH', status: 422, times: 1 });
    const changed = await errorOf(world.client.update(id, outs, { ...inputs, secret: 'canary-three' }));
    assert.match(changed.message, /^PATCH \/oauth-clients\/oc-\w+: /);
    assert.doesNotMatch(`${changed.stack}${looked.stack}`, /canary|\n/);
  });

  it('is read with every readable field as it is now, and inputs only where they were given', async () => {
    await world.session.api.oauthClients.update(id, {
      name: 'Theirs',
      key: 'theirs',
      organizationScoped: false,
    });
    const read = await oauthClients(world.newRun()).read(id, outs, inputs);
    assert.deepEqual(
      [read.props?.name, read.props?.key, read.props?.organizationScoped],
      ['Theirs', 'theirs', false],
    );
    const { name, ...rest } = inputs;
    assert.deepEqual(read.inputs, { ...rest, name: 'Theirs' });
  });

  it('is read by its id alone, and is an error when there is none', async () => {
    const { props } = await world.client.read(id);
    assert.deepEqual([props?.organization, props?.name], ['acme', 'GitHub']);
    assert.match((await errorOf(world.client.read('oc-9'))).message, /^GET \/oauth-clients\/oc-9: not found/);
    const elsewhere = await errorOf(world.client.read('oc-9', { organization: 'acme' }));
    assert.equal(elsewhere.message, 'there is no OAuth client oc-9 in acme');
  });

  it('is never taken for the one of another account, nor for gone there', async () => {
    const before = { ...outs, address: 'https://other.example.com/api/v2' };
    const read = () => errorOf(oauthClients(world.newRun()).read(id, before, inputs));
    assert.match((await read()).message, /^oc-\w+ belongs to https:\/\/other/);
    await world.session.api.oauthClients.delete(id);
    assert.match((await read()).message, /^oc-\w+ belongs to https:\/\/other/);
  });

  it('is seen by its own Show where the list is forbidden', async () => {
    world.service.fault({
      how: 'status',
      method: 'GET',
      route: '/organizations/:organization_name/oauth-clients',
      status: 404,
    });
    assert.equal((await oauthClients(world.newRun()).read(id, outs)).id, id);
    world.service.fault({ how: 'status', method: 'GET', route: '/oauth-clients/:id', status: 403 });
    const { message } = await errorOf(oauthClients(world.newRun()).read(id, outs));
    assert.match(message, /^GET \/oauth-clients\/oc-\w+: forbidden/);
  });

  it('is marked as replaced for every field that never changes in place, known or not', async () => {
    const olds = { ...outs, deletionProtection: false };
    const news = { ...inputs, httpUrl: 'https://new.example.com', apiUrl: unknownValue, key: 'k' };
    assert.deepEqual(await world.client.diff(id, olds, news), {
      update: ['key', 'deletionProtection'],
      replace: ['httpUrl', 'apiUrl'],
    });
  });

  it('clears what the object has and nobody managed yet', async () => {
    const olds = { ...outs, agentPoolId: 'apool-theirs' };
    const verdict = await world.client.diff(id, olds, { ...inputs, agentPoolId: null });
    assert.deepEqual(verdict, { update: ['agentPoolId'], replace: [] });
  });
});

describe('a service that drops projects in silence', () => {
  let world: ProviderHandlers;
  const github = { ...inputs, serviceProvider: 'github' };
  beforeEach(async () => {
    world = await ProviderHandlers.start(undefined, { profile: 'hcp-terraform' });
    world.variables.TETHER_PROFILE = 'hcp-terraform';
    world.service.patchSeed({ organizations: { other: { projects: { 'prj-theirs': {} } } } });
  });
  afterEach(() => world.close());

  it('is told of after the create, whose object is recorded', async () => {
    const wanted = { ...github, projectIds: ['prj-theirs', 'prj-web'] };
    const created = await errorOf(world.client.create(wanted));
    assert.match(created.message, /^oc-\w+ was created and not finished: .*prj-theirs/);
    const properties = created.properties as Record<string, unknown>;
    const fine = { ...github, projectIds: ['prj-web'] };
    assert.deepEqual((await world.client.update(String(created.id), properties, fine)).outs?.projectIds, [
      'prj-web',
    ]);
  });

  it('is told of after a change', async () => {
    const { id, outs = {} } = await world.client.create(github);
    const headers = { authorization: 'Bearer owner-token' };
    const body = await (await fetch(`${world.service.url}/oauth-clients/${id}`, { headers })).text();
    world.service.fault({ how: 'status', method: 'PATCH', status: 200, body });
    const { message } = await errorOf(
      world.client.update(id, outs, { ...github, projectIds: ['prj-web', 'prj-search'] }),
    );
    assert.match(
      message,
      /projectIds was sent as .*"prj-search".* and is \[\] \(it leaves out projects of another organization in silence/,
    );
  });
});
