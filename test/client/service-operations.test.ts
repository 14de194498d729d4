/** Every operation against the embedded service over a socket. */
import assert from 'node:assert/strict';
import { createReadOnlyClient } from '../../client/client';
import { Invalid, NotFound, Unauthorized } from '../../client/errors';
import type { ClientOptions } from '../../client/options';
import { createService, type Service, type ServiceOptions } from '../../service';
import { body, ownerOf, seed } from '../support/client-and-service';

let service: Service;

async function start(options: ServiceOptions = {}): Promise<void> {
  service = await createService({ seed, ...options });
}

const client = (options: Partial<ClientOptions> = {}) => ownerOf(service, options);

describe('the client against the service', () => {
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
      assert.match(
        error.message,
        /the token was refused \(401\): unauthorized: it was sent to 127\.0\.0\.1:\d+: check the token$/,
      );
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
});
