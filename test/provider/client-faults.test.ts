/** OAuth clients under lost answers, killed runs, missing permissions and other people: one object or a clear refusal. */
import assert from 'node:assert/strict';
import { Gateway } from '../model/gateway';
import { ownerToken } from '../model/organization';
import { errorOf, oauthClients, ProviderHandlers, pendingName } from '../support/provider-handlers';

const inputs = {
  organization: 'acme',
  name: 'GitHub',
  serviceProvider: 'provider_a',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
  oauthTokenString: 'canary-token',
};
const temporaryName = new RegExp(`^${pendingName()}[0-9a-f]{8}$`);

describe('an OAuth client under Pulumi', () => {
  let world: ProviderHandlers;
  beforeEach(async () => {
    world = await ProviderHandlers.start();
  });
  afterEach(() => world.close());

  const names = (): (string | null)[] => world.service.snapshot().oauthClients.map((one) => one.name);
  const api = () => world.session.api.oauthClients;

  it('is one object when the answer to its create is lost', async () => {
    world.service.fault({ how: 'reset-after', method: 'POST', nth: 1 });
    const made = await world.client.create(inputs);
    assert.deepEqual(names(), ['GitHub']);
    assert.equal(world.service.snapshot().oauthClients[0]?.id, made.id);
  });

  describe('of which another run has begun one', () => {
    const temporary = `${pendingName()}00c0ffee`;
    let left: string;
    beforeEach(async () => {
      left = (await api().create('acme', { ...inputs, name: temporary, oauthTokenString: 'old' })).id;
      world.writes();
    });

    it('is refused with both ways out, and the other one stays: that run may be going on', async () => {
      const { message } = await errorOf(world.client.create(inputs));
      assert.match(
        message,
        new RegExp(
          `^another run of this resource started a client in acme and did not finish it: ${left}, created .* wait for it.*TETHER_ALLOW_DESTROY=${left} .* adoptId: '${left}'`,
        ),
      );
      assert.deepEqual([names(), world.writes()], [[temporary], []]);
      // The other run goes on as if nothing had happened.
      assert.equal((await api().update(left, { name: 'GitHub' })).name, 'GitHub');
    });

    it('is made in its place where somebody gives that one up, so that no old secret lives on', async () => {
      world.variables.TETHER_ALLOW_DESTROY = left;
      const made = await world.client.create(inputs);
      assert.notEqual(made.id, left);
      assert.deepEqual(names(), ['GitHub']);
    });

    it('is that one where the program adopts it', async () => {
      const made = await world.client.create({ ...inputs, adoptId: left });
      assert.deepEqual([made.id, names()], [left, ['GitHub']]);
    });

    it('is made beside it where it is of another resource', async () => {
      await oauthClients(world.session, 'other').create(inputs);
      assert.deepEqual(names(), [temporary, 'GitHub']);
    });
  });

  it('is refused with its id after a kill behind the rename', async () => {
    const left = await api().create('acme', inputs);
    const error = await errorOf(world.client.create(inputs));
    assert.match(error.message, new RegExp(`adoptId: '${left.id}'`));
    assert.deepEqual(names(), ['GitHub']);
    const { id } = await world.client.create({ ...inputs, adoptId: left.id });
    assert.equal(id, left.id);
  });

  it('is a twin where two are allowed', async () => {
    await api().create('acme', inputs);
    await world.client.create({ ...inputs, allowDuplicate: true });
    assert.deepEqual(names(), ['GitHub', 'GitHub']);
  });

  it('is made once when two that look alike are created side by side', async () => {
    const both = await Promise.allSettled([
      world.client.create(inputs),
      oauthClients(world.session, 'other').create(inputs),
    ]);
    assert.deepEqual(both.map((one) => one.status).sort(), ['fulfilled', 'rejected']);
    assert.deepEqual(names(), ['GitHub']);
  });

  it('is recorded when it was made and could not be finished, and the next run repairs it', async () => {
    world.service.fault({ how: 'status', method: 'PATCH', status: 422, nth: 1 });
    const { name: _, ...unnamed } = inputs;
    const error = await errorOf(world.client.create(unnamed));
    const [there] = world.service.snapshot().oauthClients;
    assert.equal(error.id, there?.id);
    assert.match(
      error.message,
      new RegExp(`^${there?.id} was created and not finished: PATCH /oauth-clients/`),
    );
    const properties = error.properties as Record<string, unknown>;
    assert.match(String(properties.name), temporaryName);
    // A refresh clears the mark: what it returns must differ from what the program says.
    const { inputs: seen, props = {} } = await world.client.read(String(there?.id), properties, unnamed);
    assert.equal(seen?.name, properties.name);
    const verdict = await world.client.diff(String(there?.id), props, unnamed);
    assert.deepEqual(verdict, { update: ['name'], replace: [] });
    await world.client.update(String(there?.id), props, unnamed);
    assert.deepEqual(names(), [null]);
  });

  it('is recorded when it was made and refused all the same, as a gateway may', async () => {
    const gateway = await Gateway.open(world.service.url);
    try {
      world.service.patchSeed({ tokens: { [ownerToken]: { acme: 'owner' } } });
      world.variables.TETHER_ADDRESS = gateway.url;
      gateway.interfere = ({ method }) => (method === 'POST' ? { do: 'claim', status: 422 } : { do: 'pass' });
      const client = oauthClients(world.newRun());
      const error = await errorOf(client.create(inputs));
      const [there] = world.service.snapshot().oauthClients;
      assert.equal(error.id, there?.id);
      assert.match(error.message, /was created and not finished: .*422.* was made all the same/);
      await client.update(String(there?.id), error.properties as Record<string, unknown>, inputs);
      assert.deepEqual(names(), ['GitHub']);
    } finally {
      await gateway.close();
    }
  });

  it('is not recorded when nothing was made, and is recorded by its nonce when nobody can look', async () => {
    world.service.fault({ how: 'status', method: 'POST', status: 403, times: 1 });
    const refused = await errorOf(world.client.create(inputs));
    assert.match(refused.message, /^POST \/organizations\/acme\/oauth-clients: forbidden/);
    assert.equal(refused.id, undefined);
    world.service.fault({ how: 'status', method: 'PATCH', status: 403 });
    world.service.fault({ how: 'status', method: 'GET', route: '/oauth-clients/:id', status: 403 });
    const unfinished = await errorOf(world.client.create(inputs));
    const [there] = world.service.snapshot().oauthClients;
    assert.equal(unfinished.id, there?.id);
    assert.match(unfinished.message, /was created and not finished: PATCH .*forbidden/);
    const { name, httpUrl } = unfinished.properties as Record<string, unknown>;
    assert.match(String(name), temporaryName);
    assert.equal(httpUrl, inputs.httpUrl);
  });

  it('stays in the state when it is forbidden, and leaves it when it is gone', async () => {
    const { id, outs } = await world.client.create(inputs);
    world.service.patchSeed({ tokens: { 'reader-token': { acme: { manageVcsSettings: false } } } });
    world.variables.TETHER_TOKEN = 'reader-token';
    const reader = oauthClients(world.newRun());
    const error = await errorOf(reader.read(id, outs));
    assert.match(
      error.message,
      new RegExp(`^nobody can tell whether ${id} still exists, so the state stays as it is: GET `),
    );
    assert.equal(error.stack, error.message);
    world.variables.TETHER_TOKEN = 'owner-token';
    await api().delete(id);
    assert.deepEqual(await oauthClients(world.newRun()).read(id, outs), {});
  });

  it('is destroyed when the state, this run or the environment says so, and being gone is no error', async () => {
    const { id, outs } = await world.client.create(inputs);
    assert.match(
      (await errorOf(world.client.delete(id, outs))).message,
      /is protected and was not destroyed/,
    );
    world.variables.TETHER_ALLOW_DESTROY = `oc-other, ${id}`;
    await world.client.delete(id, outs);
    await world.client.delete(id, outs);
    assert.deepEqual(names(), []);
    assert.match(world.said.join('\n'), /^destroyed oc-\w+: every workspace that uses it/);
  });

  it('says how many workspaces it unlinks where the service can tell', async () => {
    const able = await ProviderHandlers.start(undefined, { profile: 'hcp-terraform' });
    able.variables.TETHER_PROFILE = 'hcp-terraform';
    const { id, outs } = await able.client.create({ ...inputs, serviceProvider: 'github' });
    const error = await errorOf(able.client.delete(id, outs));
    await able.close();
    assert.match(error.message, /no workspace uses it at present/);
  });

  it('is not looked for in another account', async () => {
    const { id, outs } = await world.client.create(inputs);
    const elsewhere = { ...outs, address: 'https://other.example.com/api/v2' };
    for (const work of [
      world.client.diff(id, elsewhere, inputs),
      world.client.update(id, elsewhere, inputs),
      world.client.delete(id, elsewhere),
    ]) {
      const { message } = await errorOf(work);
      assert.match(
        message,
        /belongs to https:\/\/other\.example\.com\/api\/v2, and this provider is configured for/,
      );
    }
  });

  const accounts: readonly (readonly [string, Record<string, string>, RegExp])[] = [
    ['no token', { TETHER_TOKEN: '' }, /^no token: set TETHER_TOKEN/],
    ['a wrong token', { TETHER_TOKEN: 'canary-wrong' }, /the token was refused \(401\).*check TETHER_TOKEN/],
    [
      'an address in the clear',
      { TETHER_ADDRESS: 'http://example.com/api/v2' },
      /is http: the token would travel in the clear/,
    ],
    [
      'a place where nobody listens',
      { TETHER_ADDRESS: 'http://127.0.0.1:1/api/v2' },
      /connection refused by 127\.0\.0\.1:1/,
    ],
    ['no such profile', { TETHER_PROFILE: 'nope' }, /there is no profile "nope"/],
  ];
  for (const [what, variables, message] of accounts) {
    it(`says in one line what is wrong with ${what}`, async () => {
      for (const [name, value] of Object.entries(variables)) world.variables[name] = value;
      if (variables.TETHER_TOKEN === '') delete world.variables.TETHER_TOKEN;
      const error = await errorOf(oauthClients(world.newRun()).create(inputs));
      assert.match(error.message, message);
      assert.doesNotMatch(`${error.message}${error.stack}`, /\n|canary/);
    });
  }
});
