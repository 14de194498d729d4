/** Exact sets of run triggers under Pulumi, against the embedded service. */
import assert from 'node:assert/strict';
import { createClient } from '../../client/client';
import { createService, type Service } from '../../service';
import { seed } from '../support/client-and-service';
import { type Providers, providersFor } from '../support/provider-session';

/** How the set of one direction is written, and which triggers it means. */
const directions = [
  {
    kind: 'InboundRunTriggers',
    inputs: (...members: readonly string[]) => ({ workspaceId: 'ws-app', sourceableIds: members }),
    members: 'sourceableIds',
    ends: (member: string) => ['ws-app', member] as const,
    id: 'ws-app/inbound',
  },
  {
    kind: 'OutboundRunTriggers',
    inputs: (...members: string[]) => ({ sourceableId: 'ws-app', workspaceIds: members }),
    members: 'workspaceIds',
    ends: (member: string) => [member, 'ws-app'] as const,
    id: 'ws-app/outbound',
  },
] as const;

for (const { kind, inputs, members, ends, id } of directions) {
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
    const there = () =>
      service
        .snapshot()
        .runTriggers.map((one) => (kind === 'InboundRunTriggers' ? one.sourceableId : one.workspaceId))
        .sort();
    const writes = () => service.requests().filter(({ method }) => method !== 'GET').length;

    it('changes by its difference, and leaves alone what somebody added since the state was read', async () => {
      const { outs = {} } = await providers[kind].create(inputs('ws-w1', 'ws-w2'));
      await adds('ws-w9');
      service.clearRequests();
      const updated = await providers[kind].update(id, outs, inputs('ws-w2', 'ws-w3'));
      assert.deepEqual([updated.outs?.[members], writes()], [['ws-w2', 'ws-w3'], 2]);
      assert.deepEqual(there(), ['ws-w2', 'ws-w3', 'ws-w9']);
      const read = await providersFor(service.url)[kind].read(id, updated.outs ?? {});
      assert.deepEqual(read.inputs, inputs('ws-w2', 'ws-w3', 'ws-w9'));
      const news = inputs('ws-w2', 'ws-w3');
      assert.deepEqual(await providers[kind].diff(id, read.props ?? {}, news), { replaces: [] });
      const repaired = await providers[kind].update(id, read.props ?? {}, news);
      assert.deepEqual(there(), ['ws-w2', 'ws-w3']);
      assert.deepEqual(await providers[kind].diff(id, repaired.outs ?? {}, news), {
        replaces: [],
        changes: false,
      });
    });

    it('goes on where a failed update stopped', async () => {
      const { outs = {} } = await providers[kind].create(inputs('ws-w1', 'ws-w2'));
      service.fault({ how: 'status', status: 422, method: 'POST', nth: 2 });
      const news = inputs('ws-w2', 'ws-w3', 'ws-w4');
      await assert.rejects(providers[kind].update(id, outs, news));
      assert.equal(there().includes('ws-w1'), true);
      await providers[kind].update(id, outs, news);
      assert.deepEqual(there(), ['ws-w2', 'ws-w3', 'ws-w4']);
    });

    it('is deleted with its members, but for those that single triggers of the program have', async () => {
      const { outs = {} } = await providers[kind].create(inputs('ws-w1', 'ws-w2'));
      await adds('ws-w9');
      providers = providersFor(service.url);
      const [workspaceId, sourceableId] = ends('ws-w2');
      await providers.RunTrigger.check({}, { workspaceId, sourceableId });
      await providers[kind].delete(id, outs);
      assert.deepEqual(there(), ['ws-w2', 'ws-w9']);
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
      assert.deepEqual(failures, [
        { property: '', reason: `${members}: ws-app cannot trigger itself: take it off the list` },
      ]);
    });
  });
}

describe('a set where a target may have 20 sources', () => {
  const twenty = Array.from({ length: 20 }, (_, index) => `ws-w${index}`);

  it('makes room first', async () => {
    const service = await createService({ seed, profile: 'hcp-terraform' });
    try {
      const providers = providersFor(service.url, { 'tether:profile': 'hcp-terraform' }).InboundRunTriggers;
      const full = { workspaceId: 'ws-app', sourceableIds: twenty };
      const { outs = {} } = await providers.create(full);
      await providers.update('ws-app/inbound', outs, {
        ...full,
        sourceableIds: [...twenty.slice(1), 'ws-w25'],
      });
      assert.equal(service.snapshot().runTriggers.length, 20);
    } finally {
      await service.close();
    }
  });
});
