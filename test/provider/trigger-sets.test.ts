/** Exact sets of run triggers under Pulumi: against the embedded service, and their exact requests. */
import assert from 'node:assert/strict';
import { createClient } from '../../client/client';
import type { Props } from '../../provider/resource-provider';
import { createService, type Service } from '../../service';
import { seed } from '../support/client-and-service';
import { exchanging, newProviders } from '../support/golden-exchange';
import { offline } from '../support/offline';
import { type Providers, providersFor } from '../support/provider-session';
import { pageDocument, runTriggerResource } from '../support/wire-documents';

const address = 'https://service.test/api/v2';

/** How the set of one direction is written, and which triggers it means. */
const directions = [
  {
    kind: 'InboundRunTriggers',
    inputs: (...members: readonly string[]) => ({ workspaceId: 'ws-app', sourceableIds: members }),
    members: 'sourceableIds',
    ends: (member: string) => ['ws-app', member] as const,
    id: 'ws-app/inbound',
    direction: 'inbound',
  },
  {
    kind: 'OutboundRunTriggers',
    inputs: (...members: readonly string[]) => ({ sourceableId: 'ws-app', workspaceIds: members }),
    members: 'workspaceIds',
    ends: (member: string) => [member, 'ws-app'] as const,
    id: 'ws-app/outbound',
    direction: 'outbound',
  },
] as const;

for (const { kind, inputs, members, ends, id, direction } of directions) {
  describe(`the set ${kind}`, () => {
    let service: Service;
    let providers: Providers;
    beforeEach(async () => {
      service = await createService({ seed });
      providers = providersFor(service.url);
    });
    afterEach(() => service.close());

    const somebody = () => createClient({ address: service.url, token: 'owner-token', rate: 100_000 });
    const adds = (member: string) => {
      const [workspaceId, sourceableId] = ends(member);
      return somebody().runTriggers.create(workspaceId, sourceableId);
    };
    const memberIds = () =>
      service
        .snapshot()
        .runTriggers.map(({ sourceableId, workspaceId }) =>
          kind === 'InboundRunTriggers' ? sourceableId : workspaceId,
        )
        .sort();
    const writes = () => service.requests().filter(({ method }) => method !== 'GET').length;

    it('changes by its difference, and leaves alone what somebody added since the state was read', async () => {
      const { outs = {} } = await providers[kind].create(inputs('ws-w1', 'ws-w2'));
      await adds('ws-w9');
      service.clearRequests();
      const updated = await providers[kind].update(id, outs, inputs('ws-w2', 'ws-w3'));
      assert.deepEqual([updated.outs?.[members], writes()], [['ws-w2', 'ws-w3'], 2]);
      assert.deepEqual(memberIds(), ['ws-w2', 'ws-w3', 'ws-w9']);
      const read = await providersFor(service.url)[kind].read(id, updated.outs ?? {});
      assert.deepEqual(read.inputs, inputs('ws-w2', 'ws-w3', 'ws-w9'));
      const news = inputs('ws-w2', 'ws-w3');
      assert.deepEqual(await providers[kind].diff(id, read.props ?? {}, news), { replaces: [] });
      const repaired = await providers[kind].update(id, read.props ?? {}, news);
      assert.deepEqual(memberIds(), ['ws-w2', 'ws-w3']);
      assert.deepEqual(await providers[kind].diff(id, repaired.outs ?? {}, news), {
        replaces: [],
        changes: false,
      });
    });

    /** True for an error with which the engine records the members that exist. */
    const isPartial = (error: { id: string; properties: Readonly<Record<string, unknown>> }) => {
      const { [members]: recordedMembers, __provider } = error.properties;
      assert.deepEqual(
        [error.id, new Set(Object(recordedMembers)), __provider],
        [id, new Set(memberIds()), 'line'],
      );
      return true;
    };

    it('records that no member is left, and nothing for a create that made none', async () => {
      const refused = { how: 'status', status: 422, method: 'POST' } as const;
      service.fault(refused);
      const recorded = { ...inputs('ws-w1'), __provider: 'line' };
      await assert.rejects(providers[kind].create(recorded), (error: Error) => !('properties' in error));
      service.clearFaults();
      const { outs = {} } = await providers[kind].create(recorded);
      for (const { id: triggerId } of service.snapshot().runTriggers) {
        await somebody().runTriggers.delete(triggerId);
      }
      service.fault(refused);
      const news = { ...inputs('ws-w2'), __provider: 'line' };
      await assert.rejects(providers[kind].update(id, outs, news), isPartial);
      assert.deepEqual(memberIds(), []);
    });

    it('leaves a member that it no longer lists to a single trigger of the program', async () => {
      const { outs = {} } = await providers[kind].create(inputs('ws-w1', 'ws-w2'));
      const [workspaceId, sourceableId] = ends('ws-w2');
      await providers.RunTrigger.check({}, { workspaceId, sourceableId });
      await providers[kind].update(id, outs, inputs('ws-w1'));
      assert.deepEqual(memberIds(), ['ws-w1', 'ws-w2']);
    });

    it('records what there is when a create or an update fails, and goes on there', async () => {
      const fails = { how: 'status', status: 422, method: 'POST', nth: 2 } as const;
      service.fault(fails);
      const recorded = { ...inputs('ws-w1', 'ws-w2'), __provider: 'line' };
      await assert.rejects(providers[kind].create(recorded), isPartial);
      const { outs = {} } = await providers[kind].create(recorded);
      service.fault(fails);
      const news = { ...inputs('ws-w2', 'ws-w3', 'ws-w4'), __provider: 'line' };
      await assert.rejects(providers[kind].update(id, outs, news), isPartial);
      assert.equal(memberIds().includes('ws-w1'), true);
      await providers[kind].update(id, outs, news);
      assert.deepEqual(memberIds(), ['ws-w2', 'ws-w3', 'ws-w4']);
    });

    it('records no trigger of others when a create that may delete them fails, and the next update deletes them', async () => {
      await adds('ws-w8');
      await adds('ws-w9');
      const wanted = { ...inputs('ws-w1', 'ws-w2'), removeUnmanaged: true, __provider: 'line' };
      const createFailing = async (method: 'POST' | 'DELETE', nth?: number) => {
        service.fault({ how: 'status', status: 422, method, ...(nth && { nth }) });
        const error: unknown = await providers[kind].create(wanted).catch((reason: unknown) => reason);
        service.clearFaults();
        return (error as { properties?: Props }).properties;
      };
      // A create that made nothing is not recorded.
      assert.equal(await createFailing('POST'), undefined);
      const state = (await createFailing('DELETE', 2)) ?? {};
      assert.deepEqual(state[members], ['ws-w1', 'ws-w2']);
      const [deletedMember] = ['ws-w8', 'ws-w9'].filter((member) => !memberIds().includes(member));
      assert.equal(providers.printed.at(-1), `${id}: not listed, so deleted: ${deletedMember}`);
      assert.notEqual((await providers[kind].diff(id, state, wanted)).changes, false);
      const { outs = {} } = await providers[kind].update(id, state, wanted);
      assert.deepEqual(memberIds(), ['ws-w1', 'ws-w2']);
      assert.deepEqual(await providers[kind].diff(id, outs, wanted), { replaces: [], changes: false });
      // From now on, only a refresh shows what somebody adds.
      await adds('ws-w7');
      await providers[kind].update(id, outs, { ...wanted, ...inputs('ws-w1') });
      assert.deepEqual(memberIds(), ['ws-w1', 'ws-w7']);
    });

    it('loses nothing of others when it is deleted after a create that failed', async () => {
      await adds('ws-w9');
      service.fault({ how: 'status', status: 422, method: 'DELETE' });
      const wanted = { ...inputs('ws-w1'), removeUnmanaged: true, __provider: 'line' };
      const error: unknown = await providers[kind].create(wanted).catch((reason: unknown) => reason);
      service.clearFaults();
      await providers[kind].delete(id, (error as { properties: Props }).properties);
      assert.deepEqual(memberIds(), ['ws-w9']);
    });

    it('says nothing of a member that does not exist when it no longer lists it', async () => {
      const { outs = {} } = await providers[kind].create(inputs('ws-w1', 'ws-w2'));
      const [workspaceId, sourceableId] = ends('ws-w2');
      const lost = service
        .snapshot()
        .runTriggers.find(
          (trigger) => trigger.workspaceId === workspaceId && trigger.sourceableId === sourceableId,
        );
      await somebody().runTriggers.delete(lost?.id ?? '');
      await providers.RunTrigger.check({}, { workspaceId, sourceableId });
      await providers[kind].update(id, outs, inputs('ws-w1'));
      assert.deepEqual(providers.printed, []);
    });

    it('is deleted with its members, but for those that single triggers of the program have', async () => {
      const { outs = {} } = await providers[kind].create(inputs('ws-w1', 'ws-w2'));
      await adds('ws-w9');
      providers = providersFor(service.url);
      const [workspaceId, sourceableId] = ends('ws-w2');
      await providers.RunTrigger.check({}, { workspaceId, sourceableId });
      await providers[kind].delete(id, outs);
      assert.deepEqual(memberIds(), ['ws-w2', 'ws-w9']);
    });

    it('stays in the state where its list cannot be read', async () => {
      const { outs = {} } = await providers[kind].create(inputs('ws-w1'));
      const blind = providersFor(service.url, { 'tether:token': 'reader-token' });
      const state = { ...outs, ...inputs('ws-w1'), workspaceId: 'ws-w7', sourceableId: 'ws-w7' };
      const refused = { message: /ws-w7\/run-triggers: not found, or the token may not see it \(404\)/ };
      await assert.rejects(blind[kind].read('ws-w7', state), refused);
      await assert.rejects(blind[kind].delete('ws-w7', state), refused);
    });

    it('lists no workspace that triggers itself', async () => {
      const { failures } = await providers[kind].check({}, inputs('ws-w1', 'ws-app'));
      const reason = 'sourceableId: ws-app cannot trigger itself: source and target must be two workspaces';
      assert.deepEqual(failures, [{ property: '', reason }]);
    });
  });

  describe(`the requests for ${kind}`, () => {
    offline();
    const set = () => newProviders()[kind];
    const trigger = (name: string, other: string) => runTriggerResource(name, ...ends(other));
    const dns = trigger('rt-1', 'ws-dns');
    const network = trigger('rt-2', 'ws-network');
    const wanted = inputs('ws-dns', 'ws-network');
    const state = { ...wanted, address };

    const list = (...items: object[]) => {
      const path = `/workspaces/ws-app/run-triggers?filter%5Brun-trigger%5D%5Btype%5D=${direction}&page%5Bnumber%5D=1&page%5Bsize%5D=100`;
      return { method: 'GET', path, status: 200, response: pageDocument(items) } as const;
    };
    const post = (other: string) => {
      const [target, source] = ends(other);
      const body = { data: { relationships: { sourceable: { data: { id: source, type: 'workspaces' } } } } };
      const path = `/workspaces/${target}/run-triggers`;
      return { method: 'POST', path, body, status: 201, response: { data: trigger('rt-3', other) } } as const;
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
      const created = await exchanging([list(network), post('ws-dns')], () => set().create(wanted));
      assert.deepEqual(created, { id, outs: state });
    });

    it('are the list alone for a create over what the set does not list, and a DELETE where it may go', async () => {
      const fullList = list(dns, network, trigger('rt-9', 'ws-web'));
      await exchanging([fullList], () =>
        assert.rejects(set().create(wanted), {
          message: /triggers that the set does not list: ws-web\n.*add them/,
        }),
      );
      const { [kind]: removingSet, printed } = newProviders();
      await exchanging([fullList, removal('rt-9')], () =>
        removingSet.create({ ...wanted, removeUnmanaged: true }),
      );
      assert.equal(printed.at(-1), `${id}: not listed, so deleted: ws-web`);
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

describe('a set where a target may have 20 sources', () => {
  const twentySources = Array.from({ length: 20 }, (_, index) => `ws-w${index}`);

  it('makes room where there is none, and refuses one more before any call', async () => {
    const service = await createService({ seed, profile: 'hcp-terraform' });
    try {
      const providers = providersFor(service.url, { 'tether:profile': 'hcp-terraform' }).InboundRunTriggers;
      const small = { workspaceId: 'ws-app', sourceableIds: ['ws-w0'] };
      const { outs: state = {} } = await providers.create(small);
      await assert.rejects(
        providers.update('ws-app/inbound', state, { ...small, sourceableIds: ['ws-none'] }),
      );
      assert.equal(service.snapshot().runTriggers.length, 1);
      const full = { ...small, sourceableIds: twentySources };
      const { outs = {} } = await providers.create(full);
      const news = { ...full, sourceableIds: [...twentySources.slice(1), 'ws-w25'] };
      await providers.update('ws-app/inbound', outs, news);
      assert.equal(service.snapshot().runTriggers.length, 20);
      const { failures } = await providers.check(
        {},
        { ...full, sourceableIds: [...twentySources, 'ws-w25'] },
      );
      assert.match(
        failures?.[0]?.reason ?? '',
        /^sourceableIds: 21 sources, but profile hcp-terraform allows 20$/,
      );
    } finally {
      await service.close();
    }
  });
});
