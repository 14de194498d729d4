/** Lists that are read while they change: whole, or not at all. */
import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { BadAnswer } from '../../client/errors';
import { openPages, type Page, readPagination } from '../../client/pages';

interface Item {
  readonly id: string;
}

const items = (...ids: (number | string)[]): Item[] => ids.map((id) => ({ id: String(id) }));
const upTo = (count: number) => items(...Array.from({ length: count }, (_, index) => index));

/** A page of a list as it is right now. */
function page(list: readonly Item[], number: number, size: number): Page<Item> {
  const start = (number - 1) * size;
  const last = start + size >= list.length;
  return { items: list.slice(start, start + size), totalCount: list.length, last };
}

/** Answers one request after the other from a script of pages; counts them. */
function scripted(...pages: Page<Item>[]) {
  const asked: number[] = [];
  const read = async (number: number): Promise<Page<Item>> => {
    asked.push(number);
    const next = pages[asked.length - 1];
    assert.ok(next !== undefined, `request ${asked.length} (page ${number}) was not expected`);
    return next;
  };
  return { read, asked };
}

const readAllPages = async (route: string, read: (number: number) => Promise<Page<Item>>) =>
  (await openPages(route, read)).read('whole');

const ids = (list: readonly Item[]) => list.map(({ id }) => id);

describe('reading all pages', () => {
  it('takes one page as it is: it is an atomic snapshot', async () => {
    const { read, asked } = scripted(page(upTo(3), 1, 20));
    assert.deepEqual(ids(await readAllPages('/list', read)), ['0', '1', '2']);
    assert.deepEqual(asked, [1]);
  });

  it('takes an empty list as it is', async () => {
    const { read } = scripted(page([], 1, 20));
    assert.deepEqual(await readAllPages('/list', read), []);
  });

  it('reads several pages until two readings agree', async () => {
    const asked: number[] = [];
    const read = async (number: number) => {
      asked.push(number);
      return page(upTo(5), number, 2);
    };
    assert.deepEqual(ids(await readAllPages('/list', read)), ['0', '1', '2', '3', '4']);
    assert.deepEqual(asked, [1, 2, 3, 1, 2, 3]);
  });

  it('does not lose an item that slips to an earlier page while the count stays the same', async () => {
    const before = items(0, 1, 2, 3);
    const after = items(1, 2, 3, 4);
    const { read, asked } = scripted(
      page(before, 1, 2),
      // Here 0 goes and 4 comes: this pass sees 0, 1, 3, 4, four of four, without 2.
      page(after, 2, 2),
      ...[1, 2, 1, 2].map((number) => page(after, number, 2)),
    );
    assert.deepEqual(ids(await readAllPages('/list', read)), ['1', '2', '3', '4']);
    assert.equal(asked.length, 6);
  });

  it('starts again when the count changes between two pages', async () => {
    const { read } = scripted(
      page(upTo(4), 1, 2),
      page(upTo(5), 2, 2),
      ...[1, 2, 3, 1, 2, 3].map((number) => page(upTo(5), number, 2)),
    );
    assert.equal((await readAllPages('/list', read)).length, 5);
  });

  it('starts again when it has seen more than there are', async () => {
    const four = items('x', 'y', 0, 1);
    const { read, asked } = scripted(
      page(items(0, 1, 2, 3), 1, 2),
      page(items('x', 0, 1, 2), 2, 2),
      ...[1, 1, 2, 1, 2].map((number) => page(four, number, 2)),
    );
    assert.deepEqual(ids(await readAllPages('/list', read)), ids(four));
    assert.deepEqual(asked, [1, 2, 1, 1, 2, 1, 2]);
  });

  it('takes a list that shrank to one page as it is, without what it saw before', async () => {
    const { read } = scripted(
      page(items('a', 'b', 'c'), 1, 2),
      page(items('x', 'a', 'b'), 2, 2),
      page(items('a', 'b'), 1, 2),
    );
    assert.deepEqual(ids(await readAllPages('/list', read)), ['a', 'b']);
  });

  it('gives up on a single page that contradicts its own count', async () => {
    for (const wrong of [
      { items: upTo(2), totalCount: 3, last: true },
      { items: upTo(3), totalCount: 2, last: true },
    ]) {
      const { read, asked } = scripted(wrong, wrong, wrong);
      await assert.rejects(readAllPages('/list', read), (error) => {
        assert.ok(error instanceof BadAnswer);
        assert.match(error.message, /^GET \/list: the list kept changing, or its pages contradict its count/);
        return true;
      });
      assert.equal(asked.length, 3);
    }
  });

  it('gives up on a list that never stands still', async () => {
    let requests = 0;
    const read = async (number: number): Promise<Page<Item>> => {
      requests += 1;
      return { ...page(upTo(4), number, 2), totalCount: 4 + (requests % 2) };
    };
    await assert.rejects(readAllPages('/list', read), BadAnswer);
    assert.equal(requests, 80);
  });

  for (const [name, endless] of Object.entries({
    'without content': async () => ({ items: [], totalCount: 5, last: false }),
    'that repeat': async () => ({ items: upTo(2), totalCount: 5, last: false }),
    'that go on beyond the count': async (number: number) => ({
      items: items(`${number}a`, `${number}b`),
      totalCount: 5,
      last: false,
    }),
  })) {
    it(`gives up on pages without end ${name}`, async () => {
      await assert.rejects(readAllPages('/list', endless), BadAnswer);
    });
  }

  const endless: readonly (readonly [string, number, (number: number) => number])[] = [
    ['each with one new item, of a count beyond all pages', 1, () => 1_000_000],
    ['each with one new item, of a count that grows', 3001, (number) => number + 1],
    ['each with one new item, of a count that cannot be read twice', 1, () => 1_501],
    ['each with one new item, of a count that is never reached', 3001, () => 1_499],
  ];
  for (const [name, most, totalOf] of endless) {
    it(`gives up after a bounded number of pages without end, ${name}`, async () => {
      let asked = 0;
      const read = async (number: number): Promise<Page<Item>> => {
        asked += 1;
        return { items: items(`new-${asked}`), totalCount: totalOf(number), last: false };
      };
      await assert.rejects(readAllPages('/list', read), (error) => {
        assert.ok(error instanceof BadAnswer);
        assert.match(
          error.message,
          /^GET \/list: the list (has no end, or more than 1500 pages|kept changing)/,
        );
        return true;
      });
      assert.ok(asked <= most, String(asked));
    });
  }

  it('reads a list whole that the service orders anew for each request', async () => {
    const random = fc.sample(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
      numRuns: 200_000,
      seed: 7,
    });
    let next = 0;
    const read = async (number: number) => {
      const shuffled = upTo(60)
        .map((item) => ({ item, order: random[next++ % random.length] ?? 0 }))
        .sort((one, other) => one.order - other.order)
        .map(({ item }) => item);
      return page(shuffled, number, 20);
    };
    const read60 = ids(await readAllPages('/list', read));
    assert.deepEqual(new Set(read60), new Set(ids(upTo(60))));
  });

  it('never misses an item that was there all the time, whatever else changes (property)', async () => {
    const changes = fc.array(
      fc.array(fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constant('add' as const)), { maxLength: 2 }),
      {
        maxLength: 12,
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 12 }), changes, async (count, script) => {
        // Names that start with "stable" are never removed; the changes take and add others between two requests.
        let list: Item[] = upTo(count).flatMap(({ id }) => items(`fleeting-${id}`, `stable-${id}`));
        let request = 0;
        const read = async (number: number) => {
          for (const change of script[request] ?? []) {
            const fleeting = list.filter(({ id }) => id.startsWith('fleeting'));
            const gone = change === 'add' ? undefined : fleeting[change % Math.max(1, fleeting.length)];
            list =
              gone === undefined
                ? [...list, { id: `fleeting-new-${request}-${list.length}` }]
                : list.filter((item) => item !== gone);
          }
          request += 1;
          return page(list, number, 3);
        };
        const seen = new Set(ids(await readAllPages('/list', read)));
        for (const { id } of list) if (id.startsWith('stable')) assert.ok(seen.has(id), `${id} is missing`);
      }),
      { numRuns: 2000, verbose: false },
    );
  });
});

describe('pagination of a document', () => {
  const meta = (pagination: unknown) => ({ data: [], meta: { pagination } });

  it('is null where there is none', () => {
    for (const document of [undefined, null, [], {}, { meta: null }, { meta: {} }, meta(null), meta([])]) {
      assert.equal(readPagination(document), null);
    }
  });

  it('tells the count and whether it is the last page', () => {
    assert.deepEqual(readPagination(meta({ 'total-count': 3, 'next-page': null })), {
      totalCount: 3,
      last: true,
    });
    assert.deepEqual(readPagination(meta({ 'total-count': 3 })), { totalCount: 3, last: true });
    assert.deepEqual(readPagination(meta({ 'total-count': 3, 'next-page': 2, 'page-size': 2 })), {
      totalCount: 3,
      last: false,
    });
  });

  it('is unreadable when it holds something else', () => {
    for (const wrong of [
      {},
      { 'total-count': '3' },
      { 'total-count': -1 },
      { 'total-count': 1.5 },
      { 'total-count': 3, 'next-page': '2' },
    ]) {
      assert.throws(() => readPagination(meta(wrong)), /meta\.pagination\.(total-count|next-page)/);
    }
  });
});
