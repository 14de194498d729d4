// The admin port: what tests in another process use.

import assert from 'node:assert/strict';
import { Caller, seed } from '../support/api-caller';

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
    [
      'organizations:\n  acme:\n    workspaces:\n      ws-a: { project: prj-none }',
      /4:\d+.*no project prj-none/,
    ],
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
      /projects\/1.*no project prj-far/,
    ],
    [
      inAcme(`oauthClients: { oc-x: { ${client}, agentPool: apool-far } }`),
      /agentPool.*no agent pool apool-far/,
    ],
    [inAcme('workspaces: { ws-app: { oauthClient: oc-none } }'), /oauthClient.*no client oc-none/],
    [
      inAcme('runTriggers: { rt-x: { workspace: ws-app, sourceable: ws-far } }'),
      /sourceable.*no workspace ws-far/,
    ],
    [inAcme('runTriggers: { rt-x: { workspace: ws-app } }'), /sourceable/],
    [
      `a: &a [x]\nb: &b [${'*a,'.repeat(20)}]\nc: &c [${'*b,'.repeat(20)}]\nd: [${'*c,'.repeat(20)}]`,
      /1:1.*alias/,
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
    assert.equal(caller.service.isEmpty(), true);
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
