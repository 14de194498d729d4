/** What of an answer is needed, what is ignored, and what makes it no answer. */
import assert from 'node:assert/strict';
import { type Api, BadAnswer, createClient, Invalid } from '../../client';
import { json, type ScriptedServer, startScriptedServer } from '../support/scripted-server';
import { VirtualClock } from '../support/virtual-clock';
import {
  oauthClientDocument,
  oauthClientResource,
  pageOf,
  runTriggerDocument,
  runTriggerResource,
} from '../support/wire-documents';

describe('documents', () => {
  let server: ScriptedServer;
  let client: Api;
  beforeEach(async () => {
    server = await startScriptedServer();
    client = createClient({ address: server.address, token: 'token-1', clock: new VirtualClock() });
  });
  afterEach(() => server.close());

  const readClient = (document: object) => {
    server.script(json(200, document));
    return client.oauthClients.read('oc-1');
  };
  const readTrigger = (document: object) => {
    server.script(json(200, document));
    return client.runTriggers.read('rt-1');
  };
  const badAnswer = (call: Promise<unknown>, message: RegExp) =>
    assert.rejects(call, (error) => {
      assert.ok(error instanceof BadAnswer, String(error));
      assert.match(error.message, message);
      assert.equal(error.context.attempts, 1);
      return true;
    });

  it('ignores what it does not know', async () => {
    const resource = oauthClientResource('oc-1', {
      attributes: { 'ado-org-name': null, 'new-thing': { deep: [1] }, secret: 'never kept' },
      relationships: { 'new-things': { data: [{ id: 'x', type: 'y' }] } },
    });
    const document = { data: resource, included: [{ id: 'x' }], meta: {}, jsonapi: { version: '1.0' } };
    assert.deepEqual(await readClient(document), oauthClientDocument('oc-1'));
  });

  it('is not changed by members named __proto__', async () => {
    const text = JSON.stringify({ data: oauthClientResource('oc-1') });
    const evil = `{"__proto__": {"data": null}, ${text.slice(1)}`;
    server.script((response) => response.writeHead(200).end(evil));
    assert.deepEqual(await client.oauthClients.read('oc-1'), oauthClientDocument('oc-1'));
    assert.equal(Reflect.get({}, 'data'), undefined);
  });

  it('takes a client with nothing that may be missing', async () => {
    const nothing = {
      name: null,
      key: null,
      'rsa-public-key': undefined,
      'callback-url': null,
      'connect-path': undefined,
      'service-provider-display-name': null,
      'organization-scoped': false,
    };
    const bare = oauthClientResource('oc-1', {
      attributes: nothing,
      relationships: {
        organization: undefined,
        projects: { data: [] },
        'oauth-tokens': { links: { related: '/x' } },
        'agent-pool': { data: null },
      },
    });
    assert.deepEqual(await readClient({ data: bare }), {
      ...oauthClientDocument('oc-1'),
      name: null,
      callbackUrl: null,
      connectPath: null,
      serviceProviderDisplayName: null,
      organizationScoped: false,
      organization: null,
      projectIds: [],
      oauthTokenIds: [],
      agentPoolId: null,
    });
  });

  it('knows three ways to say that there is no agent pool', async () => {
    for (const none of [{ data: null }, { data: {} }, undefined]) {
      const resource = oauthClientResource('oc-1', { relationships: { 'agent-pool': none } });
      assert.equal((await readClient({ data: resource })).agentPoolId, null);
    }
  });

  it('keeps an empty text apart from null, and every text byte for byte', async () => {
    const key = ' -----BEGIN\r\nä\u0000\u2028 ';
    const resource = oauthClientResource('oc-1', { attributes: { name: '', 'rsa-public-key': key } });
    const shown = await readClient({ data: resource });
    assert.equal(shown.name, '');
    assert.equal(shown.rsaPublicKey, key);
  });

  for (const [what, document, message] of [
    ['no data', {}, /data is not an object/],
    ['null', { data: null }, /data is not an object/],
    ['a list', { data: [oauthClientResource('oc-1')] }, /data is not an object/],
    ['another type', { data: runTriggerResource('oc-1') }, /data\.type is not "oauth-clients"/],
    ['another id', { data: oauthClientResource('oc-2') }, /data\.id is not oc-1/],
    ['a number for an id', { data: { ...oauthClientResource('oc-1'), id: 1 } }, /data\.id is not a text/],
    [
      'no attributes',
      { data: { ...oauthClientResource('oc-1'), attributes: null } },
      /attributes\.created-at of oc-1/,
    ],
    [
      'no relationships',
      { data: { ...oauthClientResource('oc-1'), relationships: [] } },
      /relationships\.projects of oc-1/,
    ],
    [
      'no provider',
      { data: oauthClientResource('oc-1', { attributes: { 'service-provider': null } }) },
      /attributes\.service-provider/,
    ],
    [
      'a number for a name',
      { data: oauthClientResource('oc-1', { attributes: { name: 7 } }) },
      /attributes\.name of oc-1 is not a text/,
    ],
    [
      'no URL',
      { data: oauthClientResource('oc-1', { attributes: { 'http-url': undefined } }) },
      /attributes\.http-url/,
    ],
    [
      'no scope',
      { data: oauthClientResource('oc-1', { attributes: { 'organization-scoped': null } }) },
      /organization-scoped of oc-1 is not true or false/,
    ],
    [
      'no projects',
      { data: oauthClientResource('oc-1', { relationships: { projects: undefined } }) },
      /relationships\.projects of oc-1 is missing/,
    ],
    [
      'projects that are none',
      { data: oauthClientResource('oc-1', { relationships: { projects: { data: {} } } }) },
      /relationships\.projects of oc-1 is not an array/,
    ],
    [
      'a project without id',
      {
        data: oauthClientResource('oc-1', { relationships: { projects: { data: [{ type: 'projects' }] } } }),
      },
      /relationships\.projects of oc-1 holds no id/,
    ],
    [
      'an agent pool without id',
      {
        data: oauthClientResource('oc-1', {
          relationships: { 'agent-pool': { data: { type: 'agent-pools' } } },
        }),
      },
      /relationships\.agent-pool of oc-1 holds no id/,
    ],
  ] as const) {
    it(`does not take a client with ${what}`, () => badAnswer(readClient(document), message));
  }

  it('takes a trigger without names', async () => {
    const { attributes, ...rest } = runTriggerResource('rt-1');
    const document = { data: { ...rest, attributes: { 'created-at': attributes['created-at'] } } };
    const expected = { ...runTriggerDocument('rt-1'), workspaceName: null, sourceableName: null };
    assert.deepEqual(await readTrigger(document), expected);
  });

  it('does not take a trigger with another id, or without one of its ends', async () => {
    await badAnswer(readTrigger({ data: runTriggerResource('rt-2') }), /its id is rt-2, not rt-1/);
    for (const end of ['workspace', 'sourceable']) {
      const resource = runTriggerResource('rt-1');
      const document = {
        data: { ...resource, relationships: { ...resource.relationships, [end]: undefined } },
      };
      await badAnswer(readTrigger(document), new RegExp(`relationships\\.${end} of rt-1 is missing`));
    }
  });

  it('does not take a created trigger for another pair than was asked for', async () => {
    server.script(json(201, { data: runTriggerResource('rt-1', 'ws-app', 'ws-other') }));
    await assert.rejects(client.runTriggers.create('ws-app', 'ws-network'), {
      name: 'AnswerLost',
      message: /its sourceableId is ws-other, not ws-network; it may have been applied/,
    });
  });

  it('does not take a list whose filter got lost on the way', async () => {
    const list = pageOf([runTriggerResource('rt-1', 'ws-app', 'ws-network')]);
    server.script(json(200, list));
    await badAnswer(
      client.runTriggers.list('ws-network', 'inbound'),
      /rt-1 is no inbound trigger of ws-network/,
    );
    await badAnswer(client.runTriggers.list('ws-app', 'outbound'), /rt-1 is no outbound trigger of ws-app/);
  });

  it('does not take a list of triggers that does not say how long it is', async () => {
    server.script(json(200, { data: [] }));
    await badAnswer(client.runTriggers.list('ws-app', 'inbound'), /meta\.pagination is missing/);
  });

  it('does not take an unpaginated list in which an id repeats', async () => {
    server.script(json(200, { data: [oauthClientResource('oc-1'), oauthClientResource('oc-1')] }));
    await badAnswer(client.oauthClients.list('acme'), /an id repeats/);
  });

  it('says which member of a list is wrong', async () => {
    server.script(json(200, { data: [oauthClientResource('oc-1'), null] }));
    await badAnswer(client.oauthClients.list('acme'), /data\[1\] is not an object/);
    server.script(json(200, { data: {} }));
    await badAnswer(client.oauthClients.list('acme'), /data is not an array/);
  });

  it('says when a service does not tell the affected workspaces', async () => {
    server.script(json(200, { data: oauthClientResource('oc-1') }));
    await badAnswer(
      client.oauthClients.affectedWorkspaces('oc-1'),
      /it does not tell the affected workspaces/,
    );
  });

  it('reads an OAuth client list page by page where the service paginates unasked', async () => {
    const all = ['oc-1', 'oc-2', 'oc-3'].map((id) => oauthClientResource(id));
    server.script((response, arrived) => {
      const number = Number(new URL(arrived.url, 'http://x').searchParams.get('page[number]') ?? '1');
      json(200, pageOf(all.slice((number - 1) * 2, number * 2), number, 2, 3))(response, arrived);
    });
    const listed = await client.oauthClients.list('acme');
    assert.deepEqual(listed, ['oc-1', 'oc-2', 'oc-3'].map(oauthClientDocument));
    const queries = server.arrived.map(({ url }) => url.split('?')[1]);
    const [one, two] = [1, 2].map((number) => `page%5Bnumber%5D=${number}&page%5Bsize%5D=100`);
    assert.deepEqual(queries, [undefined, one, two, one, two]);
  });

  it('asks without a page size where the service refuses ours, and remembers', async () => {
    const triggers = [runTriggerResource('rt-1')];
    server.script((response, arrived) => {
      const document = arrived.url.includes('page%5Bsize%5D')
        ? { errors: [{ title: 'page size' }] }
        : pageOf(triggers);
      json('errors' in document ? 422 : 200, document)(response, arrived);
    });
    assert.equal((await client.runTriggers.list('ws-app', 'inbound')).length, 1);
    assert.equal((await client.runTriggers.list('ws-app', 'inbound')).length, 1);
    const sizes = server.arrived.map(({ url }) => url.includes('page%5Bsize%5D'));
    assert.deepEqual(sizes, [true, false, false]);
  });

  for (const [what, body, details, message] of [
    [
      'full',
      {
        errors: [{ status: '422', title: 'invalid', detail: 'Name is bad', source: { pointer: '/data/x' } }],
      },
      [{ status: '422', title: 'invalid', detail: 'Name is bad', pointer: '/data/x' }],
      /: invalid: Name is bad \(\/data\/x\)$/,
    ],
    [
      'a status that is a number',
      { errors: [{ status: 422, title: 'invalid' }] },
      [{ status: '422', title: 'invalid' }],
      /: invalid$/,
    ],
    [
      'a parameter',
      { errors: [{ title: 'invalid', source: { parameter: 'include' } }] },
      [{ title: 'invalid', parameter: 'include' }],
      /: invalid \(include\)$/,
    ],
    ['plain texts', { errors: ['one', 'two'] }, [{ detail: 'one' }, { detail: 'two' }], /: one; two$/],
    ['one text', { errors: 'alone' }, [{ detail: 'alone' }], /: alone$/],
    [
      'members of other types',
      { errors: [null, 7, {}, { title: {}, detail: 'd', source: 'x' }] },
      [{ detail: 'd' }],
      /: d$/,
    ],
    [
      'terminal escapes and lines',
      { errors: ['\u001b[31mred\u0007\n  next\u2028line\u202e'] },
      [{ detail: '[31mred next line' }],
      /: \[31mred next line$/,
    ],
    ['no errors', { message: 'no' }, [], /: refused \(422\)$/],
    ['an empty list', { errors: [] }, [], /: refused \(422\)$/],
  ] as const) {
    it(`reads an error object with ${what}`, async () => {
      server.script(json(422, body));
      await assert.rejects(client.oauthClients.read('oc-1'), (error) => {
        assert.ok(error instanceof Invalid);
        assert.deepEqual(error.context.details, details);
        assert.match(error.message, message);
        return true;
      });
    });
  }

  it('shortens what a service says when it says too much', async () => {
    server.script(json(422, { errors: Array.from({ length: 50 }, () => 'x'.repeat(2000)) }));
    await assert.rejects(client.oauthClients.read('oc-1'), (error) => {
      assert.ok(error instanceof Invalid);
      assert.equal(error.context.details.length, 20);
      assert.equal(error.context.details[0]?.detail, `${'x'.repeat(499)}…`);
      assert.ok(error.message.length < 1200, String(error.message.length));
      return true;
    });
  });
});
