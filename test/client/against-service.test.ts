/** The client against the embedded service over a socket: every operation, every switch that a client can notice. */
import assert from 'node:assert/strict';
import {
  AnswerLost,
  type Api,
  type ClientEvent,
  type ClientOptions,
  Conflict,
  createClient,
  createReadOnlyClient,
  Invalid,
  NotFound,
  Unauthorized,
} from '../../client';
import { createService, type SeedObject, type Service, type ServiceOptions } from '../../service';
import { VirtualClock } from '../support/virtual-clock';

const seed: SeedObject = {
  organizations: {
    acme: {
      agentPools: { 'apool-dmz': { name: 'dmz' } },
      projects: { 'prj-one': { name: 'one' }, 'prj-two': { name: 'two' } },
      workspaces: Object.fromEntries(
        ['app', 'network', ...Array.from({ length: 30 }, (_, index) => `w${index}`)].map((name) => [
          `ws-${name}`,
          { name },
        ]),
      ),
    },
  },
  tokens: {
    'owner-token': { acme: 'owner' },
    'reader-token': { acme: { manageVcsSettings: false, workspaces: { 'ws-app': 'readRuns' } } },
  },
};

const body = {
  serviceProvider: 'provider_a',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
  oauthTokenString: 'string-1',
};

let service: Service;
let events: ClientEvent[];

async function start(options: ServiceOptions = {}): Promise<void> {
  service = await createService({ seed, ...options });
}

function client(options: Partial<ClientOptions> = {}): Api {
  const onEvent = (event: ClientEvent) => events.push(event);
  const clock = new VirtualClock();
  return createClient({
    address: service.url,
    token: 'owner-token',
    rate: Infinity,
    clock,
    onEvent,
    ...options,
  });
}

describe('the client against the service', () => {
  beforeEach(() => {
    events = [];
  });
  afterEach(() => service.close());

  it('makes, reads, lists, changes, attaches, detaches and destroys an OAuth client', async () => {
    await start();
    const { oauthClients } = client();
    const made = await oauthClients.create('acme', {
      ...body,
      name: 'GitHub',
      organizationScoped: false,
      projectIds: ['prj-one'],
      agentPoolId: 'apool-dmz',
    });
    assert.match(made.id, /^oc-/);
    assert.equal(made.organization, 'acme');
    assert.equal(made.organizationScoped, false);
    assert.equal(made.oauthTokenIds.length, 1);
    assert.deepEqual(await oauthClients.read(made.id), made);
    assert.deepEqual(await oauthClients.list('acme'), [made]);

    const changes = { name: null, key: 'key-2', organizationScoped: true, projectIds: [], agentPoolId: null };
    const changed = await oauthClients.update(made.id, changes);
    assert.deepEqual(changed, { ...made, ...changes });
    assert.deepEqual(await oauthClients.read(made.id), changed);

    await oauthClients.attach(made.id, ['prj-one', 'prj-two']);
    assert.deepEqual([...(await oauthClients.read(made.id)).projectIds].sort(), ['prj-one', 'prj-two']);
    await oauthClients.detach(made.id, ['prj-one']);
    assert.deepEqual((await oauthClients.read(made.id)).projectIds, ['prj-two']);

    await oauthClients.delete(made.id);
    await assert.rejects(oauthClients.read(made.id), NotFound);
    await assert.rejects(oauthClients.delete(made.id), NotFound);
    assert.deepEqual(await oauthClients.list('acme'), []);
  });

  it('makes, reads, lists and deletes a run trigger', async () => {
    await start();
    const { runTriggers } = client();
    const made = await runTriggers.create('ws-app', 'ws-network');
    assert.match(made.id, /^rt-/);
    assert.deepEqual([made.workspaceName, made.sourceableName], ['app', 'network']);
    assert.deepEqual(await runTriggers.read(made.id), made);
    assert.deepEqual(await runTriggers.list('ws-app', 'inbound'), [made]);
    assert.deepEqual(await runTriggers.list('ws-network', 'outbound'), [made]);
    assert.deepEqual(await runTriggers.list('ws-network', 'inbound'), []);
    await runTriggers.delete(made.id);
    await assert.rejects(runTriggers.read(made.id), NotFound);
    assert.deepEqual(await runTriggers.list('ws-app', 'inbound'), []);
  });

  it('tells a wrong token from one without permission', async () => {
    await start();
    await assert.rejects(client({ token: 'wrong' }).oauthClients.list('acme'), (error) => {
      assert.ok(error instanceof Unauthorized);
      assert.match(error.message, /the token was refused \(401\): unauthorized: check TETHER_TOKEN$/);
      return true;
    });
    const reader = client({ token: 'reader-token' });
    await assert.rejects(reader.oauthClients.list('acme'), NotFound);
    assert.deepEqual(await reader.runTriggers.list('ws-app', 'inbound'), []);
  });

  it('passes on what the service says of a bad request', async () => {
    await start();
    await assert.rejects(
      client().oauthClients.create('acme', { ...body, serviceProvider: 'nonsense' }),
      (error) => {
        assert.ok(error instanceof Invalid);
        assert.ok(
          error.context.details.some(({ pointer }) => pointer?.includes('service-provider') === true),
        );
        return true;
      },
    );
    const made = await client().oauthClients.create('acme', body);
    await assert.rejects(client().oauthClients.attach(made.id, ['prj-one', 'prj-none']), Invalid);
    assert.deepEqual((await client().oauthClients.read(made.id)).projectIds, []);
  });

  it('keeps a read-only client from writing and lets it read', async () => {
    await start();
    const made = await client().runTriggers.create('ws-app', 'ws-network');
    service.clearRequests();
    const api = createReadOnlyClient({ address: service.url, token: 'owner-token' });
    assert.deepEqual(await api.runTriggers.list('ws-app', 'inbound'), [made]);
    assert.deepEqual(
      service.requests().map(({ method }) => method),
      ['GET'],
    );
  });

  for (const how of ['reset-before', 'reset-after'] as const) {
    it(`never sends a create twice when its answer is lost (${how})`, async () => {
      await start();
      const api = client();
      service.fault({ how, method: 'POST', nth: 1 });
      await assert.rejects(api.runTriggers.create('ws-app', 'ws-network'), AnswerLost);
      assert.equal(service.snapshot().runTriggers.length, how === 'reset-after' ? 1 : 0);
      service.clearFaults();
      service.fault({ how, method: 'POST', nth: 1 });
      await assert.rejects(api.oauthClients.create('acme', body), AnswerLost);
      assert.equal(service.snapshot().oauthClients.length, how === 'reset-after' ? 1 : 0);
    });

    it(`carries everything else out once when its answer is lost (${how})`, async () => {
      await start();
      const api = client();
      const { id } = await api.oauthClients.create('acme', body);
      const trigger = await api.runTriggers.create('ws-app', 'ws-network');
      for (const [method, call] of [
        ['GET', () => api.oauthClients.list('acme')],
        ['PATCH', () => api.oauthClients.update(id, { name: 'new' })],
        ['POST', () => api.oauthClients.attach(id, ['prj-one', 'prj-two'])],
        ['DELETE', () => api.oauthClients.detach(id, ['prj-two'])],
        ['DELETE', () => api.runTriggers.delete(trigger.id)],
      ] as const) {
        service.clearFaults();
        service.fault({ how, method, nth: 1 });
        const before = service.requests().length;
        await call();
        assert.equal(service.requests().length, before + 2);
      }
      service.clearFaults();
      const shown = await api.oauthClients.read(id);
      assert.equal(shown.name, 'new');
      assert.deepEqual(shown.projectIds, ['prj-one']);
      assert.equal(service.snapshot().runTriggers.length, 0);
      service.fault({ how, method: 'DELETE', nth: 1 });
      await api.oauthClients.delete(id);
      assert.equal(service.snapshot().oauthClients.length, 0);
    });
  }

  it('lets the caller look when an attach that was applied is refused the second time', async () => {
    await start({ behaviours: { 'attach-again': '422' } });
    const { id } = await client().oauthClients.create('acme', body);
    service.fault({ how: 'reset-after', method: 'POST', nth: 1 });
    await assert.rejects(client().oauthClients.attach(id, ['prj-one']), (error) => {
      assert.ok(error instanceof Invalid);
      assert.equal(error.context.attempts, 2);
      assert.equal(error.outcome, 'ambiguous');
      return true;
    });
    assert.deepEqual((await client().oauthClients.read(id)).projectIds, ['prj-one']);
  });

  for (const [value, error] of [
    ['422', Invalid],
    ['409', Conflict],
  ] as const) {
    it(`does not try a duplicate trigger again (${value})`, async () => {
      await start({ behaviours: { 'duplicate-trigger': value } });
      await client().runTriggers.create('ws-app', 'ws-network');
      await assert.rejects(client().runTriggers.create('ws-app', 'ws-network'), error);
      assert.equal(service.requests().length, 2);
    });
  }

  for (const status of ['409', '422']) {
    it(`creates triggers of one target at once although creation locks (${status})`, async () => {
      await start({ behaviours: { 'trigger-lock': status } });
      // Real time: the lock is held for some of it.
      const api = createClient({ address: service.url, token: 'owner-token', rate: Infinity });
      const sources = Array.from({ length: 6 }, (_, index) => `ws-w${index}`);
      await Promise.all(sources.map((source) => api.runTriggers.create('ws-app', source)));
      const listed = await api.runTriggers.list('ws-app', 'inbound');
      assert.deepEqual(listed.map(({ sourceableId }) => sourceableId).sort(), sources);
    });
  }

  for (const behaviours of [
    { 'page-size-max': '7' },
    { 'page-size-max': '7', 'page-size-over': '422' },
    { 'page-size-max': '7', 'list-order': 'random' },
    { 'list-order': 'random' },
  ]) {
    it(`lists everything with ${JSON.stringify(behaviours)}`, async () => {
      const triggers = Object.fromEntries(
        Array.from({ length: 30 }, (_, index) => [
          `rt-${index}`,
          { workspace: `ws-w${index}`, sourceable: 'ws-network' },
        ]),
      );
      const acme = { ...seed.organizations?.acme, runTriggers: triggers };
      await start({ seed: { ...seed, organizations: { acme } }, behaviours });
      const listed = await client().runTriggers.list('ws-network', 'outbound');
      assert.deepEqual(listed.map(({ id }) => id).sort(), Object.keys(triggers).sort());
    });
  }

  describe('with a limited rate', () => {
    const calls = 300;

    /** So many reads at once, in virtual time that both sides share; one in flight, so that nothing is left to chance. */
    async function read(algorithm: string, rate: number | undefined): Promise<number> {
      const clock = new VirtualClock();
      const shared = { now: () => clock.now(), wait: (milliseconds: number) => clock.sleep(milliseconds) };
      await start({ behaviours: { 'rate-limit': algorithm }, clock: shared });
      const api = createClient({
        address: service.url,
        token: 'owner-token',
        clock,
        concurrency: 1,
        deadlineMs: 600_000,
        ...(rate === undefined ? {} : { rate }),
      });
      await Promise.all(Array.from({ length: calls }, () => api.runTriggers.list('ws-app', 'inbound')));
      return service.requests().filter(({ status }) => status === 429).length;
    }

    for (const algorithm of ['token-bucket', 'fixed-window', 'sliding-window']) {
      it(`wastes no request on a ${algorithm} when it keeps to its own pace`, async () => {
        assert.equal(await read(algorithm, undefined), 0);
      });

      it(`gets through a ${algorithm} when it is told to go too fast`, async () => {
        const rejected = await read(algorithm, 60);
        assert.ok(rejected > 0, 'the limit was never met');
      });
    }
  });
});
