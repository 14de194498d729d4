/** The exact requests of each method of the providers of exact sets. */
import assert from 'node:assert/strict';
import { exchanging, newProviders, offline } from '../support/golden-exchange';
import { pageOf, runTriggerResource } from '../support/wire-documents';

const address = 'https://service.test/api/v2';

const directions = [
  {
    kind: 'InboundRunTriggers',
    id: 'ws-app/inbound',
    inputs: (...others: string[]) => ({ workspaceId: 'ws-app', sourceableIds: others }),
    ends: (other: string) => ['ws-app', other] as const,
    query: 'filter%5Brun-trigger%5D%5Btype%5D=inbound&page%5Bnumber%5D=1&page%5Bsize%5D=100',
  },
  {
    kind: 'OutboundRunTriggers',
    id: 'ws-app/outbound',
    inputs: (...others: string[]) => ({ sourceableId: 'ws-app', workspaceIds: others }),
    ends: (other: string) => [other, 'ws-app'] as const,
    query: 'filter%5Brun-trigger%5D%5Btype%5D=outbound&page%5Bnumber%5D=1&page%5Bsize%5D=100',
  },
] as const;

for (const { kind, id, inputs, ends, query } of directions) {
  describe(`the requests for ${kind}`, () => {
    offline();
    const set = () => newProviders()[kind];
    const trigger = (name: string, other: string) => runTriggerResource(name, ...ends(other));
    const dns = trigger('rt-1', 'ws-dns');
    const network = trigger('rt-2', 'ws-network');
    const wanted = inputs('ws-dns', 'ws-network');
    const state = { ...wanted, address };

    const list = (...items: object[]) => {
      const path = `/workspaces/ws-app/run-triggers?${query}`;
      return { method: 'GET', path, status: 200, answer: pageOf(items) } as const;
    };
    const post = (other: string) => {
      const [target, source] = ends(other);
      const body = { data: { relationships: { sourceable: { data: { id: source, type: 'workspaces' } } } } };
      const path = `/workspaces/${target}/run-triggers`;
      return { method: 'POST', path, body, status: 201, answer: { data: trigger('rt-3', other) } } as const;
    };
    const removal = (name: string) =>
      ({ method: 'DELETE', path: `/run-triggers/${name}`, status: 204 }) as const;

    it('are none for check and diff', async () => {
      await exchanging([], async () => {
        assert.deepEqual(await set().check({}, wanted), { inputs: wanted, failures: [] });
        assert.deepEqual(await set().diff(id, state, wanted), { replaces: [], changes: false });
      });
    });

    it('are the list and a POST for each member that it lacks, for create', async () => {
      const made = await exchanging([list(network), post('ws-dns')], () => set().create(wanted));
      assert.deepEqual(made, { id, outs: state });
    });

    it('are the list alone for a create over what the set does not list, and a DELETE where it may go', async () => {
      const there = list(dns, network, trigger('rt-9', 'ws-web'));
      await exchanging([there], () =>
        assert.rejects(set().create(wanted), { message: /triggers that the set does not list: ws-web\./ }),
      );
      await exchanging([there, removal('rt-9')], () => set().create({ ...wanted, removeUnmanaged: true }));
    });

    it('are the list for read', async () => {
      const read = await exchanging([list(network)], () => set().read(id, state));
      const now = inputs('ws-network');
      assert.deepEqual(read, { id, props: { ...state, ...now }, inputs: now });
    });

    it('are the list, a POST and a DELETE for an update that changes one member', async () => {
      const news = inputs('ws-dns', 'ws-web');
      const expected = [list(dns, network), post('ws-web'), removal('rt-2')];
      const updated = await exchanging(expected, () => set().update(id, state, news));
      assert.deepEqual(updated.outs, { ...state, ...news });
    });

    it('are the list and a DELETE of each member for delete', async () => {
      const expected = [list(dns, network), removal('rt-1'), removal('rt-2')];
      await exchanging(expected, () => set().delete(id, state));
    });
  });
}
