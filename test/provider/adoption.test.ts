/** Taking over an OAuth client that exists: looked at first, refused where it cannot be the one meant, then given what differs. */
import assert from 'node:assert/strict';
import { unknownValue } from '../../provider/state';
import type { SeedOAuthClient } from '../../service';
import {
  errorOf,
  clientInputs as inputs,
  oauthClients,
  ProviderHandlers,
} from '../support/provider-handlers';

const { organization, ...body } = inputs;

describe('an OAuth client that is adopted under Pulumi', () => {
  let world: ProviderHandlers;
  beforeEach(async () => {
    world = await ProviderHandlers.start();
    world.service.patchSeed({
      organizations: {
        acme: { oauthClients: { 'oc-1': { ...body, projects: ['prj-web'] } } },
        other: { oauthClients: { 'oc-2': body } },
      },
      tokens: { 'owner-token': { other: 'owner' } },
    });
  });
  afterEach(() => world.close());

  const adopt = (more: object = {}) => world.client.create({ ...inputs, adoptId: 'oc-1', ...more });

  it('is not written when nothing differs, and is all that there is', async () => {
    const { id, outs } = await adopt();
    assert.equal(id, 'oc-1');
    assert.deepEqual(world.writes(), []);
    assert.equal(outs?.address, world.service.url);
    assert.deepEqual(outs?.projectIds, ['prj-web']);
    assert.equal(world.service.snapshot().oauthClients.length, 2);
  });

  it('gets what differs, and the secrets that can be written, in one call', async () => {
    const { outs } = await adopt({ key: 'k', secret: 'canary', oauthTokenString: 'canary', projectIds: [] });
    assert.deepEqual(world.writes(), ['PATCH /oauth-clients/:id']);
    const there = world.service.snapshot().oauthClients.find((one) => one.id === 'oc-1');
    assert.deepEqual([there?.key, there?.projectIds], ['k', []]);
    assert.deepEqual([outs?.key, outs?.projectIds], ['k', []]);
  });

  it('gets the token too where the service takes it', async () => {
    const able = await ProviderHandlers.start(undefined, { profile: 'hcp-terraform' });
    able.variables.TETHER_PROFILE = 'hcp-terraform';
    const github = { ...body, serviceProvider: 'github' };
    able.service.patchSeed({ organizations: { acme: { oauthClients: { 'oc-1': github } } } });
    await able.client.create({ ...inputs, ...github, adoptId: 'oc-1', oauthTokenString: 'canary' });
    const writes = able.writes();
    await able.close();
    assert.deepEqual(writes, ['PATCH /oauth-clients/:id']);
  });

  const refusals: readonly (readonly [string, object, RegExp])[] = [
    [
      'does not exist',
      { adoptId: 'oc-9' },
      /^adoptId names oc-9, which does not exist or which the token may not see: correct it, or remove it/,
    ],
    [
      'is of another organization',
      { adoptId: 'oc-2' },
      /^adoptId names oc-2, which belongs to other, not to acme$/,
    ],
    [
      'differs in what never changes in place, all of it',
      { httpUrl: 'https://x.example.com', serviceProvider: 'provider_b_hosted' },
      /^oc-1 cannot be adopted as it is: its serviceProvider is "provider_a", its httpUrl is "https:\/\/git\.example\.com", and that never/,
    ],
  ];
  for (const [what, more, message] of refusals) {
    it(`is refused, and nothing is written, when it ${what}`, async () => {
      const error = await errorOf(adopt({ secret: 'canary', ...more }));
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /canary|\n/);
      assert.deepEqual(world.writes(), []);
    });
  }

  it('is an error of its own when nobody can look at it', async () => {
    world.service.fault({ how: 'status', method: 'GET', status: 403 });
    assert.match((await errorOf(adopt())).message, /^GET \/oauth-clients\/oc-1: forbidden \(403\)/);
  });

  it('is recorded as it was when somebody destroys it right after the change', async () => {
    world.service.fault({ how: 'status', method: 'GET', nth: 2, status: 404 });
    const { id, outs } = await adopt({ key: 'k' });
    assert.deepEqual([id, outs?.name], ['oc-1', 'GitHub']);
  });

  it('may be named by an adoptId that was dropped, is the same or is not known, and by no other', async () => {
    const { id, outs = {} } = await adopt();
    for (const told of [{}, { adoptId: 'oc-1' }, { adoptId: unknownValue }]) {
      assert.deepEqual(await world.client.diff(id, outs, { ...inputs, ...told }), {
        update: [],
        replace: [],
      });
    }
    const { adoptId: _, ...made } = outs;
    assert.deepEqual(await world.client.diff(id, made, { ...inputs, adoptId: 'oc-1' }), {
      update: [],
      replace: [],
    });
    const kept = { ...outs, adoptId: 'oc-7' };
    assert.deepEqual(await world.client.diff(id, kept, { ...inputs, adoptId: 'oc-7' }), {
      update: [],
      replace: [],
    });
    assert.match(
      (await errorOf(world.client.diff(id, outs, { ...inputs, adoptId: 'oc-2' }))).message,
      /^adoptId names oc-2, but the state says that this resource is oc-1: remove adoptId, or let oc-1 go/,
    );
  });
});

describe('an OAuth client that looks like another', () => {
  let world: ProviderHandlers;
  beforeEach(async () => {
    world = await ProviderHandlers.start();
  });
  afterEach(() => world.close());

  it('is refused with all that look the same, and not for those that do not', async () => {
    const others = {
      'oc-3': { ...body, name: 'Git' },
      'oc-4': { ...body, httpUrl: 'https://x.example.com' },
    };
    const seed = (oauthClients: Record<string, SeedOAuthClient>) =>
      world.service.patchSeed({ organizations: { acme: { oauthClients } } });
    seed(others);
    await world.client.create(inputs);
    assert.equal(world.service.snapshot().oauthClients.length, 3);
    seed({ 'oc-5': body });
    world.writes();
    const later = oauthClients(world.newRun());
    const { message } = await errorOf(later.create(inputs));
    assert.match(message, /^acme already has a matching OAuth client: oc-.*; .*oc-/);
    assert.match(message, /only renamed in the program.* aliases: \[\{ name: 'OLD NAME' \}\]/);
    // Whole ids: that of the created one is random, and may begin like these.
    assert.doesNotMatch(message, /oc-[34]\b/);
    assert.deepEqual(world.writes(), []);
  });

  it('is a possible match without a name too', async () => {
    const { name: _, ...unnamed } = inputs;
    await world.client.create(unnamed);
    assert.match(
      (await errorOf(world.client.create(unnamed))).message,
      /already has a matching OAuth client/,
    );
    assert.match(
      (await errorOf(world.client.create({ ...unnamed, name: null }))).message,
      /already has a matching OAuth client/,
    );
  });
});
