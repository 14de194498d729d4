/** Lists of several pages: which passes count, and how often a list is read again. */
import assert from 'node:assert/strict';
import type { Perform } from '../../client/api';
import { BadAnswer } from '../../client/errors';
import { createListReader } from '../../client/pages';
import { json, refusal } from '../support/scripted-server';
import { scriptedWire } from '../support/scripted-wire';
import { pageDocument, runTriggerResource } from '../support/wire-documents';

/** A page: its items, and what it says of the whole list. */
type Served = readonly [ids: readonly string[], total: number, more?: 'more'];

/** Serves these answers in order, and the last one for ever. */
function serving(pages: readonly Served[]) {
  const asked: (string | undefined)[] = [];
  const perform: Perform = async ({ query, read }) => {
    const [ids, total, more] = pages[Math.min(asked.length, pages.length - 1)] ?? [[], 0];
    asked.push(query?.['page[number]']);
    const pagination = { 'total-count': total, 'next-page': more === undefined ? null : asked.length + 1 };
    return read({ data: ids.map((id) => ({ id, type: 'things' })), meta: { pagination } });
  };
  const read = createListReader(perform);
  return {
    asked,
    read: () => read({ path: ['things'], type: 'things', item: ({ id }) => ({ id }) }),
  };
}

describe('lists of several pages', () => {
  const whole: readonly Served[] = [
    [['a', 'b'], 3, 'more'],
    [['c'], 3],
  ];
  for (const [what, bad] of [
    ['an id repeats', [[['a', 'b'], 3, 'more'] as const, [['b'], 3] as const]],
    ['an item of the count is missing', [[['a', 'b'], 4, 'more'] as const, [['c'], 4] as const]],
    ['there are more items than its count', [[['a', 'b', 'c'], 2, 'more'] as const]],
    ['a page says another count', [[['a', 'b'], 3, 'more'] as const, [['c'], 4] as const]],
    // An item of the first page was deleted, so the second begins one too late; ids and count agree.
    ['the count changed between its pages', [[['a', 'b'], 4, 'more'] as const, [['d'], 3] as const]],
    [
      'a page is empty though more should follow',
      [[['a', 'b'], 3, 'more'] as const, [[], 3, 'more'] as const],
    ],
  ] as const satisfies readonly (readonly [string, readonly Served[]])[]) {
    it(`reads again when ${what}`, async () => {
      const service = serving([...bad, ...whole]);
      assert.deepEqual(
        (await service.read()).map(({ id }) => id),
        ['a', 'b', 'c'],
      );
      assert.equal(service.asked.length, bad.length + 2);
    });
  }

  it('gives up after three passes, and says why', async () => {
    const service = serving([[['a', 'a'], 2]]);
    await assert.rejects(service.read(), (error) => {
      assert.ok(error instanceof BadAnswer);
      assert.match(error.message, /^GET \/things: the list changed during each of 3 readings/);
      return true;
    });
    assert.equal(service.asked.length, 3);
  });

  it('stops in a list whose next page never ends', async () => {
    const first = Array.from({ length: 100 }, (_, index) => `id-${index}`);
    const later = Array.from({ length: 20 }, (_, index) => [[`more-${index}`], 150, 'more'] as const);
    const pass = [[first, 150, 'more'] as const, ...later.slice(1)];
    const service = serving([...pass, ...pass, ...pass]);
    await assert.rejects(service.read(), { name: 'BadAnswer' });
    // The count makes two pages as large as the first, and three passes read ten times as many.
    assert.equal(service.asked.length, 3 * 10 * 2);
  });

  it('reads a list in pages that are far smaller than asked for', async () => {
    const pages = Array.from({ length: 75 }, (_, index) => {
      const ids = [`id-${index}-a`, `id-${index}-b`];
      return index < 74 ? ([ids, 150, 'more'] as const) : ([ids, 150] as const);
    });
    assert.equal((await serving(pages).read()).length, 150);
  });

  for (const [what, pagination] of [
    ['a count', { 'total-count': '3', 'next-page': null }],
    ['a count', { 'total-count': 1_000_001, 'next-page': 2 }],
    ['a count', { 'total-count': -1, 'next-page': null }],
    ['neither a number nor null', { 'total-count': 0, 'next-page': '2' }],
  ] as const) {
    it(`does not take ${JSON.stringify(pagination)} for pagination`, async () => {
      const perform: Perform = async ({ read }) => read({ data: [], meta: { pagination } });
      const list = createListReader(perform)({ path: ['x'], type: 'x', item: (item) => item });
      await assert.rejects(list, new RegExp(what));
    });
  }

  it('is not whole where a list without pages links to a next one', async () => {
    const perform: Perform = async ({ read }) => read({ data: [], links: { next: '/x?page=2' } });
    const read = createListReader(perform);
    const list = read({ path: ['x'], type: 'x', unpaginated: true, item: (item) => item });
    await assert.rejects(list, /may not be whole/);
  });

  describe('and their size', () => {
    const wire = scriptedWire();
    const good = json(200, pageDocument([runTriggerResource('rt-1')]));
    const list = () => client.runTriggers.list('ws-app', 'inbound');
    let client: ReturnType<typeof wire.client>;
    beforeEach(() => {
      client = wire.client();
    });
    const sizes = () => wire.server.arrived.map(({ url }) => url.includes('page%5Bsize%5D=100'));

    it('is left out where the service refuses ours, then and later', async () => {
      wire.server.script(refusal(422, 'page size'), good);
      assert.equal((await list()).length, 1);
      assert.equal((await list()).length, 1);
      assert.deepEqual(sizes(), [true, false, false]);
    });

    for (const refusals of [[refusal(403, 'forbidden')], [refusal(422, 'no'), refusal(422, 'no')]]) {
      it(`is kept where a list is refused for another reason (${refusals.length})`, async () => {
        wire.server.script(...refusals, good);
        await assert.rejects(list());
        assert.equal(wire.server.arrived.length, refusals.length);
        await list();
        assert.equal(sizes().at(-1), true);
      });
    }

    it('does not change in the middle of a list', async () => {
      wire.server.script(
        json(200, pageDocument([runTriggerResource('rt-1')], 1, 2, 2)),
        refusal(422, 'page'),
      );
      await assert.rejects(list(), { name: 'Invalid' });
      assert.equal(wire.server.arrived.length, 2);
    });
  });
});
