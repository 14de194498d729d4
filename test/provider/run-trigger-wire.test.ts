/** The exact requests of each method of the run trigger's provider. */
import assert from 'node:assert/strict';
import { exchanging, newProviders, offline } from '../support/golden-exchange';
import { pageOf, runTriggerResource } from '../support/wire-documents';

const path = '/workspaces/ws-app/run-triggers';
const inbound = `${path}?filter%5Brun-trigger%5D%5Btype%5D=inbound&page%5Bnumber%5D=1&page%5Bsize%5D=100`;
const inputs = { workspaceId: 'ws-app', sourceableId: 'ws-network' };
const state = {
  ...inputs,
  createdAt: '2024-01-02T03:04:05.678Z',
  workspaceName: 'app',
  sourceableName: 'network',
  address: 'https://service.test/api/v2',
};
const body = { data: { relationships: { sourceable: { data: { id: 'ws-network', type: 'workspaces' } } } } };
const there = runTriggerResource('rt-1');

describe('the requests for a run trigger', () => {
  offline();

  it('are none for check, diff and update', async () => {
    const { RunTrigger } = newProviders();
    await exchanging([], async () => {
      await RunTrigger.check({}, inputs);
      await RunTrigger.diff('rt-1', state, { ...inputs, workspaceId: 'ws-other' });
      assert.deepEqual(await RunTrigger.update('rt-1', state, inputs), { outs: state });
    });
  });

  it('are a list and one POST for create', async () => {
    const made = await exchanging(
      [
        { method: 'GET', path: inbound, status: 200, answer: pageOf([]) },
        { method: 'POST', path, body, status: 201, answer: { data: there } },
      ],
      () => newProviders().RunTrigger.create(inputs),
    );
    assert.deepEqual(made, { id: 'rt-1', outs: state });
  });

  it('are the list alone for a create where the trigger exists, and the list again after a duplicate', async () => {
    const listed = { method: 'GET', path: inbound, status: 200, answer: pageOf([there]) } as const;
    const adopted = await exchanging([listed], () => newProviders().RunTrigger.create(inputs));
    assert.equal(adopted.id, 'rt-1');
    const late = await exchanging(
      [
        { ...listed, answer: pageOf([]) },
        { method: 'POST', path, body, status: 422, answer: { errors: [] } },
        listed,
      ],
      () => newProviders().RunTrigger.create(inputs),
    );
    assert.equal(late.id, 'rt-1');
  });

  it('are one list for read, and a Show of what it lacks', async () => {
    const listed = { method: 'GET', path: inbound, status: 200, answer: pageOf([there]) } as const;
    const found = await exchanging([listed], () => newProviders().RunTrigger.read('rt-1', state));
    assert.deepEqual(found, { id: 'rt-1', props: state, inputs });
    const gone = await exchanging(
      [
        { ...listed, answer: pageOf([]) },
        { method: 'GET', path: '/run-triggers/rt-1', status: 404, answer: { errors: [] } },
      ],
      () => newProviders().RunTrigger.read('rt-1', state),
    );
    assert.deepEqual(gone, {});
  });

  it('are one DELETE for delete, and none where another resource wants the trigger', async () => {
    const { RunTrigger } = newProviders();
    await exchanging([{ method: 'DELETE', path: '/run-triggers/rt-1', status: 204 }], () =>
      RunTrigger.delete('rt-1', state),
    );
    await exchanging([], async () => {
      await RunTrigger.check({}, inputs);
      await RunTrigger.delete('rt-1', state);
    });
  });
});
