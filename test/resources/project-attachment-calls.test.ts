/** The calls of an attachment against the service: what is made or gone already counts as done. */
import assert from 'node:assert/strict';
import type { Api } from '../../client/api';
import { createClient } from '../../client/client';
import { Conflict, Invalid, NotFound } from '../../client/errors';
import { oauthClient } from '../../resources/oauth-client';
import { projectAttachment } from '../../resources/project-attachment';
import { runTrigger } from '../../resources/run-trigger';
import { context, KindCalls } from '../support/kind-calls';

describe('an attachment, by its calls,', () => {
  const calls = new KindCalls();

  const link = (projectId: string, oauthClientId: string) => ({
    organization: 'acme',
    oauthClientId,
    projectId,
  });
  const create = (projectId: string, id: string, api: Api = calls.api) =>
    projectAttachment.create(api, link(projectId, id), {}, calls.attempt());
  const remove = (id: string, api: Api = calls.api) =>
    projectAttachment.delete(api, `${id}/prj-1`, link('prj-1', id));
  const attached = (): readonly string[] =>
    calls.service.snapshot().oauthClients.flatMap(({ projectIds }) => projectIds);

  for (const again of ['204', '422']) {
    it(`may be made and taken away twice where the second time means ${again}`, async () => {
      await calls.start({ behaviours: { 'attach-again': again } });
      const id = await calls.leave();
      for (const _ of [1, 2]) {
        const found = await create('prj-1', id);
        assert.equal(found.id, `${id}/prj-1`);
        assert.deepEqual(attached(), ['prj-1']);
      }
      for (const _ of [1, 2]) {
        await remove(id);
        assert.deepEqual(attached(), []);
      }
    });
  }

  it('goes with several others in one call', async () => {
    await calls.start();
    const id = await calls.leave();
    calls.service.clearRequests();
    await projectAttachment.batch?.create(calls.api, [link('prj-1', id), link('prj-2', id)]);
    assert.deepEqual(attached(), ['prj-1', 'prj-2']);
    await projectAttachment.batch?.delete(calls.api, [link('prj-1', id), link('prj-2', id)]);
    assert.deepEqual(attached(), []);
    assert.deepEqual(
      calls.service.requests().map(({ method }) => method),
      ['POST', 'DELETE'],
    );
  });

  for (const Refusal of [NotFound, Conflict, Invalid]) {
    it(`that was made, or taken away, and answered with ${Refusal.name} is done`, async () => {
      await calls.start();
      const id = await calls.leave();
      const refuse = async (done: Promise<void>) => {
        await done;
        throw new Refusal('no', 'rejected', context);
      };
      const { attach, detach } = calls.api.oauthClients;
      const lying = {
        ...calls.api,
        oauthClients: {
          ...calls.api.oauthClients,
          attach: (...given: Parameters<typeof attach>) => refuse(attach(...given)),
          detach: (...given: Parameters<typeof detach>) => refuse(detach(...given)),
        },
      };
      await create('prj-1', id, lying);
      assert.deepEqual(attached(), ['prj-1']);
      await remove(id, lying);
      assert.deepEqual(attached(), []);
    });
  }

  it('to an unknown project is refused, and so is taking one away that is still there', async () => {
    await calls.start({ behaviours: { 'attach-again': '422' } });
    const id = await calls.leave();
    await assert.rejects(create('prj-none', id), Invalid);
    await create('prj-1', id);
    await assert.rejects(
      projectAttachment.batch?.create(calls.api, [link('prj-1', id), link('prj-none', id)]) ??
        Promise.resolve(),
      Invalid,
    );
    await assert.rejects(
      projectAttachment.batch?.delete(calls.api, [link('prj-1', id), link('prj-none', id)]) ??
        Promise.resolve(),
      Invalid,
    );
    assert.deepEqual(attached(), ['prj-1']);
  });

  it('that the service refuses is told as refused, also when nobody can look for it then', async () => {
    await calls.start({ behaviours: { 'attach-again': '422' } });
    const id = await calls.leave();
    calls.service.fault({ how: 'status', method: 'GET', status: 403 });
    const refused = { name: 'Invalid', message: /projects: / };
    await assert.rejects(create('prj-none', id), refused);
    await assert.rejects(remove(id), refused);
    await assert.rejects(remove('oc-none'), NotFound);
    await assert.rejects(oauthClient.delete(calls.api, 'oc-none', { organization: 'acme' }), NotFound);
    await assert.rejects(runTrigger.delete(calls.api, 'rt-none', {}), NotFound);
  });

  it('of a client that is gone is gone; of one that merely cannot be seen it is not', async () => {
    await calls.start();
    const id = await calls.leave();
    await create('prj-1', id);
    calls.service.patchSeed({ tokens: { nobody: { acme: { manageVcsSettings: false } } } });
    const blind = createClient({ address: calls.service.url, token: 'nobody', rate: 1000 });
    await assert.rejects(remove(id, blind), NotFound);
    await calls.api.oauthClients.delete(id);
    await remove(id);
  });
});
