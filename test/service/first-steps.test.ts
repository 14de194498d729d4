// The service from outside, in the few steps that everything else stands on.

import assert from 'node:assert/strict';
import { createService, type Service } from '../../service';

const seed = {
  organizations: {
    acme: {
      projects: { 'prj-payments': { name: 'payments' } },
      workspaces: { 'ws-network': { name: 'network' }, 'ws-app': { name: 'app' } },
    },
  },
  tokens: { 'owner-token': { acme: 'owner' as const } },
};

describe('a service that was just started', () => {
  let service: Service;

  beforeEach(async () => {
    service = await createService({ seed, admin: true });
  });

  afterEach(() => service.close());

  function call(method: string, path: string, body?: object): Promise<Response> {
    return fetch(service.url + path, {
      method,
      headers: { authorization: 'Bearer owner-token', 'content-type': 'application/vnd.api+json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  }

  it('creates a trigger, shows it, and counts both requests', async () => {
    const sourceable = { data: { id: 'ws-network', type: 'workspaces' } };
    const created = await call('POST', '/workspaces/ws-app/run-triggers', {
      data: { relationships: { sourceable } },
    });
    assert.equal(created.status, 201);
    const { data } = (await created.json()) as { data: { id: string } };
    const shown = await call('GET', `/run-triggers/${data.id}`);
    assert.deepEqual(await shown.json(), { data });
    const routes = service.requests().map(({ method, route, status }) => [method, route, status]);
    assert.deepEqual(routes, [
      ['POST', '/workspaces/:workspace_id/run-triggers', 201],
      ['GET', '/run-triggers/:run_trigger_id', 200],
    ]);
  });

  it('loses the answer of a request that was carried out', async () => {
    service.fault({ how: 'reset-after', method: 'POST', nth: 1 });
    const sourceable = { data: { id: 'ws-network', type: 'workspaces' } };
    const body = { data: { relationships: { sourceable } } };
    await assert.rejects(call('POST', '/workspaces/ws-app/run-triggers', body));
    assert.equal(service.snapshot().runTriggers.length, 1);
  });
});
