/** What stands between an OAuth client and its destruction: who may lift it, and what a person is told of the consequence. */
import assert from 'node:assert/strict';
import { unknownValue } from '../../provider/state';
import {
  errorOf,
  clientInputs as inputs,
  oauthClients,
  ProviderHandlers,
} from '../support/provider-handlers';
import { acme } from '../support/world';

const moved = { ...inputs, httpUrl: 'https://new.example.com' };

describe('the replacement of a protected OAuth client', () => {
  let world: ProviderHandlers;
  let id: string;
  let outs: Record<string, unknown>;
  beforeEach(async () => {
    world = await ProviderHandlers.start();
    ({ id, outs = {} } = await world.client.create({ ...inputs, key: 'k', projectIds: ['prj-web'] }));
    world.writes();
  });
  afterEach(() => world.close());

  it('is refused in the diff, with the fields and both ways out', async () => {
    const other = { ...moved, apiUrl: 'https://new.example.com/api' };
    assert.equal(
      (await errorOf(world.client.diff(id, outs, other))).message,
      `${id} would be replaced (httpUrl, apiUrl cannot be changed in place), and it is protected: every workspace that uses it loses its VCS link and must be reconnected by hand (this service does not say how many there are). To replace it all the same set deletionProtection: false, or TETHER_ALLOW_DESTROY=${id} for one run`,
    );
  });

  it('is not refused for what is not known yet', async () => {
    const later = { ...inputs, httpUrl: unknownValue };
    assert.deepEqual(await world.client.diff(id, outs, later), { update: [], replace: ['httpUrl'] });
  });

  /** What is told to this run, what is in the state, and whether that lifts the protection. */
  const lifts: readonly (readonly [string, object, object, string, boolean])[] = [
    ['this run says so', { deletionProtection: false }, {}, '', true],
    ['the state says so', {}, { deletionProtection: false }, '', true],
    [
      'this run protects what the state did not',
      { deletionProtection: true },
      { deletionProtection: false },
      '',
      false,
    ],
    ['the environment names it among others', {}, {}, 'oc-a, ID ,oc-b', true],
    ['the environment names one whose id begins like it', {}, {}, 'IDx', false],
  ];
  for (const [what, told, state, allowed, lifted] of lifts) {
    it(`is ${lifted ? 'carried out' : 'refused'} where ${what}`, async () => {
      world.variables.TETHER_ALLOW_DESTROY = allowed.replaceAll('ID', id);
      const olds = { ...outs, ...state };
      const news = { ...moved, ...told };
      if (!lifted) {
        assert.match((await errorOf(world.client.diff(id, olds, news))).message, /and it is protected/);
        assert.match(
          (await errorOf(world.client.create(news))).message,
          /an option of the resource or of the command asks for it/,
        );
        assert.deepEqual(world.writes(), []);
        return;
      }
      assert.deepEqual((await world.client.diff(id, olds, news)).replace, ['httpUrl']);
      const made = await world.client.create(news);
      await world.client.delete(id, olds);
      const [left, ...others] = world.service.snapshot().oauthClients;
      assert.deepEqual([left?.id, left?.key, left?.projectIds, others], [made.id, 'k', ['prj-web'], []]);
    });
  }

  it('is decided again when an option of the resource asks for it', async () => {
    // replaceOnChanges: the diff says update, and the engine creates all the same.
    await world.client.diff(id, outs, { ...inputs, key: 'other' });
    const { message } = await errorOf(world.client.create({ ...inputs, key: 'other' }));
    assert.match(
      message,
      new RegExp(`^${id} would be replaced \\(an option of the resource or of the command asks for it\\)`),
    );
    const allowed = { ...inputs, key: 'other', deletionProtection: false };
    await world.client.diff(id, outs, allowed);
    const made = await world.client.create(allowed);
    assert.notEqual(made.id, id);
    await world.client.delete(id, outs);
    assert.deepEqual(
      world.service.snapshot().oauthClients.map((one) => one.id),
      [made.id],
    );
  });

  it('is carried out where the protection turns out to be lifted only when all is known', async () => {
    await world.client.diff(id, outs, { ...inputs, httpUrl: unknownValue, deletionProtection: unknownValue });
    const known = { ...moved, deletionProtection: false };
    await world.client.check(outs, known);
    const made = await world.client.create(known);
    await world.client.delete(id, outs);
    assert.deepEqual(
      world.service.snapshot().oauthClients.map((one) => one.id),
      [made.id],
    );
  });

  it('makes a new one in place of one that was adopted, and of one that is gone', async () => {
    const adopted = { ...moved, adoptId: id, deletionProtection: false };
    await world.client.diff(id, { ...outs, adoptId: id }, adopted);
    assert.notEqual((await world.client.create(adopted)).id, id);
    await world.session.api.oauthClients.delete(id);
    const again = { ...adopted, httpUrl: 'https://third.example.com' };
    await world.client.diff(id, { ...outs, adoptId: id }, again);
    assert.equal((await world.client.create(again)).outs?.key, null);
  });

  it('is known from all that the run has shown, in whatever order it came', async () => {
    // `--replace` with `--refresh`, where the engine asks for no diff and destroys the old one first.
    const news = { ...inputs, deletionProtection: false };
    for (const refreshedFirst of [false, true]) {
      const [old] = world.service.snapshot().oauthClients;
      const props = { ...outs, id: old?.id, key: 'k' };
      const { check, read, delete: remove, create } = oauthClients(world.newRun());
      if (refreshedFirst) await read(String(old?.id), props);
      await check({}, news);
      if (!refreshedFirst) await read(String(old?.id), props);
      await remove(String(old?.id), props);
      const made = await create(news);
      const left = world.service.snapshot().oauthClients;
      assert.deepEqual(
        left.map((one) => [one.id, one.key, one.projectIds]),
        [[made.id, 'k', ['prj-web']]],
      );
    }
  });

  it('is not mistaken for a second client when it was seen before it was declared', async () => {
    const { check, read, create } = oauthClients(world.newRun());
    await read(id, outs);
    const news = { ...inputs, deletionProtection: false };
    await check({}, news);
    const made = await create(news);
    assert.notEqual(made.id, id);
    assert.equal(made.outs?.key, 'k');
  });

  it('is a pending delete after a kill, which another run refuses with the way out', async () => {
    const news = { ...moved, deletionProtection: false };
    await world.client.diff(id, outs, news);
    await world.client.create(news);
    const { message } = await errorOf(oauthClients(world.newRun()).delete(id, outs));
    assert.match(
      message,
      new RegExp(`^${id} is protected and was not destroyed: .*TETHER_ALLOW_DESTROY=${id}`),
    );
    await oauthClients(world.newRun()).delete(id, { ...outs, deletionProtection: false });
    assert.equal(world.service.snapshot().oauthClients.length, 1);
  });
});

describe('what gets unlinked', () => {
  /** Names of the workspaces that use the client, and how a person reads it. */
  const many = Array.from({ length: 26 }, (_, index) => `w${String(index).padStart(2, '0')}`);
  const counts: readonly (readonly [string, readonly string[], string])[] = [
    ['none', [], 'no workspace uses it at present'],
    ['one', ['app'], '1 workspace (app) loses its VCS link and must be reconnected by hand'],
    ['two', ['app', 'web'], '2 workspaces (app, web) lose their VCS links and must be reconnected by hand'],
    [
      'more than the service names',
      many,
      `26 workspaces (${many.slice(0, 25).join(', ')}, …) lose their VCS links and must be reconnected by hand`,
    ],
  ];
  let world: ProviderHandlers;
  afterEach(() => world.close());
  const start = async (names: readonly string[]): Promise<void> => {
    world = await ProviderHandlers.start(acme, { profile: 'hcp-terraform' });
    world.variables.TETHER_PROFILE = 'hcp-terraform';
    const workspaces = Object.fromEntries(
      names.map((name) => [`ws-${name}-1`, { name, oauthClient: 'oc-1' }]),
    );
    const { serviceProvider: _, httpUrl, apiUrl, name } = inputs;
    const oauthClients = { 'oc-1': { serviceProvider: 'github', httpUrl, apiUrl, name } };
    world.service.patchSeed({ organizations: { acme: { oauthClients, workspaces } } });
  };

  for (const [what, names, text] of counts) {
    it(`is said of ${what}, in the refusal and after the destruction`, async () => {
      await start(names);
      const props = { organization: 'acme' };
      const { message } = await errorOf(world.client.delete('oc-1', props));
      assert.ok(
        message.startsWith(`oc-1 is protected and was not destroyed: ${text}. To destroy it`),
        message,
      );
      await world.client.delete('oc-1', { ...props, deletionProtection: false });
      assert.deepEqual(world.said, [`destroyed oc-1: ${text}`]);
    });
  }

  it('is said without a number when the service does not answer that question', async () => {
    await start(['app']);
    world.service.fault({ how: 'status', method: 'GET', status: 403 });
    const { message } = await errorOf(world.client.delete('oc-1', { organization: 'acme' }));
    assert.match(
      message,
      /^oc-1 is protected and was not destroyed: every workspace that uses it loses its VCS link and must be reconnected by hand \(this/,
    );
  });

  for (const profile of ['default', 'hcp-terraform']) {
    it(`is said without a number in a preview that has no token, under profile ${profile}`, async () => {
      await start([]);
      world.variables.TETHER_PROFILE = profile;
      delete world.variables.TETHER_TOKEN;
      const olds = { ...inputs, organization: 'acme' };
      assert.match(
        (await errorOf(oauthClients(world.newRun()).diff('oc-1', olds, moved))).message,
        /^oc-1 would be replaced \(httpUrl cannot be changed in place\), and it is protected: every workspace/,
      );
    });
  }
});
