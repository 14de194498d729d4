/** Every operation against the embedded service over a socket: its behaviours, its limits, and answers that it loses. */
import assert from 'node:assert/strict';
import { createClient } from '../../client/client';
import { AnswerLost, Conflict, Invalid, NotFound, Unauthorized } from '../../client/errors';
import type { ClientOptions } from '../../client/options';
import { createService, type Service, type ServiceOptions } from '../../service';
import { body, ownerOf, seed } from '../support/client-and-service';
import { VirtualClock } from '../support/virtual-clock';

describe('the client against the service', () => {
  let service: Service;
  afterEach(() => service.close());
  const start = async (options: ServiceOptions = {}): Promise<void> => {
    service = await createService({ seed, ...options });
  };
  const client = (options: Partial<ClientOptions> = {}) => ownerOf(service, options);

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
    assert.equal(made.organization, 'acme');
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
    assert.deepEqual([made.workspaceName, made.sourceableName], ['app', 'network']);
    assert.deepEqual(await runTriggers.read(made.id), made);
    assert.deepEqual(await runTriggers.list('ws-app', 'inbound'), [made]);
    assert.deepEqual(await runTriggers.list('ws-network', 'outbound'), [made]);
    assert.deepEqual(await runTriggers.list('ws-network', 'inbound'), []);
    await runTriggers.delete(made.id);
    await assert.rejects(runTriggers.read(made.id), NotFound);
  });

  it('tells a wrong token from one without permission', async () => {
    await start();
    await assert.rejects(client({ token: 'wrong' }).oauthClients.list('acme'), Unauthorized);
    const reader = client({ token: 'reader-token' });
    await assert.rejects(reader.oauthClients.list('acme'), NotFound);
    assert.deepEqual(await reader.runTriggers.list('ws-app', 'inbound'), []);
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

    it(`creates triggers of one target at once although creation locks (${value})`, async () => {
      await start({ behaviours: { 'trigger-lock': value } });
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
    /** Rejected requests of so many reads at once, in virtual time that both sides share. */
    async function rejected(algorithm: string, rate: number): Promise<number> {
      const clock = new VirtualClock();
      const shared = { now: () => clock.now(), wait: (milliseconds: number) => clock.sleep(milliseconds) };
      await start({ behaviours: { 'rate-limit': algorithm }, clock: shared });
      // One is in flight, so that nothing is left to chance.
      const api = client({ clock, concurrency: 1, deadlineMs: 600_000, rate });
      await Promise.all(Array.from({ length: 100 }, () => api.runTriggers.list('ws-app', 'inbound')));
      return service.requests().filter(({ status }) => status === 429).length;
    }

    for (const algorithm of ['token-bucket', 'fixed-window', 'sliding-window']) {
      it(`wastes no request on a ${algorithm} at its own pace, and gets through one at too fast a pace`, async () => {
        assert.equal(await rejected(algorithm, 29), 0);
        await service.close();
        assert.notEqual(await rejected(algorithm, 60), 0);
      });
    }
  });

  for (const how of ['reset-before', 'reset-after'] as const) {
    it(`never sends a create twice when its answer is lost (${how})`, async () => {
      await start();
      for (const create of [
        () => client().runTriggers.create('ws-app', 'ws-network'),
        () => client().oauthClients.create('acme', body),
      ]) {
        service.clearFaults();
        service.fault({ how, method: 'POST', nth: 1 });
        await assert.rejects(create(), AnswerLost);
      }
      const { runTriggers, oauthClients } = service.snapshot();
      const made = how === 'reset-after' ? 1 : 0;
      assert.deepEqual([runTriggers.length, oauthClients.length], [made, made]);
    });

    it(`carries everything else out once when its answer is lost (${how})`, async () => {
      await start();
      const api = client();
      const { id } = await api.oauthClients.create('acme', body);
      const trigger = await api.runTriggers.create('ws-app', 'ws-network');
      const losing = async (method: string, call: () => Promise<unknown>, isDelete = false) => {
        service.clearFaults();
        service.fault({ how, method, nth: 1 });
        const before = service.requests().length;
        const isGone = how === 'reset-after' && isDelete;
        await (isGone ? assert.rejects(call(), NotFound) : call());
        assert.equal(service.requests().length, before + 2);
      };
      await losing('GET', () => api.oauthClients.list('acme'));
      await losing('PATCH', () => api.oauthClients.update(id, { name: 'new' }));
      await losing('POST', () => api.oauthClients.attach(id, ['prj-one', 'prj-two']));
      await losing('DELETE', () => api.oauthClients.detach(id, ['prj-two']));
      await losing('DELETE', () => api.runTriggers.delete(trigger.id), true);
      service.clearFaults();
      const { name, projectIds } = await api.oauthClients.read(id);
      assert.deepEqual([name, projectIds], ['new', ['prj-one']]);
      await losing('DELETE', () => api.oauthClients.delete(id), true);
      const { runTriggers, oauthClients } = service.snapshot();
      assert.deepEqual([runTriggers.length, oauthClients.length], [0, 0]);
    });
  }

  it('lets the caller look when an attach that was applied is refused the second time', async () => {
    await start({ behaviours: { 'attach-again': '422' } });
    const { id } = await client().oauthClients.create('acme', body);
    service.fault({ how: 'reset-after', method: 'POST', nth: 1 });
    await assert.rejects(client().oauthClients.attach(id, ['prj-one']), (error) => {
      assert.ok(error instanceof Invalid);
      assert.deepEqual([error.context.attempts, error.outcome], [2, 'ambiguous']);
      return true;
    });
    assert.deepEqual((await client().oauthClients.read(id)).projectIds, ['prj-one']);
  });
});
