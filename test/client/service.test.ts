/** The client against the embedded service: locks, pages and rates that its own tests only play. */
import assert from 'node:assert/strict';
import { createClient } from '../../client/client';
import type { ClientOptions } from '../../client/options';
import { createService, type Service, type ServiceOptions } from '../../service';
import { ownerOf, seed } from '../support/client-and-service';
import { VirtualClock } from '../support/virtual-clock';

describe('the client against the service', () => {
  let service: Service;
  afterEach(() => service.close());
  const start = async (options: ServiceOptions = {}): Promise<void> => {
    service = await createService({ seed, ...options });
  };
  const client = (options: Partial<ClientOptions> = {}) => ownerOf(service, options);

  for (const value of ['422', '409']) {
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
});
