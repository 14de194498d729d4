/** The exact requests of each method of the provider of exact sets. */
import assert from 'node:assert/strict';
import { exchanging, newProviders, offline } from '../support/golden-exchange';
import { pageOf, runTriggerResource } from '../support/wire-documents';

const query = (direction: string) =>
  `filter%5Brun-trigger%5D%5Btype%5D=${direction}&page%5Bnumber%5D=1&page%5Bsize%5D=100`;
const inputs = { workspaceId: 'ws-app', sourceableIds: ['ws-dns', 'ws-network'] };
const state = { ...inputs, address: 'https://service.test/api/v2' };
const path = '/workspaces/ws-app/run-triggers';
const one = runTriggerResource('rt-1', 'ws-app', 'ws-network');
const two = runTriggerResource('rt-2', 'ws-app', 'ws-dns');
const listed = (...items: object[]) =>
  ({ method: 'GET', path: `${path}?${query('inbound')}`, status: 200, answer: pageOf(items) }) as const;
const from = (id: string) => ({
  data: { relationships: { sourceable: { data: { id, type: 'workspaces' } } } },
});

describe('the requests for an exact set', () => {
  offline();

  it('are none for check and diff', async () => {
    const { InboundRunTriggers } = newProviders();
    await exchanging([], async () => {
      await InboundRunTriggers.check({}, inputs);
      await InboundRunTriggers.diff('ws-app/inbound', state, inputs);
    });
  });

  it('are two reads of the list and a POST for each member that is missing, for create', async () => {
    const post = { method: 'POST', path, body: from('ws-dns'), status: 201, answer: { data: two } } as const;
    const made = await exchanging([listed(one), post], () =>
      newProviders().InboundRunTriggers.create(inputs),
    );
    assert.deepEqual(made, { id: 'ws-app/inbound', outs: state });
  });

  it('are the list alone for a create over what the set does not list, and a DELETE where it may go', async () => {
    const other = runTriggerResource('rt-9', 'ws-app', 'ws-web');
    const { InboundRunTriggers } = newProviders();
    const error = await exchanging([listed(one, two, other)], () =>
      InboundRunTriggers.create(inputs).catch((reason: unknown) => reason),
    );
    assert.match((error as Error).message, /triggers that the set does not list: ws-web\./);
    await exchanging(
      [listed(one, two, other), { method: 'DELETE', path: '/run-triggers/rt-9', status: 204 }],
      () => InboundRunTriggers.create({ ...inputs, removeUnmanaged: true }),
    );
  });

  it('are one list for read', async () => {
    const outbound = {
      method: 'GET',
      path: `/workspaces/ws-network/run-triggers?${query('outbound')}`,
    } as const;
    const set = { sourceableId: 'ws-network', workspaceIds: ['ws-gone'], address: state.address };
    const read = await exchanging([{ ...outbound, status: 200, answer: pageOf([one]) }], () =>
      newProviders().OutboundRunTriggers.read('ws-network/outbound', set),
    );
    const now = { sourceableId: 'ws-network', workspaceIds: ['ws-app'] };
    assert.deepEqual(read, { id: 'ws-network/outbound', props: { ...set, ...now }, inputs: now });
  });

  it('are the list, a POST and a DELETE for an update that changes one member, and the list and DELETEs for delete', async () => {
    const news = { workspaceId: 'ws-app', sourceableIds: ['ws-dns', 'ws-web'] };
    const made = runTriggerResource('rt-3', 'ws-app', 'ws-web');
    const updated = await exchanging(
      [
        listed(one, two),
        { method: 'POST', path, body: from('ws-web'), status: 201, answer: { data: made } },
        { method: 'DELETE', path: '/run-triggers/rt-1', status: 204 },
      ],
      () => newProviders().InboundRunTriggers.update('ws-app/inbound', state, news),
    );
    assert.deepEqual(updated.outs, { ...state, ...news });
    await exchanging(
      [
        listed(one, two),
        { method: 'DELETE', path: '/run-triggers/rt-2', status: 204 },
        { method: 'DELETE', path: '/run-triggers/rt-1', status: 204 },
      ],
      () => newProviders().InboundRunTriggers.delete('ws-app/inbound', state),
    );
  });
});
