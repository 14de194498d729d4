// Pages and includes of lists: their query parameters, and what they do.

import type { Behaviours } from '../behaviours';
import { integer, matching, object, orNull, string } from '../schema';
import type { World } from '../world';
import type { Call } from './operation';

const defaultSize = 20;

/** A maximum is stated only where a size over it is refused. */
export function pagingQuery(behaviours: Behaviours) {
  const most = behaviours['page-size-over'] === '422' ? { maximum: behaviours['page-size-max'] } : {};
  return {
    'page[number]': { type: 'integer', minimum: 1, description: 'The first page when left out.' },
    'page[size]': { type: 'integer', minimum: 1, ...most, description: `${defaultSize} when left out.` },
  };
}

const count = integer({ minimum: 0 });
const neighbour = orNull(integer({ minimum: 1 }));

export const pagingMembers = {
  links: object({ self: string, first: string, prev: orNull(string), next: orNull(string), last: string }),
  meta: object({
    pagination: object({
      'current-page': count,
      'page-size': count,
      'prev-page': neighbour,
      'next-page': neighbour,
      'total-pages': count,
      'total-count': count,
    }),
  }),
};

export function pageOrAll<Item extends object>(world: World, call: Call, items: readonly Item[]) {
  const isPaged = 'page[number]' in call.query || 'page[size]' in call.query;
  return isPaged ? pageOf(world, call, items) : { items: listed(world, items), members: {} };
}

/** A size over the maximum is clamped, unless the schema has refused it. */
export function pageOf<Item extends object>(world: World, call: Call, items: readonly Item[]) {
  const { 'page[number]': number = 1, 'page[size]': asked = defaultSize, ...kept } = call.query;
  const current = Number(number);
  const size = Math.min(Number(asked), world.behaviours['page-size-max']);
  const total = Math.max(1, Math.ceil(items.length / size));
  const previous = current > 1 ? Math.min(current - 1, total) : null;
  const next = current < total ? current + 1 : null;
  const url = urlWith(call.url(), kept);
  const link = (page: number) => `${url}page%5Bnumber%5D=${page}&page%5Bsize%5D=${size}`;
  return {
    items: listed(world, items).slice((current - 1) * size, current * size),
    members: {
      links: {
        self: link(current),
        first: link(1),
        prev: previous && link(previous),
        next: next && link(next),
        last: link(total),
      },
      meta: {
        pagination: {
          'current-page': current,
          'page-size': size,
          'prev-page': previous,
          'next-page': next,
          'total-pages': total,
          'total-count': items.length,
        },
      },
    },
  };
}

// By the list that the store gave, which is another one after each change: not sorted again for each page.
const sorted = new WeakMap<object, readonly object[]>();

// Oldest first and then by id, or in another order at every request, as the switch says.
function listed<Item extends object>({ behaviours, random }: World, items: readonly Item[]): readonly Item[] {
  if (behaviours['list-order'] === 'random') return ranked(items, random);
  const known = sorted.get(items) ?? ranked(items, rankOf);
  sorted.set(items, known);
  return known as readonly Item[];
}

function ranked<Item extends object>(items: readonly Item[], rank: (item: Item) => string | number) {
  const pairs = items.map((item) => ({ item, rank: rank(item) }));
  return pairs.sort((one, other) => (one.rank < other.rank ? -1 : 1)).map(({ item }) => item);
}

// Projects and workspaces have no age.
function rankOf({ createdAt = '', id }: { createdAt?: string; id?: string }): string {
  return `${createdAt} ${id}`;
}

/** Ready for more parameters. */
function urlWith(url: string, query: Call['query']) {
  // A parameter that came several times is a list.
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}&`),
  );
  return `${url}?${parameters.join('')}`;
}

export function includeQuery(known: string[]) {
  const name = `(${known.join('|')})`;
  const description = `any of ${known.join(', ')}, separated by commas`;
  return { include: matching(`^(${name}?,)*${name}?$`, description) };
}

export function readInclude({ query: { include } }: Call) {
  return new Set(typeof include === 'string' ? include.split(',').filter((name) => name !== '') : []);
}
