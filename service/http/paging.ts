// The query parameters that several lists take: pages and includes. Cuts a list into pages as the query asks.

import type { Behaviours } from '../behaviours';
import type { RefusalStatus } from '../rules/refusal';
import { integer, object, orNull, type Schema, text } from '../schema';
import type { World } from '../world';
import type { Call, Query } from './operation';

const defaultSize = 20;

/** The paging parameters. A maximum is stated only where a size over it is refused. */
export function pagingQuery(behaviours: Behaviours): Record<string, Schema> {
  const most = behaviours['page-size-over'] === '422' ? { maximum: behaviours['page-size-max'] } : {};
  return {
    'page[number]': { type: 'integer', minimum: 1, description: 'The first page when left out.' },
    'page[size]': { type: 'integer', minimum: 1, ...most, description: '20 when left out.' },
  };
}

/** The statuses with which a list in pages refuses. */
export function pagingRefusals(behaviours: Behaviours): RefusalStatus[] {
  return behaviours['page-size-over'] === '422' ? [400, 404, 422] : [400, 404];
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

/** Whether the query asks for pages at all. */
export function asksForPages(query: Query): boolean {
  return query['page[number]'] !== undefined || query['page[size]'] !== undefined;
}

/** The page the query asks for; a size over the maximum is clamped (the route's schema refuses it where that is switched). */
export function pageOf<Item>({ behaviours }: World, call: Call, query: Query, items: readonly Item[]) {
  const most = behaviours['page-size-max'];
  const size = Math.min(whole(query['page[size]'], defaultSize), most);
  const current = whole(query['page[number]'], 1);
  const total = Math.max(1, Math.ceil(items.length / size));
  const previous = current > 1 ? Math.min(current - 1, total) : null;
  const next = current < total ? current + 1 : null;
  const link = (page: number | null) => (page === null ? null : pageUrl(call, query, page, size));
  return {
    items: items.slice((current - 1) * size, current * size),
    members: {
      links: {
        self: link(current),
        first: link(1),
        prev: link(previous),
        next: link(next),
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

function whole(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

function pageUrl({ origin, path }: Call, query: Query, page: number, size: number): string {
  const kept = Object.entries(query).filter(([name]) => name !== 'page[number]' && name !== 'page[size]');
  // A parameter that came several times is a list.
  const repeated = kept.flatMap(([name, value]) => [value].flat().map((one) => [name, one]));
  const parameters = [...repeated, ['page[number]', page], ['page[size]', size]];
  const text = parameters.map(
    ([name, value]) => `${encodeURIComponent(String(name))}=${encodeURIComponent(String(value))}`,
  );
  return `${origin}${path}?${text.join('&')}`;
}

/** The include parameter: names of `known`, separated by commas; empty means none. */
export function includeQuery(known: readonly string[]): Record<string, Schema> {
  const name = `(${known.join('|')})`;
  return {
    include: {
      type: 'string',
      pattern: `^(${name}?,)*${name}?$`,
      description: `Any of ${known.join(', ')}.`,
    },
  };
}

/** The names asked for, once the route's schema has refused unknown ones; empty means none. */
export function readInclude({ include }: Query): Set<string> {
  return new Set(typeof include === 'string' ? include.split(',').filter((name) => name !== '') : []);
}
