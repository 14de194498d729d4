/** Attaching OAuth clients to projects and detaching them. */
import assert from 'node:assert/strict';
import { Caller, projects } from '../support/api-caller';
import { expectRefusal } from './refusal';

describe('the projects of an OAuth client', () => {
  const caller = Caller.startBeforeEach();
  let id: string;
  beforeEach(async () => {
    id = await caller.newClient({ 'organization-scoped': false }, { projects: projects('prj-web') });
  });

  const attached = () => caller.service.snapshot().oauthClients[0]?.projectIds;

  it('come and go, twice too, with empty answers', async () => {
    for (const [method, sent, after] of [
      ['POST', ['prj-web', 'prj-payments', 'prj-search'], ['prj-web', 'prj-payments', 'prj-search']],
      ['DELETE', ['prj-web', 'prj-search'], ['prj-payments']],
      ['DELETE', ['prj-web'], ['prj-payments']],
    ] as const) {
      const answer = await caller.changeProjects(method, id, ...sent);
      assert.deepEqual([answer.status, answer.text, attached()], [204, '', after]);
    }
    assert.equal(caller.service.snapshot().oauthClients[0]?.organizationScoped, false);
  });

  it('are refused the second time under attach-again=422', async () => {
    await caller.restart({ behaviours: { 'attach-again': '422' } });
    id = await caller.newClient({}, { projects: projects('prj-web') });
    const attach = await caller.changeProjects('POST', id, 'prj-search', 'prj-web');
    assert.deepEqual([attach.status, ...attach.sources()], [422, '/data/1/id']);
    const detach = await caller.changeProjects('DELETE', id, 'prj-search');
    assert.deepEqual([detach.status, ...detach.sources()], [422, '/data/0/id']);
    assert.deepEqual(attached(), ['prj-web']);
  });

  const bodies: readonly (readonly [unknown, string])[] = [
    [projects('prj-web', 'prj-none'), '/data/1/id'],
    [projects('prj-search', 'prj-far'), '/data/1/id'],
    [undefined, ''],
    [{}, '/data'],
    [{ data: {} }, '/data'],
    [{ data: [{ id: 'prj-web', type: 'project' }] }, '/data/0/type'],
    [{ data: [{ id: 5, type: 'projects' }] }, '/data/0/id'],
  ];
  for (const [body, pointer] of bodies) {
    it(`stay as they are with the body ${JSON.stringify(body)}`, async () => {
      const place = `/oauth-clients/${id}/relationships/projects`;
      for (const method of ['POST', 'DELETE']) await expectRefusal(caller, method, place, body, [pointer]);
    });
  }
});
