// The admin port: what tests in another process use.

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { Caller, projects, seed } from '../support/api-caller';

describe('the admin port', () => {
  let caller: Caller;
  beforeEach(async () => {
    caller = await Caller.start({ admin: true });
  });
  afterEach(() => caller.close());

  async function admin(method: string, path: string, body?: string, type = 'application/json') {
    const init = body === undefined ? {} : { body, headers: { 'content-type': type } };
    const response = await fetch(caller.service.adminUrl + path, { method, ...init });
    return { status: response.status, text: await response.text() };
  }

  it('is a loopback address, and absent unless asked for', async () => {
    assert.match(caller.service.adminUrl ?? '', /^http:\/\/127\.0\.0\.1:\d+$/);
    const other = await Caller.start();
    assert.equal(other.service.adminUrl, undefined);
    await other.close();
  });

  /** The status of a request with headers that `fetch` does not let a program choose. */
  function asBrowser(headers: Record<string, string>, method = 'POST', where = '/faults'): Promise<number> {
    return new Promise((resolve, reject) => {
      const sent = request(caller.service.adminUrl + where, { method, headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      });
      sent.on('error', reject);
      const seeding = 'tokens: { stolen: { acme: owner } }';
      if (method === 'GET') sent.end();
      else sent.end(where === '/seed' ? seeding : '{"how":"status","status":503}');
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
      assert.equal(await asBrowser(headers), 403);
      assert.equal(await asBrowser(headers, 'PATCH', '/seed'), 403);
      assert.equal(await asBrowser(headers, 'GET', '/requests'), 403);
      assert.equal((await caller.read('/oauth-clients/x', { token: 'stolen' })).status, 401);
    });
  }

  it('takes every name of the loopback, with the port that was forwarded to it', async () => {
    for (const host of ['localhost', 'LOCALHOST:9000', '127.0.0.1:9000', '127.1.2.3', '[::1]:9000']) {
      assert.equal(await asBrowser({ host }), 204, host);
    }
  });

  it('lists requests in order and forgets them', async () => {
    await caller.createClient();
    await caller.read('/oauth-clients/oc-none?include=projects');
    await caller.read('/nothing');
    const log: Record<string, unknown>[] = JSON.parse((await admin('GET', '/requests')).text);
    assert.deepEqual(
      log.map(({ method, route, url, status }) => [method, route, url, status]),
      [
        [
          'POST',
          '/organizations/:organization_name/oauth-clients',
          '/api/v2/organizations/acme/oauth-clients',
          201,
        ],
        ['GET', '/oauth-clients/:id', '/api/v2/oauth-clients/oc-none?include=projects', 404],
        ['GET', null, '/api/v2/nothing', 404],
      ],
    );
    for (const { time } of log) assert.ok(Date.parse(String(time)) > 0);
    assert.equal((await admin('DELETE', '/requests')).status, 204);
    assert.equal((await admin('GET', '/requests')).text, '[]');
  });

  it('replaces everything by a seed, YAML or JSON', async () => {
    await caller.createClient();
    const yaml =
      'organizations: { fresh: { workspaces: { ws-a: {}, ws-b: } } }\ntokens: { t: { fresh: owner } }\n';
    for (const body of [
      yaml,
      JSON.stringify({ organizations: { fresh: {} }, tokens: { t: { fresh: 'owner' } } }),
    ]) {
      assert.equal((await admin('PUT', '/seed', body)).status, 204);
      assert.equal((await caller.read('/organizations/acme/oauth-clients')).status, 401);
      assert.equal((await caller.read('/organizations/fresh/oauth-clients', { token: 't' })).status, 200);
      assert.deepEqual(caller.service.snapshot().oauthClients, []);
    }
  });

  it('adds to the seed, tokens too, and keeps the rest', async () => {
    const id = await caller.newClient();
    const patch = `
      organizations: { acme: { workspaces: { ws-new: { project: prj-web }, ws-app: { name: renamed } } } }
      tokens: { reader: { acme: { workspaces: { ws-new: admin } } } }`;
    assert.equal((await admin('PATCH', '/seed', patch, 'application/yaml')).status, 204);
    const created = await caller.createTrigger('ws-new', 'ws-network', { token: 'reader' });
    assert.equal(created.status, 201);
    assert.equal(
      (await caller.createTrigger('ws-docs', 'ws-app')).at('/data/attributes/sourceable-name'),
      'renamed',
    );
    assert.equal((await caller.read(`/oauth-clients/${id}`)).status, 200);
  });

  it('takes permissions away and gives them back between two requests', async () => {
    const grant = async (grants: string) => {
      assert.equal((await admin('PATCH', '/seed', `tokens: { builder: { acme: ${grants} } }`)).status, 204);
    };
    const may = async () => [
      (await caller.listTriggers('ws-app', 'inbound', '', { token: 'builder' })).status,
      (await caller.listTriggers('ws-network', 'inbound', '', { token: 'builder' })).status,
      (await caller.read('/organizations/acme/oauth-clients', { token: 'builder' })).status,
    ];
    assert.deepEqual(await may(), [200, 200, 404]);
    await grant('{ manageVcsSettings: true, workspaces: { ws-app: null } }');
    assert.deepEqual(await may(), [404, 200, 200]);
    await grant('{ manageVcsSettings: false, workspaces: { ws-app: readRuns } }');
    assert.deepEqual(await may(), [200, 200, 404]);
    await grant('null');
    assert.deepEqual(await may(), [404, 404, 404]);
    await grant('owner');
    assert.deepEqual(await may(), [200, 200, 200]);
    await grant('{ workspaces: { ws-app: admin } }');
    assert.deepEqual(await may(), [200, 404, 404]);
  });

  it('reaches into clients and triggers that are there, and keeps what is not named', async () => {
    const id = await caller.newClient({ name: 'old', key: 'k', secret: 's' }, projects('prj-web'));
    const trigger = (await caller.createTrigger('ws-app', 'ws-network')).textAt('/data/id');
    const [client] = caller.service.snapshot().oauthClients;
    const [before] = caller.service.snapshot().runTriggers;
    const patch = `organizations: { acme: {
      oauthClients: { ${id}: { name: new } }, runTriggers: { ${trigger}: { sourceable: ws-docs } } } }`;
    assert.equal((await admin('PATCH', '/seed', patch)).status, 204);
    const { oauthClients, runTriggers } = caller.service.snapshot();
    assert.deepEqual(oauthClients, [{ ...client, name: 'new' }]);
    assert.deepEqual(runTriggers, [{ ...before, sourceableId: 'ws-docs' }]);
  });

  it('takes away, with null, what was set: an agent pool, and the project and the client of a workspace', async () => {
    const id = await caller.newClient();
    const set = (pool: string, project: string, client: string) =>
      admin(
        'PATCH',
        '/seed',
        `organizations: { acme: { oauthClients: { ${id}: { agentPool: ${pool} } },
          workspaces: { ws-app: { project: ${project}, oauthClient: ${client} } } } }`,
      );
    const held = () => {
      const { oauthClients, workspaces } = caller.service.snapshot();
      const app = workspaces.find((workspace) => workspace.id === 'ws-app');
      return [oauthClients[0]?.agentPoolId, app?.projectId, app?.oauthClientId];
    };
    assert.equal((await set('apool-dmz', 'prj-web', id)).status, 204);
    assert.deepEqual(held(), ['apool-dmz', 'prj-web', id]);
    assert.equal((await set('null', 'null', 'null')).status, 204);
    assert.deepEqual(held(), [null, null, null]);
  });

  it('adds a second trigger of one pair, which some services have', async () => {
    await caller.createTrigger('ws-app', 'ws-network');
    const patch =
      'organizations: { acme: { runTriggers: { rt-twin: { workspace: ws-app, sourceable: ws-network } } } }';
    assert.equal((await admin('PATCH', '/seed', patch)).status, 204);
    assert.equal((await caller.listTriggers('ws-app', 'inbound')).listAt('/data').length, 2);
  });

  it('is safe under parallel additions, each visible at its 204', async () => {
    const names = Array.from({ length: 40 }, (_unused, index) => `ws-p${index}`);
    await Promise.all(
      names.map(async (name) => {
        const { status } = await admin(
          'PATCH',
          '/seed',
          `organizations: { acme: { workspaces: { ${name}: {} } } }`,
        );
        assert.equal(status, 204);
        assert.equal((await caller.listTriggers(name, 'inbound')).status, 200);
      }),
    );
  });

  const inAcme = (members: string) => `organizations: { acme: { ${members} } }`;
  const client = 'httpUrl: "https://x.example", apiUrl: "https://x.example", serviceProvider: provider_a';
  const badSeeds: [string, RegExp][] = [
    ['organizations: [', /1:\d+/],
    ['organizations:\n  acme:\n    workspaces: { app: {} }', /3:\d+.*organizations\/acme\/workspaces/],
    ['organizations:\n  acme: { colour: red }', /2:11:.*colour.*unknown key/],
    ['organizations:\n  acme:\n    workspaces:\n      ws-a: { project: prj-none }', /4:\d+.*no prj-none/],
    [
      `organizations: { one: { oauthClients: { oc-x: { ${client} } } }, two: { oauthClients: { oc-x: { ${client} } } } }`,
      /two\/oauthClients\/oc-x.*already belongs to organization one/,
    ],
    [
      'organizations: { other: { workspaces: { ws-app: {} } } }',
      /ws-app.*already belongs to organization acme/,
    ],
    ['tokens: { sesame-token: { nowhere: owner } }', /no such organization/],
    ['tokens: { sesame-token: { acme: admin } }', /tokens/],
    [
      inAcme(`oauthClients: { oc-x: { ${client.replace('provider_a', 'git')} } }`),
      /serviceProvider.*not among those/,
    ],
    [
      inAcme(`oauthClients: { oc-x: { ${client}, projects: [prj-web, prj-far] } }`),
      /projects\/1.*no prj-far/,
    ],
    [inAcme(`oauthClients: { oc-x: { ${client}, agentPool: apool-far } }`), /agentPool.*no apool-far/],
    [inAcme('workspaces: { ws-app: { oauthClient: oc-none } }'), /oauthClient.*no oc-none/],
    [inAcme('runTriggers: { rt-x: { workspace: ws-app, sourceable: ws-far } }'), /sourceable.*no ws-far/],
    [inAcme('runTriggers: { rt-x: { workspace: ws-app } }'), /rt-x: is new and lacks sourceable/],
    [
      inAcme('workspaces: { ws-app: {} }, runTriggers: { rt-x: { workspace: ws-app, sourceable: ws-app } }'),
      /rt-x\/sourceable: a workspace cannot be its own source/,
    ],
    [
      inAcme('oauthClients: { oc-x: { name: x, apiUrl: x } }'),
      /oc-x: is new and lacks serviceProvider, httpUrl/,
    ],
    [
      `a: &a [x]\nb: &b [${'*a,'.repeat(40)}]\nc: &c [${'*b,'.repeat(40)}]\nd: [${'*c,'.repeat(40)}]`,
      /4:\d+.*aliases exceeded/,
    ],
    ['a: &a [x]\nb: *a', /unknown key/],
  ];
  for (const [body, expected] of badSeeds) {
    it(`refuses the seed ${JSON.stringify(body)} and changes nothing`, async () => {
      const id = await caller.newClient();
      for (const method of body.includes('other') ? ['PATCH'] : ['PUT', 'PATCH']) {
        const { status, text } = await admin(method, '/seed', body);
        assert.equal(status, 422);
        assert.match(text, expected);
        assert.doesNotMatch(text, /sesame/);
      }
      assert.equal((await caller.read(`/oauth-clients/${id}`)).status, 200);
    });
  }

  it('takes nothing as an empty seed, which adds nothing and replaces all', async () => {
    await caller.createClient();
    assert.equal((await admin('PATCH', '/seed')).status, 204);
    assert.equal(caller.service.snapshot().oauthClients.length, 1);
    assert.equal((await admin('PUT', '/seed')).status, 204);
    assert.deepEqual(Object.values(caller.service.snapshot()).flat(), []);
    assert.equal((await admin('POST', '/faults')).status, 422);
  });

  it('keeps what a seed knows already: added twice, an organization, its client and its trigger stay as they are', async () => {
    const whole = JSON.stringify({
      organizations: {
        acme: {
          oauthClients: {
            'oc-1': {
              serviceProvider: 'provider_a',
              httpUrl: 'https://a.example',
              apiUrl: 'https://a.example/api',
              rsaPublicKey: 'ssh-rsa AAA',
              oauthTokens: ['ot-1'],
            },
          },
          runTriggers: { 'rt-1': { workspace: 'ws-app', sourceable: 'ws-network' } },
        },
        empty: null,
      },
    });
    assert.equal((await admin('PATCH', '/seed', whole)).status, 204);
    const before = caller.service.snapshot();
    assert.deepEqual(before.oauthClients[0]?.rsaPublicKey, 'ssh-rsa AAA');
    assert.equal((await admin('PATCH', '/seed', whole)).status, 204);
    assert.deepEqual(caller.service.snapshot(), before);
  });

  it('injects faults, one or several, and removes them', async () => {
    assert.equal((await admin('POST', '/faults', '{"how":"status","status":503,"nth":1}')).status, 204);
    assert.equal((await caller.read('/oauth-clients/x')).status, 503);
    assert.equal((await caller.read('/oauth-clients/x')).status, 404);
    await admin('POST', '/faults', '[{"how":"status","status":500},{"how":"garbage"}]');
    assert.equal((await caller.read('/oauth-clients/x')).status, 500);
    assert.equal((await admin('DELETE', '/faults')).status, 204);
    assert.equal((await caller.read('/oauth-clients/x')).status, 404);
  });

  it('refuses faults that make no sense', async () => {
    for (const body of [
      '',
      '{',
      '{}',
      '{"how":"explode"}',
      '{"how":"slow","nth":0}',
      '[{"how":"slow","when":1}]',
      '5',
    ]) {
      assert.equal((await admin('POST', '/faults', body)).status, 422, body);
    }
    assert.equal((await caller.read('/oauth-clients/x')).status, 404);
  });

  it('answers seeds of a whole organization in a moment', async () => {
    assert.equal((await admin('PUT', '/seed', JSON.stringify(seed))).status, 204);
    assert.equal((await caller.createClient()).status, 201);
  });
});
