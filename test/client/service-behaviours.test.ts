/** The switches of the embedded service that a client can notice. */
import assert from 'node:assert/strict';
import { createClient } from '../../client/client';
import { Conflict, Invalid } from '../../client/errors';
import type { ClientOptions } from '../../client/options';
import { createService, type Service, type ServiceOptions } from '../../service';
import { ownerOf, seed } from '../support/client-and-service';
import { VirtualClock } from '../support/virtual-clock';

let service: Service;

async function start(options: ServiceOptions = {}): Promise<void> {
  service = await createService({ seed, ...options });
}

const client = (options: Partial<ClientOptions> = {}) => ownerOf(service, options);

describe('the client against the ways a service may behave', () => {
  afterEach(() => service.close());

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
    const calls = 100;

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
