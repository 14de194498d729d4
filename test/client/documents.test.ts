/** What of an answer is needed, what is ignored, and what makes it no answer. */
import assert from 'node:assert/strict';
import type { StepwiseApi } from '../../client/client';
import { BadAnswer } from '../../client/errors';
import { json } from '../support/scripted-server';
import { scriptedWire } from '../support/scripted-wire';
import {
  oauthClientDocument,
  oauthClientResource,
  pageDocument,
  runTriggerDocument,
  runTriggerResource,
} from '../support/wire-documents';

describe('documents', () => {
  const wire = scriptedWire();

  const answered = <Result>(document: object, call: (api: StepwiseApi) => Promise<Result>) => {
    wire.server.script(json(200, document));
    return call(wire.client());
  };
  const readClient = (document: object) => answered(document, (api) => api.oauthClients.read('oc-1'));
  const readTrigger = (document: object) => answered(document, (api) => api.runTriggers.read('rt-1'));

  const badAnswer = (call: Promise<unknown>, message: RegExp) =>
    assert.rejects(call, (error) => {
      assert.ok(error instanceof BadAnswer, String(error));
      assert.match(error.message, message);
      assert.equal(error.context.attempts, 1);
      return true;
    });

  describe('of OAuth clients', () => {
    const one = oauthClientResource('oc-1');

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
      wire.server.script((response) => response.writeHead(200).end(evil));
      assert.deepEqual(await wire.client().oauthClients.read('oc-1'), oauthClientDocument('oc-1'));
      assert.equal(Reflect.get({}, 'data'), undefined);
    });

    it('takes a client with nothing that may be empty', async () => {
      const nothing = {
        name: null,
        key: null,
        'rsa-public-key': null,
        'callback-url': null,
        'connect-path': null,
        'service-provider-display-name': null,
        'organization-scoped': false,
      };
      const bare = oauthClientResource('oc-1', {
        attributes: nothing,
        relationships: {
          organization: { data: null },
          projects: { data: [] },
          'oauth-tokens': { data: [] },
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

    it('leaves out what an answer lacks, and takes no default in its place', async () => {
      const { 'created-at': createdAt, 'service-provider': serviceProvider, ...others } = one.attributes;
      const { 'http-url': httpUrl, 'api-url': apiUrl } = others;
      const attributes = {
        'created-at': createdAt,
        'service-provider': serviceProvider,
        'http-url': httpUrl,
        'api-url': apiUrl,
      };
      const identity = { id: 'oc-1', createdAt, serviceProvider, httpUrl, apiUrl };
      for (const relationships of [undefined, {}, { projects: {}, 'oauth-tokens': { links: {} } }]) {
        assert.deepEqual(await readClient({ data: { ...one, attributes, relationships } }), identity);
      }
    });

    it('knows two ways to say that there is no agent pool', async () => {
      for (const none of [{ data: null }, { data: {} }]) {
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

    const attribute = (name: string, value: unknown) => ({
      data: oauthClientResource('oc-1', { attributes: { [name]: value } }),
    });
    const relationship = (name: string, value: unknown) => ({
      data: oauthClientResource('oc-1', { relationships: { [name]: value } }),
    });
    for (const [what, document, message] of [
      ['no data', {}, /data is not an object/],
      ['null', { data: null }, /data is not an object/],
      ['a list', { data: [one] }, /data is not an object/],
      ['another type', { data: runTriggerResource('oc-1') }, /data\.type is not "oauth-clients"/],
      ['another id', { data: oauthClientResource('oc-2') }, /its id is oc-2, not oc-1/],
      ['a number for an id', { data: { ...one, id: 1 } }, /data\.id is not a string/],
      ['no attributes', { data: { ...one, attributes: null } }, /attributes\.created-at of oc-1/],
      ['no provider', attribute('service-provider', null), /attributes\.service-provider/],
      ['a number for a name', attribute('name', 7), /attributes\.name of oc-1 is not a string/],
      ['no URL', attribute('http-url', undefined), /attributes\.http-url/],
      [
        'null for a scope',
        attribute('organization-scoped', null),
        /organization-scoped of oc-1 is not true or false/,
      ],
      ['null for projects', relationship('projects', { data: null }), /projects of oc-1 is not an array/],
      ['projects that are none', relationship('projects', { data: {} }), /projects of oc-1 is not an array/],
      ['a project without id', relationship('projects', { data: [{}] }), /projects of oc-1 holds no id/],
      [
        'a pool without id',
        relationship('agent-pool', { data: { type: 'x' } }),
        /agent-pool of oc-1 holds no id/,
      ],
    ] as const) {
      it(`does not take a client with ${what}`, () => badAnswer(readClient(document), message));
    }

    it('does not take a list in which an id repeats, though nothing else is wrong', async () => {
      wire.server.script(json(200, { data: [oauthClientResource('oc-1'), oauthClientResource('oc-1')] }));
      await assert.rejects(wire.client().oauthClients.list('acme'), BadAnswer);
    });

    it('says which member of a list is wrong', async () => {
      wire.server.script(json(200, { data: [oauthClientResource('oc-1'), null] }));
      await badAnswer(wire.client().oauthClients.list('acme'), /data\[1\] is not an object/);
      wire.server.script(json(200, { data: {} }));
      await badAnswer(wire.client().oauthClients.list('acme'), /data is not an array/);
    });

    it('says when a service does not tell the affected workspaces', async () => {
      wire.server.script(json(200, { data: oauthClientResource('oc-1') }));
      await badAnswer(
        wire.client().oauthClients.affectedWorkspaces('oc-1'),
        /it does not tell the affected workspaces/,
      );
    });

    it('reads an OAuth client list page by page where the service paginates unasked, with the name that was asked for', async () => {
      const all = ['oc-1', 'oc-2', 'oc-3'].map((id) => oauthClientResource(id));
      wire.server.script((response, arrived) => {
        const number = Number(new URL(arrived.url, 'http://x').searchParams.get('page[number]') ?? '1');
        json(200, pageDocument(all.slice((number - 1) * 2, number * 2), number, 2, 3))(response, arrived);
      });
      const listed = await wire.client().oauthClients.list('ACME');
      const documents = ['oc-1', 'oc-2', 'oc-3'].map((id) => oauthClientDocument(id));
      assert.deepEqual(
        listed,
        documents.map((document) => ({ ...document, organization: 'ACME' })),
      );
      const queries = wire.server.arrived.map(({ url }) => url.split('?')[1]);
      const [one, two] = [1, 2].map((number) => `page%5Bnumber%5D=${number}&page%5Bsize%5D=100`);
      assert.deepEqual(queries, [undefined, one, two]);
    });
  });

  describe('of run triggers', () => {
    it('takes a trigger without names', async () => {
      const { attributes, ...rest } = runTriggerResource('rt-1');
      const document = { data: { ...rest, attributes: { 'created-at': attributes['created-at'] } } };
      const { workspaceName: _, sourceableName: __, ...expected } = runTriggerDocument('rt-1');
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
      wire.server.script(json(201, { data: runTriggerResource('rt-1', 'ws-app', 'ws-other') }));
      await assert.rejects(wire.client().runTriggers.create('ws-app', 'ws-network'), {
        name: 'AnswerLost',
        message: /its sourceableId is ws-other, not ws-network; it may have been applied/,
      });
    });

    it('does not take a list whose filter got lost on the way', async () => {
      const list = pageDocument([runTriggerResource('rt-1', 'ws-app', 'ws-network')]);
      wire.server.script(json(200, list));
      await badAnswer(
        wire.client().runTriggers.list('ws-network', 'inbound'),
        /rt-1 is not an inbound trigger of ws-network/,
      );
      await badAnswer(
        wire.client().runTriggers.list('ws-app', 'outbound'),
        /rt-1 is not an outbound trigger of ws-app/,
      );
    });

    it('does not take a list of triggers that does not say how long it is', async () => {
      wire.server.script(json(200, { data: [] }));
      await badAnswer(wire.client().runTriggers.list('ws-app', 'inbound'), /meta\.pagination is missing/);
    });
  });
});
