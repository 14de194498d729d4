// The query parameters of several lists: pages and includes. Orders a list and cuts it.

import type { Behaviours } from '../behaviours';
import { integer, object, orNull, type Schema, text } from '../schema';
import type { World } from '../world';
import type { Call } from './operation';

const defaultSize = 20;

/** The paging parameters. A maximum is stated only where a size over it is refused. */
export function pagingQuery(behaviours: Behaviours): Record<string, Schema> {
  const most = behaviours['page-size-over'] === '422' ? { maximum: behaviours['page-size-max'] } : {};
  return {
    'page[number]': { type: 'integer', minimum: 1, description: 'The first page when left out.' },
    'page[size]': { type: 'integer', minimum: 1, ...most, description: '20 when left out.' },
  };
}

const count = integer({ minimum: 0 });
const neighbour = orNull(integer({ minimum: 1 }));

/** The schemas of the members that a page has beside its data. */
export const pagingMembers = {
  links: object({ self: text, first: text, prev: orNull(text), next: orNull(text), last: text }),
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

interface Listed {
  readonly id: string;
  /** Projects and workspaces have no age here, so lists of them are by id. */
  readonly createdAt?: string;
}

/** All items in the order of lists or, where the query asks for a page, that page. */
export function pageOrAll<Item extends Listed>(world: World, call: Call, items: readonly Item[]) {
  const { query } = call.accepted();
  const asked = query['page[number]'] !== undefined || query['page[size]'] !== undefined;
  return asked ? pageOf(world, call, items) : { items: ordered(world, items), members: {} };
}

/** The page the query asks for. A size over the maximum is clamped, unless the route's schema has refused it. */
export function pageOf<Item extends Listed>(world: World, call: Call, items: readonly Item[]) {
  const { query } = call.accepted();
  const size = Math.min(Number(query['page[size]'] ?? defaultSize), world.behaviours['page-size-max']);
  const current = Number(query['page[number]'] ?? 1);
  const total = Math.max(1, Math.ceil(items.length / size));
  const previous = current > 1 ? Math.min(current - 1, total) : null;
  const next = current < total ? current + 1 : null;
  const link = (page: number | null) => (page === null ? null : pageUrl(call, page, size));
  const pagination = {
    'current-page': current,
    'page-size': size,
    'prev-page': previous,
    'next-page': next,
    'total-pages': total,
    'total-count': items.length,
  };
  return {
    items: ordered(world, items).slice((current - 1) * size, current * size),
    members: {
      links: {
        self: link(current),
        first: link(1),
        prev: link(previous),
        next: link(next),
        last: link(total),
      },
      meta: { pagination },
    },
  };
}

// Oldest first, then by id; or in another order at every request, as the switch says.
function ordered<Item extends Listed>({ behaviours, random }: World, items: readonly Item[]): Item[] {
  const chance = behaviours['list-order'] === 'random';
  const ranks = new Map(
    items.map((item) => [item, chance ? random() : `${item.createdAt ?? ''} ${item.id}`]),
  );
  return [...items].sort((one, other) => ((ranks.get(one) ?? 0) < (ranks.get(other) ?? 0) ? -1 : 1));
}

function pageUrl({ url, accepted }: Call, page: number, size: number): string {
  const kept = Object.entries(accepted().query).filter(
    ([name]) => name !== 'page[number]' && name !== 'page[size]',
  );
  // A parameter that came several times is a list.
  const repeated = kept.flatMap(([name, value]) => [value].flat().map((one) => [name, one]));
  const parameters = [...repeated, ['page[number]', page], ['page[size]', size]];
  const text = parameters.map((pair) => pair.map((part) => encodeURIComponent(String(part))).join('='));
  return `${url}?${text.join('&')}`;
}

/** The include parameter: names of `known`, separated by commas; empty means none. */
export function includeQuery(known: readonly string[]): Record<string, Schema> {
  const name = `(${known.join('|')})`;
  const description = `Any of ${known.join(', ')}.`;
  return { include: { type: 'string', pattern: `^(${name}?,)*${name}?$`, description } };
}

/** The names asked for, once the route's schema has refused unknown ones. */
export function readInclude(call: Call): ReadonlySet<string> {
  const { include } = call.accepted().query;
  return new Set(typeof include === 'string' ? include.split(',').filter((name) => name !== '') : []);
}
