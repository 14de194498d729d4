/** Lists: pages, sizes, ends, order, what is hidden, what lags behind. */
import assert from 'node:assert/strict';
import { seedClient } from '../support/acme';
import { Caller, projects } from '../support/api-caller';
import { HandClock } from '../support/hand-clock';

const path = '/organizations/acme/oauth-clients';

describe('lists', () => {
  const caller = Caller.startBeforeEach();

  function addClients(count: number, createdAt = '2026-01-01T00:00:00.000Z'): string[] {
    const ids = Array.from({ length: count }, (_, index) => `oc-${String(index).padStart(4, '0')}`);
    const oauthClients = Object.fromEntries(ids.map((id) => [id, seedClient({ createdAt })]));
    caller.service.patchSeed({ organizations: { acme: { oauthClients } } });
    return ids;
  }

  it('of clients are whole, without links and meta, where no page is asked for', async () => {
    const ids = addClients(120);
    const answer = await caller.read(path);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.idsAt('/data'), ids);
    assert.deepEqual(Object.keys(JSON.parse(answer.text)), ['data']);
  });

  const places: readonly (readonly [string, string])[] = [
    ['clients', `${path}?`],
    ['triggers', '/workspaces/ws-app/run-triggers?filter%5Brun-trigger%5D%5Btype%5D=inbound&'],
  ];
  for (const [what, place] of places) {
    it(`of ${what} have links and counts on every page, and past the last one`, async () => {
      addClients(45);
      const names = Array.from({ length: 45 }, (_, index) => `s${index}`);
      const workspaces = Object.fromEntries(names.map((name) => [`ws-${name}`, {}]));
      const triggers = names.map((name) => [`rt-${name}`, { workspace: 'ws-app', sourceable: `ws-${name}` }]);
      const runTriggers = Object.fromEntries(triggers);
      caller.service.patchSeed({ organizations: { acme: { workspaces, runTriggers } } });
      const url = (page: number | null) =>
        page && `${caller.service.url}${place}page%5Bnumber%5D=${page}&page%5Bsize%5D=20`;
      const ids = new Set<string>();
      for (const [page, prev, next] of [
        [1, null, 2],
        [2, 1, 3],
        [3, 2, null],
        [9, 3, null],
      ] as const) {
        const answer = await caller.read(`${place}page[number]=${page}`);
        const links = { self: url(page), first: url(1), prev: url(prev), next: url(next), last: url(3) };
        assert.deepEqual(answer.at('/links'), links);
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
    });

    it(`of ${what} refuse pages that are no positive whole numbers, by name`, async () => {
      for (const value of ['0', '-1', 'x', '', '1.5', '1e1', ' 1', '0x1', '1&page[size]=2&page[size]=3']) {
        const answer = await caller.read(`${place}page[size]=${value}`);
        assert.deepEqual([answer.status, ...answer.sources()], [400, 'page[size]'], value);
      }
      const both = await caller.read(`${place}page[number]=0&page[size]=x`);
      assert.deepEqual([both.status, ...both.sources()], [400, 'page[number]', 'page[size]']);
    });

    it(`of ${what} refuse a size over the maximum where that is switched`, async () => {
      await caller.restart({ behaviours: { 'page-size-over': '422', 'page-size-max': '3' } });
      const answer = await caller.read(`${place}page[size]=4`);
      assert.deepEqual([answer.status, ...answer.sources()], [422, 'page[size]']);
      assert.equal((await caller.read(`${place}page[size]=3`)).status, 200);
      assert.equal((await caller.read(`${place}page[number]=1`)).at('/meta/pagination/page-size'), 3);
    });
  }

  it('clamp a page size over 100, or over another maximum', async () => {
    addClients(120);
    for (const [size, given] of [
      ['100', 100],
      ['101', 100],
      ['9'.repeat(400), 100],
    ] as const) {
      const answer = await caller.read(`${path}?page[size]=${size}`);
      assert.deepEqual(
        [answer.listAt('/data').length, answer.at('/meta/pagination/page-size')],
        [given, given],
      );
    }
    await caller.restart({ behaviours: { 'page-size-max': '2' } });
    addClients(5);
    assert.equal((await caller.read(`${path}?page[size]=50`)).listAt('/data').length, 2);
  });

  it('that fill their last page exactly have no page after it, and one that is empty has one', async () => {
    addClients(40);
    const last = await caller.read(`${path}?page%5Bnumber%5D=2`);
    const page = [
      last.listAt('/data').length,
      last.at('/links/next'),
      last.at('/meta/pagination/total-pages'),
    ];
    assert.deepEqual(page, [20, null, 2]);
    assert.equal((await caller.listTriggers('ws-app', 'inbound')).at('/meta/pagination/total-pages'), 1);
  });

  it('are by age and then id, whatever the order of creation', async () => {
    const at = (day: number) => seedClient({ createdAt: `2026-01-0${day}T00:00:00.000Z` });
    const oauthClients = { 'oc-c': at(2), 'oc-b': at(2), 'oc-a': at(3), 'oc-d': at(1) };
    caller.service.patchSeed({ organizations: { acme: { oauthClients } } });
    assert.deepEqual((await caller.read(path)).idsAt('/data'), ['oc-d', 'oc-b', 'oc-c', 'oc-a']);
  });

  it('are shuffled at each request where that is switched', async () => {
    await caller.restart({ behaviours: { 'list-order': 'random' } });
    const ids = addClients(30);
    const [one, other] = [(await caller.read(path)).idsAt('/data'), (await caller.read(path)).idsAt('/data')];
    assert.notDeepEqual(one, other);
    assert.deepEqual([one.sort(), other.sort()], [ids, ids]);
  });

  for (const hides of ['no', 'yes']) {
    it(`show triggers of unreadable sources, unless hidden: ${hides}`, async () => {
      await caller.restart({ behaviours: { 'lists-hide-unreadable': hides } });
      const readable = (await caller.createTrigger('ws-app', 'ws-network')).textAt('/data/id');
      const other = (await caller.createTrigger('ws-app', 'ws-docs')).textAt('/data/id');
      const seen = await caller.listTriggers('ws-app', 'inbound', '', { token: 'builder' });
      assert.deepEqual(seen.idsAt('/data').sort(), hides === 'yes' ? [readable] : [readable, other].sort());
      assert.equal((await caller.listTriggers('ws-app', 'inbound')).listAt('/data').length, 2);
      assert.equal((await caller.read(`/run-triggers/${other}`, { token: 'builder' })).status, 200);
    });
  }

  /** Status of the client's Show, clients listed, status of the trigger's Show, triggers listed. */
  const seen = async (id: string, trigger: string) => [
    (await caller.read(`/oauth-clients/${id}`)).status,
    (await caller.read(path)).listAt('/data').length,
    (await caller.read(`/run-triggers/${trigger}`)).status,
    (await caller.listTriggers('ws-network', 'outbound')).listAt('/data').length,
  ];

  it('lose what was deleted at once, or later', async () => {
    for (const [lag, before] of [
      ['0', [404, 0, 404, 0]],
      // A deleted trigger lingers in lists only: that its Show may lag is known of no service.
      ['500', [200, 1, 404, 1]],
    ] as const) {
      const clock = new HandClock();
      await caller.restart({ clock, behaviours: { 'delete-visible-ms': lag } });
      const id = await caller.newClient({}, { projects: projects('prj-web') });
      const trigger = (await caller.createTrigger('ws-app', 'ws-network')).textAt('/data/id');
      for (const status of [204, 404]) {
        assert.equal((await caller.send('DELETE', `/oauth-clients/${id}`)).status, status);
        assert.equal((await caller.send('DELETE', `/run-triggers/${trigger}`)).status, status);
      }
      assert.equal((await caller.updateClient(id, { name: 'x' })).status, 404);
      clock.pass(499);
      assert.deepEqual(await seen(id, trigger), before);
      clock.pass(1);
      assert.deepEqual(await seen(id, trigger), [404, 0, 404, 0]);
    }
  });

  it('get what was created at once, or later', async () => {
    for (const [lag, before] of [
      ['0', [200, 1, 200, 1]],
      ['500', [200, 0, 200, 0]],
    ] as const) {
      const clock = new HandClock();
      await caller.restart({ clock, behaviours: { 'create-hidden-ms': lag } });
      const id = await caller.newClient();
      const trigger = (await caller.createTrigger('ws-app', 'ws-network')).textAt('/data/id');
      clock.pass(499);
      assert.deepEqual(await seen(id, trigger), before);
      // Writers are not fooled.
      assert.equal((await caller.createTrigger('ws-app', 'ws-network')).status, 422);
      assert.equal((await caller.changeProjects('POST', id, 'prj-web')).status, 204);
      clock.pass(1);
      assert.deepEqual(await seen(id, trigger), [200, 1, 200, 1]);
    }
  });
});
