// Cuts a list into pages and describes them, as the query asks.

import type { World } from '../rules/world';
import type { Call } from './operation';

const defaultSize = 20;

/** One page of items with the members a paginated document has beside `data`. */
export interface Page<Item> {
  readonly items: Item[];
  readonly members: { readonly [member: string]: unknown };
}

type Query = Readonly<Record<string, unknown>>;

/** Whether the query asks for pages at all. */
export function asksForPages(query: Query): boolean {
  return query['page[number]'] !== undefined || query['page[size]'] !== undefined;
}

function whole(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

/** The page the query asks for; a size over the maximum is clamped (the route's schema refuses it where that is switched). */
export function pageOf<Item>(
  { behaviours }: World,
  call: Call,
  query: Query,
  items: readonly Item[],
): Page<Item> {
  const most = behaviours['page-size-max'];
  const asked = whole(query['page[size]'], Math.min(defaultSize, most));
  const size = Math.min(asked, most);
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
