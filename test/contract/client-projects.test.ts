// Attaching OAuth clients to projects, detaching and destroying them.

import assert from 'node:assert/strict';
import { Caller, projects } from '../support/api-caller';
import { proves } from './proves';

describe('the projects of an OAuth client', () => {
  let caller: Caller;
  let id: string;
  beforeEach(async () => {
    caller = await Caller.start();
    id = await caller.newClient({ 'organization-scoped': false }, { projects: projects('prj-web') });
  });
  afterEach(() => caller.close());

  async function attached(): Promise<string[]> {
    return (await caller.read(`/oauth-clients/${id}`)).idsAt('/data/relationships/projects/data');
  }

  proves(['attach', 'detach', 'gap-scoped-with-projects'], 'come and go, with empty answers', async () => {
    const attach = await caller.changeProjects('POST', id, 'prj-payments', 'prj-search');
    assert.deepEqual([attach.status, attach.text], [204, '']);
    assert.deepEqual(await attached(), ['prj-web', 'prj-payments', 'prj-search']);
    const detach = await caller.changeProjects('DELETE', id, 'prj-web', 'prj-search');
    assert.deepEqual([detach.status, detach.text], [204, '']);
    assert.deepEqual(await attached(), ['prj-payments']);
    const [client] = caller.service.snapshot().oauthClients;
    assert.equal(client?.organizationScoped, false);
  });

  proves(
    ['attach-422', 'detach-422', 'gap-attach-all-or-nothing'],
    'stay as they are when one is unknown',
    async () => {
      for (const method of ['POST', 'DELETE'] as const) {
        for (const unknown of ['prj-none', 'prj-far']) {
          const answer = await caller.changeProjects(method, id, 'prj-web', 'prj-payments', unknown);
          assert.deepEqual([answer.status, ...answer.sources()], [422, '/data/2/id']);
          assert.deepEqual(await attached(), ['prj-web']);
        }
      }
    },
  );

  proves(['attach-422', 'detach-422'], 'are refused when they are malformed', async () => {
    const bodies: [unknown, string][] = [
      [undefined, ''],
      [{}, '/data'],
      [{ data: {} }, '/data'],
      [{ data: ['prj-web'] }, '/data/0'],
      [{ data: [{ id: 'prj-web', type: 'project' }] }, '/data/0/type'],
      [{ data: [{ type: 'projects' }] }, '/data/0/id'],
      [{ data: [{ id: 5, type: 'projects' }] }, '/data/0/id'],
    ];
    for (const method of ['POST', 'DELETE']) {
      for (const [body, pointer] of bodies) {
        const answer = await caller.send(method, `/oauth-clients/${id}/relationships/projects`, { body });
        assert.deepEqual([answer.status, ...answer.sources()], [422, pointer], JSON.stringify(body));
      }
    }
  });

  proves(['gap-attach-again'], 'may be attached and detached twice', async () => {
    assert.equal((await caller.changeProjects('POST', id, 'prj-web')).status, 204);
    assert.equal((await caller.changeProjects('DELETE', id, 'prj-search')).status, 204);
    assert.deepEqual(await attached(), ['prj-web']);
  });

  proves(['gap-attach-again'], 'are refused the second time where that is switched', async () => {
    const strict = await Caller.start({ behaviours: { 'attach-again': '422' } });
    const other = await strict.newClient({}, { projects: projects('prj-web') });
    const attach = await strict.changeProjects('POST', other, 'prj-search', 'prj-web');
    assert.deepEqual([attach.status, ...attach.sources()], [422, '/data/1/id']);
    const detach = await strict.changeProjects('DELETE', other, 'prj-search');
    assert.deepEqual([detach.status, ...detach.sources()], [422, '/data/0/id']);
    assert.equal((await strict.changeProjects('DELETE', other, 'prj-web')).status, 204);
    await strict.close();
  });

  proves(
    ['destroy-client', 'gap-second-delete', 'clients-managed', 'gap-eventual-delete'],
    'go with their client',
    async () => {
      const answer = await caller.send('DELETE', `/oauth-clients/${id}`);
      assert.deepEqual([answer.status, answer.text], [204, '']);
      assert.equal((await caller.read(`/oauth-clients/${id}`)).status, 404);
      assert.deepEqual((await caller.read('/organizations/acme/oauth-clients')).at('/data'), []);
      assert.equal((await caller.send('DELETE', `/oauth-clients/${id}`)).status, 404);
    },
  );
});
