// What our own side does where the API text is silent: what it sends, refuses and understands.

import assert from 'node:assert/strict';
import { createClient } from '../../client/client';
import type { ApiError } from '../../client/errors';
import { parseManifest } from '../../manifest/read';
import { resolveSecrets } from '../../resources/secrets';
import { json, type Reply, type ScriptedServer, startScriptedServer, text } from '../support/scripted-server';
import { oauthClientResource } from '../support/wire-documents';
import { proves } from './proves';

describe('our client, where the text is silent,', () => {
  let server: ScriptedServer;
  beforeEach(async () => {
    server = await startScriptedServer();
  });
  afterEach(() => server.close());

  function client() {
    const clock = { now: () => 0, sleep: async () => undefined };
    return createClient({ address: server.address, token: 'client-token', rate: 100_000, clock });
  }

  const refusals: [string, Reply, RegExp][] = [
    [
      'the full form',
      json(422, { errors: [{ status: '422', title: 'invalid', detail: 'no such pool' }] }),
      /no such pool/,
    ],
    [
      'a status that is a number',
      json(422, { errors: [{ status: 422, title: 'invalid', detail: 'why' }] }),
      /why/,
    ],
    ['an error that is a text', json(422, { errors: ['just words'] }), /just words/],
    ['no JSON at all', text(422, '<html>no</html>', { 'content-type': 'text/html' }), /422/],
    ['an empty answer', text(422, ''), /422/],
  ];
  for (const [what, reply, expected] of refusals) {
    proves(['gap-error-form'], `understands ${what} as an error`, async () => {
      server.script(reply);
      await assert.rejects(client().oauthClients.attach('oc-1', ['prj-1']), (error: ApiError) => {
        assert.deepEqual([error.name, error.outcome], ['Invalid', 'rejected']);
        assert.match(error.message, expected);
        return true;
      });
    });
  }

  proves(['gap-unknown-members'], 'ignores what it does not know in an answer', async () => {
    const resource = oauthClientResource('oc-1', {
      attributes: { colour: 'red' },
      relationships: { moon: {} },
    });
    server.script(json(200, { data: { ...resource, extra: 1 }, jsonapi: {}, meta: { x: [] } }));
    const known = await client().oauthClients.read('oc-1');
    assert.deepEqual([known.id, known.name], ['oc-1', 'GitHub']);
    assert.doesNotMatch(JSON.stringify(known), /red|moon|extra/);
  });

  proves(
    ['gap-patch-projects', 'gap-clear-pool'],
    'sends projects and a cleared pool as { data }',
    async () => {
      server.script(json(200, { data: oauthClientResource('oc-1') }));
      await client().oauthClients.update('oc-1', { projectIds: [], agentPoolId: null });
      const [arrived] = server.arrived;
      const { data } = JSON.parse(arrived?.body ?? '{}');
      assert.deepEqual(data.relationships, { projects: { data: [] }, 'agent-pool': { data: null } });
    },
  );
});

describe('our manifests, where the text is silent,', () => {
  const head = 'apiVersion: tether/v1\norganization: acme\n';

  function rulesOf(manifest: string): string[] {
    const { issues } = parseManifest(head + manifest, 'acme.tether.yaml');
    return issues.map(({ rule, severity }) => `${severity} ${rule}`);
  }

  proves(['gap-self-trigger'], 'refuse a workspace as its own source, before any call', () => {
    assert.deepEqual(rulesOf('runTriggers: [{ target: ws-a, source: ws-a }]\n'), ['error self-trigger']);
  });

  proves(['gap-cycles'], 'warn of cycles and take them', () => {
    const cycle = 'runTriggers: [{ target: ws-a, source: ws-b }, { target: ws-b, source: ws-a }]\n';
    const rules = rulesOf(cycle);
    assert.equal(rules.length, 1);
    assert.match(rules[0] ?? '', /^warning .*cycle/);
  });

  proves(['gap-empty-secret'], 'have no secret that resolves to nothing', async () => {
    const wanted = {
      organization: 'acme',
      address: 'OAuthClient/x',
      field: 'secret',
      source: { fromEnv: 'EMPTY' },
    };
    const { failures } = resolveSecrets([wanted], { env: { EMPTY: '' }, root: '/' });
    assert.equal(failures.length, 1);
    assert.match(failures[0]?.why ?? '', /EMPTY/);
  });
});
