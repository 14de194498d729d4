/** Names of workspaces, projects and agent pools, and the service's time. */
import assert from 'node:assert/strict';
import { client, proves } from '../support/exact-wire';
import { offline } from '../support/offline';
import { json, refusal, reset } from '../support/scripted-server';
import { scriptedWire } from '../support/scripted-wire';
import { oauthClientResource, pageDocument } from '../support/wire-documents';

const named = (type: string, id: string, name: unknown) => ({ id, type, attributes: { name } });

describe('names on the wire', () => {
  offline();
  for (const [type, parameter] of [
    ['workspaces', 'search%5Bname%5D'],
    ['projects', 'q'],
    ['agent-pools', 'q'],
  ] as const) {
    const path = `/api/v2/organizations/acme/${type}?`;
    const paging = 'page%5Bnumber%5D=1&page%5Bsize%5D=100';
    const answer = {
      status: 200,
      method: 'GET',
      document: pageDocument([named(type, 'x-1', 'app'), named(type, 'x-2', 'app two')]),
      result: [
        { id: 'x-1', name: 'app' },
        { id: 'x-2', name: 'app two' },
      ],
    };
    proves({
      ...answer,
      name: `lists ${type}`,
      call: () => client.names.list('acme', type),
      path: path + paging,
    });
    proves({
      ...answer,
      name: `searches ${type} by name`,
      call: () => client.names.search('acme', type, 'a&b'),
      path: `${path}${parameter}=a%26b&${paging}`,
    });
  }
});

describe('names', () => {
  const wire = scriptedWire();

  it('that are no strings make a bad answer', async () => {
    wire.server.script(json(200, pageDocument([named('projects', 'prj-1', 7)])));
    await assert.rejects(wire.client().names.list('acme', 'projects'), /attributes\.name of prj-1 is not a/);
  });
});

describe("the service's time", () => {
  const wire = scriptedWire();
  const dated = (date: string) => json(200, { data: oauthClientResource('oc-1') }, { Date: date });
  const later = 'Wed, 01 Jan 2025 00:00:00 GMT';

  it('is that of the newest answer, and goes on from there', async () => {
    const api = wire.client();
    assert.equal(api.serviceNow(), wire.clock.now());
    wire.server.script(reset, dated(later));
    await api.oauthClients.read('oc-1');
    assert.equal(api.serviceNow(), Date.parse(later));
    await wire.clock.sleep(1234);
    assert.equal(api.serviceNow(), Date.parse(later) + 1234);
    // An answer that was on its way for longer, and one without a date, change nothing.
    for (const older of ['Wed, 01 Jan 2020 00:00:00 GMT', 'garbage']) {
      wire.server.script(dated(older));
      const before = api.serviceNow() - wire.clock.now();
      await api.oauthClients.read('oc-1');
      assert.equal(api.serviceNow() - wire.clock.now(), before);
    }
  });

  it('is told by refusals too, and by a read-only client and a step', async () => {
    wire.server.script(refusal(404, 'no'), dated(later));
    const api = wire.client();
    const step = api.forStep();
    await assert.rejects(step.oauthClients.read('oc-1'));
    assert.notEqual(api.serviceNow(), wire.clock.now());
    assert.equal(api.serviceNow(), step.serviceNow());
  });
});
