/** Each method of each provider sends exactly these requests, in this order. Those of exact sets are in trigger-sets.test.ts. */
import assert from 'node:assert/strict';
import { githubFields } from '../support/acme';
import { type Exchange, exchanging, newProviders } from '../support/golden-exchange';
import { offline } from '../support/offline';
import type { Providers } from '../support/provider-session';
import { oauthClientResource, pageDocument, runTriggerResource } from '../support/wire-documents';

interface Row {
  readonly requests: readonly Exchange[];
  readonly call: (providers: Providers) => Promise<unknown>;
  readonly gives?: unknown;
}

const address = 'https://service.test/api/v2';
const createdAt = '2024-01-02T03:04:05.678Z';
const get = (path: string, answer: object): Exchange => ({
  method: 'GET',
  path,
  status: 200,
  response: answer,
});
const refused = (method: Exchange['method'], path: string, status: number, body = {}): Exchange => ({
  ...{ method, path, status, response: { errors: [] } },
  ...body,
});
const removal = (path: string, body = {}): Exchange => ({ method: 'DELETE', path, status: 204, ...body });

const clients = '/organizations/acme/oauth-clients';
const clientPath = '/oauth-clients/oc-1';
const client = oauthClientResource('oc-1');
// A service may leave out whose client it is.
const relationships = { organization: undefined };
const unowned = oauthClientResource('oc-1', { relationships });
const renamed = oauthClientResource('oc-1', { relationships, attributes: { name: 'Renamed' } });
const pool = { data: { id: 'apool-1', type: 'agent-pools' } };
const projects = { data: [{ id: 'prj-1', type: 'projects' }] };
const inputs = {
  organization: 'acme',
  ...githubFields,
  oauthTokenString: 'canary',
  organizationScoped: true,
  projectIds: ['prj-1'],
  agentPoolId: 'apool-1',
};
const managed = 'name,oauthTokenString,organizationScoped,projectIds,agentPoolId';
const state = { ...inputs, address, createdAt, managed };
const attributes = {
  name: 'GitHub',
  'service-provider': 'provider_a',
  'http-url': 'https://git.example.com',
  'api-url': 'https://git.example.com/api/v3',
  'oauth-token-string': 'canary',
  'organization-scoped': true,
};
const posted = {
  data: { type: 'oauth-clients', attributes, relationships: { projects, 'agent-pool': pool } },
};
const patched = {
  data: {
    ...{ type: 'oauth-clients', id: 'oc-1' },
    attributes: { name: 'Renamed', secret: 'canary' },
    relationships: { 'agent-pool': pool },
  },
};

const oauthClient: Readonly<Record<string, Row>> = {
  'none for check and diff': {
    requests: [],
    call: async ({ OAuthClient }) => [
      (await OAuthClient.check({}, inputs)).failures,
      await OAuthClient.diff('oc-1', state, inputs),
    ],
    gives: [[], { replaces: [], changes: false }],
  },
  'a list and one POST for create': {
    requests: [
      get(clients, { data: [] }),
      { method: 'POST', path: clients, body: posted, status: 201, response: { data: client } },
    ],
    call: async ({ OAuthClient }) => (await OAuthClient.create(inputs)).id,
    gives: 'oc-1',
  },
  'one list for read': {
    requests: [get(clients, { data: [client] })],
    call: async ({ OAuthClient }) => (await OAuthClient.read('oc-1', state)).inputs,
    gives: inputs,
  },
  'a list and a Show for the read of what the list lacks': {
    requests: [get(clients, { data: [] }), refused('GET', clientPath, 404)],
    call: ({ OAuthClient }) => OAuthClient.read('oc-1', { ...state, createdAt: '2023-01-02T03:04:05.678Z' }),
    gives: {},
  },
  'a Show and one PATCH for update: what differs, and always the agent pool': {
    requests: [
      get(clientPath, { data: unowned }),
      { method: 'PATCH', path: clientPath, body: patched, status: 200, response: { data: renamed } },
    ],
    call: async ({ OAuthClient }) => {
      const news = { ...inputs, name: 'Renamed', secret: 'canary' };
      const { outs = {} } = await OAuthClient.update('oc-1', state, news);
      return [outs.name, outs.secret, outs.organization, await OAuthClient.diff('oc-1', outs, news)];
    },
    gives: ['Renamed', 'canary', 'acme', { replaces: [], changes: false }],
  },
  'one DELETE for delete': {
    requests: [removal(clientPath)],
    call: ({ OAuthClient }) => OAuthClient.delete('oc-1', state),
  },
  'a Show and the list after a DELETE that answers 404': {
    requests: [
      refused('DELETE', clientPath, 404),
      refused('GET', clientPath, 404),
      get(clients, { data: [] }),
    ],
    call: ({ OAuthClient }) => OAuthClient.delete('oc-1', state),
  },
};

const link = { oauthClientId: 'oc-1', projectId: 'prj-1' };
const linkState = { ...link, organization: 'acme', address };
const projectsPath = `${clientPath}/relationships/projects`;
const detached = oauthClientResource('oc-1', { relationships: { projects: { data: [] } } });
const attach = (path: string): Exchange => ({ method: 'POST', path, body: projects, status: 204 });

const projectAttachment: Readonly<Record<string, Row>> = {
  'none for check, diff and update': {
    requests: [],
    call: async ({ ProjectAttachment }) => {
      await ProjectAttachment.check({}, link);
      await ProjectAttachment.diff('oc-1/prj-1', linkState, link);
      return ProjectAttachment.update('oc-1/prj-1', linkState, link);
    },
    gives: { outs: linkState },
  },
  'a Show of its client and one POST for create': {
    requests: [get(clientPath, { data: client }), attach(projectsPath)],
    call: ({ ProjectAttachment }) => ProjectAttachment.create(link),
    gives: { id: 'oc-1/prj-1', outs: linkState },
  },
  'one POST for create where the run knows the client': {
    requests: [attach(projectsPath)],
    call: async ({ ProjectAttachment, OAuthClient }) => {
      await OAuthClient.diff('oc-1', { organization: 'acme' }, {});
      return (await ProjectAttachment.create(link)).id;
    },
    gives: 'oc-1/prj-1',
  },
  'one list of clients for read': {
    requests: [get(clients, { data: [client] })],
    call: ({ ProjectAttachment }) => ProjectAttachment.read('oc-1/prj-1', linkState),
    gives: { id: 'oc-1/prj-1', props: linkState, inputs: link },
  },
  'a Show of its client for read where the list lacks the project': {
    requests: [get(clients, { data: [detached] }), get(clientPath, { data: client })],
    call: ({ ProjectAttachment }) => ProjectAttachment.read('oc-1/prj-1', linkState),
    gives: { id: 'oc-1/prj-1', props: linkState, inputs: link },
  },
  'one DELETE with a body for delete': {
    requests: [removal(projectsPath, { body: projects })],
    call: ({ ProjectAttachment }) => ProjectAttachment.delete('oc-1/prj-1', linkState),
  },
  'a look at the client after a DELETE that is refused': {
    requests: [refused('DELETE', projectsPath, 422, { body: projects }), get(clientPath, { data: detached })],
    call: ({ ProjectAttachment }) => ProjectAttachment.delete('oc-1/prj-1', linkState),
  },
};

const triggers = '/workspaces/ws-app/run-triggers';
const inbound = `${triggers}?filter%5Brun-trigger%5D%5Btype%5D=inbound&page%5Bnumber%5D=1&page%5Bsize%5D=100`;
const pair = { workspaceId: 'ws-app', sourceableId: 'ws-network' };
const triggerState = { ...pair, createdAt, workspaceName: 'app', sourceableName: 'network', address };
const from = { data: { relationships: { sourceable: { data: { id: 'ws-network', type: 'workspaces' } } } } };
const trigger = runTriggerResource('rt-1');

const runTrigger: Readonly<Record<string, Row>> = {
  'none for check, diff and update': {
    requests: [],
    call: async ({ RunTrigger }) => {
      await RunTrigger.check({}, pair);
      await RunTrigger.diff('rt-1', triggerState, { ...pair, workspaceId: 'ws-other' });
      return RunTrigger.update('rt-1', triggerState, pair);
    },
    gives: { outs: triggerState },
  },
  'a list and one POST for create': {
    requests: [
      get(inbound, pageDocument([])),
      { method: 'POST', path: triggers, body: from, status: 201, response: { data: trigger } },
    ],
    call: ({ RunTrigger }) => RunTrigger.create(pair),
    gives: { id: 'rt-1', outs: triggerState },
  },
  'the list alone for a create where the trigger exists': {
    requests: [get(inbound, pageDocument([trigger]))],
    call: async ({ RunTrigger }) => (await RunTrigger.create(pair)).id,
    gives: 'rt-1',
  },
  'the list again after a create that is a duplicate': {
    requests: [
      get(inbound, pageDocument([])),
      refused('POST', triggers, 422, { body: from }),
      get(inbound, pageDocument([trigger])),
    ],
    call: async ({ RunTrigger }) => (await RunTrigger.create(pair)).id,
    gives: 'rt-1',
  },
  'one list for read': {
    requests: [get(inbound, pageDocument([trigger]))],
    call: ({ RunTrigger }) => RunTrigger.read('rt-1', triggerState),
    gives: { id: 'rt-1', props: triggerState, inputs: pair },
  },
  'a list and a Show for the read of what the list lacks': {
    requests: [get(inbound, pageDocument([])), refused('GET', '/run-triggers/rt-1', 404)],
    call: ({ RunTrigger }) => RunTrigger.read('rt-1', triggerState),
    gives: {},
  },
  'one DELETE for delete': {
    requests: [removal('/run-triggers/rt-1')],
    call: ({ RunTrigger }) => RunTrigger.delete('rt-1', triggerState),
  },
};

for (const [what, rows] of Object.entries({ oauthClient, projectAttachment, runTrigger }))
  describe(`the requests of ${what}`, () => {
    offline();

    for (const [title, { requests, call, gives }] of Object.entries(rows))
      it(`are ${title}`, async () => {
        assert.deepEqual(await exchanging(requests, () => call(newProviders())), gives);
      });
  });
