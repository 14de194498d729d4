/** Lost answers of the embedded service: what was carried out, and how often. */
import assert from 'node:assert/strict';
import { AnswerLost, Invalid } from '../../client/errors';
import type { ClientOptions } from '../../client/options';
import { createService, type Service, type ServiceOptions } from '../../service';
import { body, ownerOf, seed } from '../support/client-and-service';

let service: Service;

async function start(options: ServiceOptions = {}): Promise<void> {
  service = await createService({ seed, ...options });
}

const client = (options: Partial<ClientOptions> = {}) => ownerOf(service, options);

describe('the client against a service that loses answers', () => {
  afterEach(() => service.close());

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
});
