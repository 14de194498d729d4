/** The client against the embedded service: rates that its own tests only play. */
import assert from 'node:assert/strict';
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
