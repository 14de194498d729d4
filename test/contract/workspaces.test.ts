// What OAuth clients mean for the workspaces that use them, and how workspaces and projects are found by name.

import assert from 'node:assert/strict';
import { Caller } from '../support/api-caller';
import { proves } from './proves';

const client = { httpUrl: 'https://git.example.com', apiUrl: 'https://git.example.com/api' };

async function withUsers(count: number, profile: string, serviceProvider: string): Promise<Caller> {
  const caller = await Caller.start({ profile });
  const workspaces = Object.fromEntries(
    Array.from({ length: count }, (_unused, index) => [
      `ws-u${index}`,
      { name: `user-${String(index).padStart(3, '0')}`, oauthClient: 'oc-used' },
    ]),
  );
  const oauthClients = {
    'oc-used': { ...client, serviceProvider },
    'oc-idle': { ...client, serviceProvider },
  };
  caller.service.patchSeed({ organizations: { acme: { oauthClients, workspaces } } });
  return caller;
}

function linked(caller: Caller): number {
  return caller.service.snapshot().workspaces.filter(({ oauthClientId }) => oauthClientId === 'oc-used')
    .length;
}

describe('the workspaces that use an OAuth client', () => {
  let caller: Caller;
  afterEach(() => caller.close());

  proves(
    ['destroy-unlinks', 'edit-in-use', 'client-used'],
    'are unlinked when it is destroyed, not before',
    async () => {
      caller = await withUsers(3, 'default', 'provider_a');
      await caller.updateClient('oc-used', { name: 'x', key: 'y' });
      await caller.send('DELETE', '/oauth-clients/oc-idle');
      assert.equal(linked(caller), 3);
      assert.equal((await caller.send('DELETE', '/oauth-clients/oc-used')).status, 204);
      assert.equal(linked(caller), 0);
    },
  );

  proves(['gap-blast-radius'], 'are told under hcp-terraform, 25 of them and their number', async () => {
    caller = await withUsers(30, 'hcp-terraform', 'github');
    const asked = await caller.read('/oauth-clients/oc-used?show_affected_workspaces=true');
    const names = asked.listAt('/data/attributes/affected-workspaces');
    assert.deepEqual([names.length, names[0], names[24]], [25, 'user-000', 'user-024']);
    assert.equal(asked.at('/data/attributes/affected-workspaces-count'), 30);
    const idle = await caller.read('/oauth-clients/oc-idle?show_affected_workspaces=true');
    assert.equal(idle.at('/data/attributes/affected-workspaces-count'), 0);
    const unasked = await caller.read('/oauth-clients/oc-used');
    assert.equal(unasked.at('/data/attributes/affected-workspaces'), undefined);
    const odd = await caller.read('/oauth-clients/oc-used?show_affected_workspaces=1');
    assert.deepEqual([odd.status, ...odd.sources()], [400, 'show_affected_workspaces']);
  });

  proves(['gap-blast-radius'], 'are not told under the default profile', async () => {
    caller = await withUsers(3, 'default', 'provider_a');
    const asked = await caller.read('/oauth-clients/oc-used?show_affected_workspaces=true');
    assert.deepEqual([asked.status, asked.at('/data/attributes/affected-workspaces')], [200, undefined]);
  });
});

describe('finding workspaces, projects and agent pools by name', () => {
  let caller: Caller;
  afterEach(() => caller.close());

  proves(['gap-names'], 'is not offered under the default profile', async () => {
    caller = await Caller.start();
    for (const what of ['workspaces', 'projects', 'agent-pools']) {
      assert.equal((await caller.read(`/organizations/acme/${what}`)).status, 404);
    }
  });

  proves(['gap-names'], 'lists, under hcp-terraform, what the caller may read', async () => {
    caller = await Caller.start({ profile: 'hcp-terraform' });
    const place = '/organizations/acme/workspaces';
    assert.deepEqual((await caller.read(place)).idsAt('/data'), ['ws-app', 'ws-docs', 'ws-network']);
    assert.deepEqual((await caller.read(place, { token: 'reader' })).idsAt('/data'), ['ws-network']);
    assert.deepEqual((await caller.read(`${place}?search[name]=net`)).idsAt('/data'), ['ws-network']);
    const page = await caller.read(`${place}?page[size]=2&page[number]=2`);
    assert.deepEqual([page.at('/meta/pagination/total-pages'), ...page.idsAt('/data')], [2, 'ws-network']);
    const projects = '/organizations/acme/projects';
    assert.deepEqual((await caller.read(projects)).idsAt('/data'), ['prj-payments', 'prj-search', 'prj-web']);
    const named = await caller.read(`${projects}?filter[names]=payments,prj-web,other`);
    assert.deepEqual(named.idsAt('/data'), ['prj-payments', 'prj-web']);
    const pools = '/organizations/acme/agent-pools';
    const [pool = ''] = (await caller.read(pools)).idsAt('/data');
    const name = (await caller.read(pools)).at('/data/0/attributes/name');
    assert.deepEqual((await caller.read(`${pools}?q=${String(name).slice(1)}`)).idsAt('/data'), [pool]);
    assert.deepEqual((await caller.read(`${pools}?q=nowhere`)).idsAt('/data'), []);
    for (const what of [place, projects, pools]) {
      assert.equal((await caller.read(what, { token: 'foreign' })).status, 404);
      assert.equal((await caller.read(`${what}?page[size]=0`)).status, 400);
    }
  });
});
