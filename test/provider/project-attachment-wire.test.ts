/** The exact requests of each method of the project attachment's provider. */
import assert from 'node:assert/strict';
import { exchanging, newProviders, offline } from '../support/golden-exchange';
import { oauthClientResource } from '../support/wire-documents';

const list = '/organizations/acme/oauth-clients';
const path = '/oauth-clients/oc-1/relationships/projects';
const inputs = { oauthClientId: 'oc-1', projectId: 'prj-1' };
const state = { ...inputs, organization: 'acme', address: 'https://service.test/api/v2' };
const body = { data: [{ id: 'prj-1', type: 'projects' }] };
const there = oauthClientResource('oc-1');
const detached = oauthClientResource('oc-1', { relationships: { projects: { data: [] } } });

describe('the requests for a project attachment', () => {
  offline();

  it('are none for check, diff and update', async () => {
    const { ProjectAttachment } = newProviders();
    await exchanging([], async () => {
      await ProjectAttachment.check({}, inputs);
      await ProjectAttachment.diff('oc-1/prj-1', state, inputs);
      assert.deepEqual(await ProjectAttachment.update('oc-1/prj-1', state, inputs), { outs: state });
    });
  });

  it('are a Show of its client and one POST for create, without the Show where the run knows the client', async () => {
    const { ProjectAttachment, OAuthClient } = newProviders();
    const made = await exchanging(
      [
        { method: 'GET', path: '/oauth-clients/oc-1', status: 200, answer: { data: there } },
        { method: 'POST', path, body, status: 204 },
      ],
      () => ProjectAttachment.create(inputs),
    );
    assert.deepEqual(made, { id: 'oc-1/prj-1', outs: state });
    await OAuthClient.diff('oc-2', { organization: 'acme' }, {});
    const second = '/oauth-clients/oc-2/relationships/projects';
    await exchanging([{ method: 'POST', path: second, body, status: 204 }], () =>
      ProjectAttachment.create({ ...inputs, oauthClientId: 'oc-2' }),
    );
  });

  it('are one list of clients for read', async () => {
    const read = (data: readonly object[]) =>
      exchanging([{ method: 'GET', path: list, status: 200, answer: { data } }], () =>
        newProviders().ProjectAttachment.read('oc-1/prj-1', state),
      );
    assert.deepEqual(await read([there]), { id: 'oc-1/prj-1', props: state, inputs });
    assert.deepEqual(await read([detached]), {});
  });

  it('are one DELETE with a body for delete, and a look at the client where it is refused', async () => {
    await exchanging([{ method: 'DELETE', path, body, status: 204 }], () =>
      newProviders().ProjectAttachment.delete('oc-1/prj-1', state),
    );
    await exchanging(
      [
        { method: 'DELETE', path, body, status: 422, answer: { errors: [] } },
        { method: 'GET', path: '/oauth-clients/oc-1', status: 200, answer: { data: detached } },
      ],
      () => newProviders().ProjectAttachment.delete('oc-1/prj-1', state),
    );
  });
});
