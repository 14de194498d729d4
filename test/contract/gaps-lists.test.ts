// What the API text leaves open about lists: sizes, ends, order, what is hidden, what lags behind.

import assert from 'node:assert/strict';
import { Caller, projects, seed } from '../support/api-caller';
import { HandClock } from '../support/hand-clock';
import { proves } from './proves';

const path = '/organizations/acme/oauth-clients';

async function withClients(count: number, behaviours: Record<string, string> = {}): Promise<Caller> {
  const oauthClients = Object.fromEntries(
    Array.from({ length: count }, (_unused, index) => [
      `oc-${String(index).padStart(4, '0')}`,
      {
        serviceProvider: 'provider_a',
        httpUrl: 'https://git.example.com',
        apiUrl: 'https://git.example.com/api',
        createdAt: '2026-01-01T00:00:00.000Z',
      },
    ]),
  );
  const caller = await Caller.start({ behaviours });
  caller.service.patchSeed({ organizations: { acme: { oauthClients } } });
  return caller;
}

describe('lists, where the text is silent,', () => {
  let caller: Caller | undefined;
  afterEach(() => caller?.close());

  proves(['gap-page-maximum', 'no-page-maximum'], 'clamp a page size over 100', async () => {
    caller = await withClients(120);
    for (const [size, given] of [
      [100, 100],
      [101, 100],
      [1_000_000, 100],
    ]) {
      const answer = await caller.read(`${path}?page[size]=${size}`);
      assert.equal(answer.listAt('/data').length, given);
      assert.equal(answer.at('/meta/pagination/page-size'), given);
      assert.equal(answer.at('/meta/pagination/total-pages'), 2);
    }
    const huge = await caller.read(`${path}?page[size]=${'9'.repeat(400)}`);
    assert.equal(huge.status, 200);
  });

  proves(['gap-page-maximum'], 'refuse a size over the maximum where that is switched', async () => {
    caller = await withClients(5, { 'page-size-over': '422', 'page-size-max': '3' });
    const refused = await caller.read(`${path}?page[size]=4`);
    assert.deepEqual([refused.status, ...refused.sources()], [422, 'page[size]']);
    assert.equal((await caller.read(`${path}?page[size]=3`)).listAt('/data').length, 3);
    assert.equal((await caller.read(`${path}?page[number]=1`)).listAt('/data').length, 3);
    assert.equal((await caller.read(path)).listAt('/data').length, 5);
    const triggers = await caller.listTriggers('ws-app', 'inbound', '&page[size]=4');
    assert.deepEqual([triggers.status, ...triggers.sources()], [422, 'page[size]']);
  });

  proves(['gap-page-maximum'], 'take another maximum', async () => {
    caller = await withClients(5, { 'page-size-max': '2' });
    assert.equal((await caller.read(`${path}?page[size]=50`)).listAt('/data').length, 2);
  });

  proves(
    ['gap-past-the-end', 'gap-page-size-member'],
    'are empty past their end and keep their count',
    async () => {
      caller = await withClients(5);
      const answer = await caller.read(`${path}?page[number]=9&page[size]=2`);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.at('/data'), []);
      assert.deepEqual(answer.at('/meta/pagination'), {
        'current-page': 9,
        'page-size': 2,
        'prev-page': 3,
        'next-page': null,
        'total-pages': 3,
        'total-count': 5,
      });
    },
  );

  proves(['gap-odd-paging'], 'refuse pages that are no positive whole numbers, by name', async () => {
    caller = await Caller.start();
    for (const value of ['0', '-1', 'x', '', '1.5', '1e1', ' 1', '0x1', '1&page[size]=2&page[size]=3']) {
      const clients = await caller.read(`${path}?page[size]=${value}`);
      assert.deepEqual([clients.status, ...clients.sources()], [400, 'page[size]'], value);
    }
    const triggers = await caller.listTriggers('ws-app', 'inbound', '&page[number]=0&page[size]=x');
    assert.deepEqual([triggers.status, ...triggers.sources()], [400, 'page[number]', 'page[size]']);
  });

  proves(['gap-list-order'], 'are by age and then id, whatever the order of creation', async () => {
    caller = await Caller.start();
    const client = {
      serviceProvider: 'provider_a',
      httpUrl: 'https://x.example',
      apiUrl: 'https://x.example',
    };
    const at = (day: number) => ({ ...client, createdAt: `2026-01-0${day}T00:00:00.000Z` });
    const oauthClients = { 'oc-c': at(2), 'oc-b': at(2), 'oc-a': at(3), 'oc-d': at(1) };
    caller.service.patchSeed({ organizations: { acme: { oauthClients } } });
    assert.deepEqual((await caller.read(path)).idsAt('/data'), ['oc-d', 'oc-b', 'oc-c', 'oc-a']);
  });

  proves(['gap-list-order'], 'are shuffled at each request where that is switched', async () => {
    caller = await withClients(30, { 'list-order': 'random' });
    const one = (await caller.read(path)).idsAt('/data');
    const other = (await caller.read(path)).idsAt('/data');
    assert.notDeepEqual(one, other);
    assert.deepEqual([...one].sort(), [...other].sort());
  });

  proves(
    ['gap-lists-hide'],
    'show triggers of unreadable sources, or hide them where that is switched',
    async () => {
      for (const hides of ['no', 'yes']) {
        await caller?.close();
        caller = await Caller.start({ behaviours: { 'lists-hide-unreadable': hides } });
        const readable = (await caller.createTrigger('ws-app', 'ws-network')).textAt('/data/id');
        const other = (await caller.createTrigger('ws-app', 'ws-docs')).textAt('/data/id');
        const seen = (await caller.listTriggers('ws-app', 'inbound', '', { token: 'builder' })).idsAt(
          '/data',
        );
        assert.deepEqual(seen.sort(), hides === 'yes' ? [readable] : [readable, other].sort());
        assert.equal((await caller.listTriggers('ws-app', 'inbound')).listAt('/data').length, 2);
        assert.equal((await caller.read(`/run-triggers/${other}`, { token: 'builder' })).status, 200);
      }
    },
  );

  proves(
    ['gap-eventual-delete', 'gap-second-delete'],
    'show what was deleted for a while where that is switched',
    async () => {
      const clock = new HandClock();
      caller = await Caller.start({ clock, behaviours: { 'delete-visible-ms': '500' } });
      const id = await caller.newClient({}, { projects: projects('prj-web') });
      const trigger = (await caller.createTrigger('ws-app', 'ws-network')).textAt('/data/id');
      assert.equal((await caller.send('DELETE', `/oauth-clients/${id}`)).status, 204);
      assert.equal((await caller.send('DELETE', `/run-triggers/${trigger}`)).status, 204);
      const seen = async () => [
        (await caller?.read(`/oauth-clients/${id}`))?.status,
        (await caller?.read(path))?.listAt('/data').length,
        (await caller?.read(`/run-triggers/${trigger}`))?.status,
        (await caller?.listTriggers('ws-network', 'outbound'))?.listAt('/data').length,
      ];
      clock.pass(499);
      // A deleted trigger lingers in lists only: that its Show may lag is known of no service.
      assert.deepEqual(await seen(), [200, 1, 404, 1]);
      assert.equal((await caller.send('DELETE', `/oauth-clients/${id}`)).status, 404);
      assert.equal((await caller.send('DELETE', `/run-triggers/${trigger}`)).status, 404);
      assert.equal((await caller.updateClient(id, { name: 'x' })).status, 404);
      clock.pass(1);
      assert.deepEqual(await seen(), [404, 0, 404, 0]);
    },
  );

  proves(
    ['gap-eventual-create', 'gap-duplicate-trigger'],
    'hide what is new for a while where that is switched',
    async () => {
      const clock = new HandClock();
      caller = await Caller.start({ clock, behaviours: { 'create-hidden-ms': '500' } });
      const id = await caller.newClient();
      const trigger = (await caller.createTrigger('ws-app', 'ws-network')).textAt('/data/id');
      const listed = async () => [
        (await caller?.read(path))?.listAt('/data').length,
        (await caller?.listTriggers('ws-app', 'inbound'))?.listAt('/data').length,
      ];
      clock.pass(499);
      assert.deepEqual(await listed(), [0, 0]);
      assert.equal((await caller.read(`/oauth-clients/${id}`)).status, 200);
      assert.equal((await caller.read(`/run-triggers/${trigger}`)).status, 200);
      assert.equal((await caller.createTrigger('ws-app', 'ws-network')).status, 422);
      clock.pass(1);
      assert.deepEqual(await listed(), [1, 1]);
    },
  );

  proves(
    ['list-triggers', 'trigger-links', 'trigger-meta', 'trigger-page-number', 'trigger-page-size'],
    'of triggers have links and counts on every page',
    async () => {
      const workspaces = Object.fromEntries(
        Array.from({ length: 45 }, (_unused, index) => [`ws-s${index}`, {}]),
      );
      const runTriggers = Object.fromEntries(
        Object.keys(workspaces).map((id, index) => [`rt-${index}`, { workspace: 'ws-app', sourceable: id }]),
      );
      caller = await Caller.start({ seed });
      caller.service.patchSeed({ organizations: { acme: { workspaces, runTriggers } } });
      const url = (page: number) =>
        `${caller?.service.url}/workspaces/ws-app/run-triggers?filter%5Brun-trigger%5D%5Btype%5D=inbound` +
        `&page%5Bnumber%5D=${page}&page%5Bsize%5D=20`;
      const ids = new Set<string>();
      for (const page of [1, 2, 3]) {
        const answer = await caller.listTriggers(
          'ws-app',
          'inbound',
          page === 1 ? '' : `&page[number]=${page}`,
        );
        const prev = page === 1 ? null : page - 1;
        const next = page === 3 ? null : page + 1;
        assert.deepEqual(answer.at('/links'), {
          self: url(page),
          first: url(1),
          prev: prev && url(prev),
          next: next && url(next),
          last: url(3),
        });
        assert.deepEqual(answer.at('/meta/pagination'), {
          'current-page': page,
          'page-size': 20,
          'prev-page': prev,
          'next-page': next,
          'total-pages': 3,
          'total-count': 45,
        });
        for (const id of answer.idsAt('/data')) ids.add(id);
      }
      assert.equal(ids.size, 45);
    },
  );

  proves(
    ['trigger-links', 'trigger-meta', 'gap-paged-clients'],
    'that fill their last page exactly have no page after it',
    async () => {
      caller = await withClients(40);
      const last = await caller.read(`${path}?page[number]=2`);
      assert.deepEqual([last.listAt('/data').length, last.at('/links/next')], [20, null]);
      assert.deepEqual(
        [last.at('/meta/pagination/total-pages'), last.at('/meta/pagination/next-page')],
        [2, null],
      );
      const empty = await caller.listTriggers('ws-app', 'inbound');
      assert.equal(empty.at('/meta/pagination/total-pages'), 1);
    },
  );

  it('keep every value of a repeated parameter in the links of their pages', async () => {
    caller = await withClients(3);
    const answer = await caller.read(`${path}?page[size]=2&x=1&x=2&y=a,b`);
    const { searchParams } = new URL(answer.textAt('/links/next'));
    assert.deepEqual([searchParams.getAll('x'), searchParams.getAll('y')], [['1', '2'], ['a,b']]);
  });

  it('name what was deleted and is seeded again once', async () => {
    caller = await withClients(1, { 'delete-visible-ms': '600000' });
    assert.equal((await caller.send('DELETE', '/oauth-clients/oc-0000')).status, 204);
    caller.service.patchSeed({
      organizations: {
        acme: {
          oauthClients: {
            'oc-0000': {
              serviceProvider: 'provider_a',
              httpUrl: 'https://a.example',
              apiUrl: 'https://a.example',
            },
          },
        },
      },
    });
    assert.deepEqual((await caller.read(path)).idsAt('/data'), ['oc-0000']);
  });
});
