/** The admin port: what tests in another process use. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { Caller, projects, seed } from '../support/api-caller';
import { HandClock } from '../support/hand-clock';

describe('the admin port', () => {
  const caller = Caller.startBeforeEach({ admin: true });

  async function admin(method: string, path: string, body?: string, type = 'application/json') {
    const init = body === undefined ? {} : { body, headers: { 'content-type': type } };
    const response = await fetch(caller.service.adminUrl + path, { method, ...init });
    return { status: response.status, text: await response.text() };
  }

  async function patch(seed: string) {
    assert.equal((await admin('PATCH', '/seed', seed, 'application/yaml')).status, 204);
  }

  it('is a loopback address, and absent unless asked for', async () => {
    assert.match(caller.service.adminUrl ?? '', /^http:\/\/127\.0\.0\.1:\d+$/);
    const secondCaller = await Caller.start();
    assert.equal(secondCaller.service.adminUrl, undefined);
    await secondCaller.close();
  });

  /** The status of a request with headers that `fetch` does not let a program choose. */
  function withHeaders(headers: Record<string, string>, method = 'PATCH', path = '/seed'): Promise<number> {
    return new Promise((resolve, reject) => {
      const sent = request(caller.service.adminUrl + path, { method, headers }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      sent.on('error', reject).end(method === 'GET' ? undefined : 'tokens: { stolen: { acme: owner } }');
    });
  }

  const outsiders: readonly (readonly [string, Record<string, string>])[] = [
    ['a page elsewhere', { origin: 'https://evil.example', 'content-type': 'text/plain' }],
    ['a page on another port of this machine', { origin: 'http://localhost:3000' }],
    ['a page without an origin to name', { origin: 'null' }],
    ['a name that somebody resolved to the loopback', { host: 'evil.example:80' }],
    ['a name that only begins like the loopback', { host: '127.0.0.1.evil.example' }],
    ['a page under such a name', { host: 'evil.example', origin: 'http://evil.example' }],
  ];
  for (const [who, headers] of outsiders) {
    it(`refuses ${who} and does nothing`, async () => {
      assert.equal(await withHeaders(headers), 403);
      assert.equal(await withHeaders(headers, 'GET', '/requests'), 403);
      assert.equal((await caller.read('/oauth-clients/x', { token: 'stolen' })).status, 401);
    });
  }

  it('takes every name of the loopback, with the port that was forwarded to it', async () => {
    for (const host of ['localhost', 'LOCALHOST:9000', '127.0.0.1:9000', '127.1.2.3', '[::1]:9000']) {
      assert.equal(await withHeaders({ host }), 204, host);
    }
  });

  it('lists requests in order and forgets them', async () => {
    await caller.createClient();
    await caller.read('/oauth-clients/oc-none?include=projects');
    await caller.read('/nothing');
    const log: Record<string, unknown>[] = JSON.parse((await admin('GET', '/requests')).text);
    const ofOrganization = '/organizations/:organization_name/oauth-clients';
    assert.deepEqual(
      log.map(({ method, route, url, status }) => [method, route, url, status]),
      [
        ['POST', ofOrganization, '/api/v2/organizations/acme/oauth-clients', 201],
        ['GET', '/oauth-clients/:id', '/api/v2/oauth-clients/oc-none?include=projects', 404],
        ['GET', null, '/api/v2/nothing', 404],
      ],
    );
    for (const { time } of log) assert.ok(Date.parse(String(time)) > 0);
    assert.equal((await admin('DELETE', '/requests')).status, 204);
    assert.equal((await admin('GET', '/requests')).text, '[]');
  });

  it('replaces everything by a seed, YAML or JSON, or by nothing', async () => {
    const yaml =
      'organizations: { fresh: { workspaces: { ws-a: {}, ws-b: } } }\ntokens: { t: { fresh: owner } }';
    const json = JSON.stringify({ organizations: { fresh: {} }, tokens: { t: { fresh: 'owner' } } });
    await caller.createClient();
    for (const body of [yaml, json]) {
      assert.equal((await admin('PUT', '/seed', body)).status, 204);
      assert.equal((await caller.read('/organizations/acme/oauth-clients')).status, 401);
      assert.equal((await caller.read('/organizations/fresh/oauth-clients', { token: 't' })).status, 200);
      assert.deepEqual(caller.service.snapshot().oauthClients, []);
    }
    assert.equal((await admin('PUT', '/seed', JSON.stringify(seed))).status, 204);
    assert.equal((await caller.createClient()).status, 201);
    assert.equal((await admin('PATCH', '/seed')).status, 204);
    assert.equal(caller.service.snapshot().oauthClients.length, 1);
    assert.equal((await admin('PUT', '/seed')).status, 204);
    assert.deepEqual(Object.values(caller.service.snapshot()).flat(), []);
  });

  it('answers a seed when lists show its records', async () => {
    const clock = new HandClock();
    await caller.restart({ admin: true, clock, behaviours: { 'create-hidden-ms': '500' } });
    const seeded = {
      serviceProvider: 'provider_a',
      httpUrl: 'https://a.example',
      apiUrl: 'https://a.example',
    };
    const body = JSON.stringify({ organizations: { acme: { oauthClients: { 'oc-seeded': seeded } } } });
    const response = admin('PATCH', '/seed', body);
    await clock.sleeping(1);
    clock.pass(500);
    assert.equal((await response).status, 204);
    const list = await caller.read('/organizations/acme/oauth-clients');
    assert.equal(list.at('/data/0/id'), 'oc-seeded');
  });

  it('adds to the seed, tokens too, and keeps the rest', async () => {
    const id = await caller.newClient();
    await patch(`
      organizations: { acme: { workspaces: { ws-new: { project: prj-web }, ws-app: { name: renamed } } } }
      tokens: { reader: { acme: { workspaces: { ws-new: admin } } } }`);
    const created = await caller.createTrigger('ws-new', 'ws-network', { token: 'reader' });
    assert.equal(created.status, 201);
    const renamed = await caller.createTrigger('ws-docs', 'ws-app');
    assert.equal(renamed.at('/data/attributes/sourceable-name'), 'renamed');
    assert.equal((await caller.read(`/oauth-clients/${id}`)).status, 200);
  });

  it('takes permissions away and gives them back between two requests', async () => {
    for (const [grants, statuses] of [
      ['{}', [200, 200, 404]],
      ['{ manageVcsSettings: true, workspaces: { ws-app: null } }', [404, 200, 200]],
      ['{ manageVcsSettings: false, workspaces: { ws-app: readRuns } }', [200, 200, 404]],
      ['null', [404, 404, 404]],
      ['owner', [200, 200, 200]],
      ['{ workspaces: { ws-app: admin } }', [200, 404, 404]],
    ] as const) {
      await patch(`tokens: { builder: { acme: ${grants} } }`);
      const responses = [
        await caller.listTriggers('ws-app', 'inbound', '', { token: 'builder' }),
        await caller.listTriggers('ws-network', 'inbound', '', { token: 'builder' }),
        await caller.read('/organizations/acme/oauth-clients', { token: 'builder' }),
      ];
      assert.deepEqual(
        responses.map(({ status }) => status),
        statuses,
        grants,
      );
    }
  });

  it('reaches into clients and triggers that are there, keeps what is not named, and clears with null', async () => {
    const id = await caller.newClient({ name: 'old', key: 'k', secret: 's' }, projects('prj-web'));
    const trigger = (await caller.createTrigger('ws-app', 'ws-network')).textAt('/data/id');
    const [client] = caller.service.snapshot().oauthClients;
    const [before] = caller.service.snapshot().runTriggers;
    const triggers = `runTriggers: { ${trigger}: { sourceable: ws-docs } }`;
    for (const [pool, project, user] of [
      ['apool-dmz', 'prj-web', id],
      [null, null, null],
    ] as const) {
      const clients = `oauthClients: { ${id}: { name: new, agentPool: ${pool} } }`;
      const workspaces = `workspaces: { ws-app: { project: ${project}, oauthClient: ${user} } }`;
      for (const _twice of [1, 2])
        await patch(`organizations: { acme: { ${clients}, ${triggers}, ${workspaces} } }`);
      const { oauthClients, runTriggers, workspaces: all } = caller.service.snapshot();
      assert.deepEqual(oauthClients, [{ ...client, name: 'new', agentPoolId: pool }]);
      assert.deepEqual(runTriggers, [{ ...before, sourceableId: 'ws-docs' }]);
      const app = all.find((workspace) => workspace.id === 'ws-app');
      assert.deepEqual([app?.projectId, app?.oauthClientId], [project, user]);
    }
  });

  it('adds a second trigger of one pair, which some services have', async () => {
    await caller.createTrigger('ws-app', 'ws-network');
    await patch(
      'organizations: { acme: { runTriggers: { rt-2: { workspace: ws-app, sourceable: ws-network } } } }',
    );
    assert.equal((await caller.listTriggers('ws-app', 'inbound')).listAt('/data').length, 2);
  });

  it('injects faults, one or several, and removes them', async () => {
    const status = async () => (await caller.read('/oauth-clients/x')).status;
    assert.equal((await admin('POST', '/faults', '{"how":"status","status":503,"nth":1}')).status, 204);
    assert.deepEqual([await status(), await status()], [503, 404]);
    await admin('POST', '/faults', '[{"how":"status","status":500},{"how":"garbage"}]');
    assert.equal(await status(), 500);
    assert.equal((await admin('DELETE', '/faults')).status, 204);
    assert.equal(await status(), 404);
  });

  it('refuses faults that make no sense', async () => {
    for (const body of [
      '',
      '{}',
      '{"how":"explode"}',
      '{"how":"slow","nth":0}',
      '[{"how":"slow"},{"how":5}]',
    ]) {
      assert.equal((await admin('POST', '/faults', body)).status, 422, body);
    }
    assert.equal((await caller.read('/oauth-clients/x')).status, 404);
  });
});
