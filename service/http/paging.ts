/** Implements pages and includes of lists, with their query parameters. */
import type { Behaviours } from '../behaviours';
import { matching } from '../schema';
import type { World } from '../world';
import type { Call } from './operation';

const defaultSize = 20;

/** The schema has a maximum only if the service refuses larger sizes. */
export function pagingQuery(behaviours: Behaviours) {
  const bound = behaviours['page-size-over'] === '422' ? { maximum: behaviours['page-size-max'] } : {};
  const number = { type: 'integer', minimum: 1 };
  return { 'page[number]': number, 'page[size]': { ...number, ...bound } };
}

export function pageOrAll<Item>(world: World, call: Call, items: readonly Item[]) {
  if ('page[number]' in call.query || 'page[size]' in call.query) return cutPage(world, call, items);
  return { items: inListOrder(world, items), members: {} };
}

/** A size over the maximum is clamped, unless the schema has refused it. */
export function cutPage<Item>(world: World, call: Call, items: readonly Item[]) {
  const {
    'page[number]': number = 1,
    'page[size]': requestedSize = defaultSize,
    ...otherParameters
  } = call.query;
  const current = Number(number);
  const size = Math.min(Number(requestedSize), world.behaviours['page-size-max']);
  const total = Math.max(1, Math.ceil(items.length / size));
  const previous = current > 1 ? Math.min(current - 1, total) : null;
  const next = current < total ? current + 1 : null;
  // A parameter that was sent several times is a list.
  const others = Object.entries(otherParameters).flatMap(([name, value]) =>
    [value].flat().map((item) => `${encodeURIComponent(name)}=${encodeURIComponent(String(item))}&`),
  );
  const url = `${call.url()}?${others.join('')}`;
  const link = (page: number) => `${url}page%5Bnumber%5D=${page}&page%5Bsize%5D=${size}`;
  const links = {
    self: link(current),
    first: link(1),
    prev: previous && link(previous),
    next: next && link(next),
    last: link(total),
  };
  const pagination = {
    'current-page': current,
    'page-size': size,
    'prev-page': previous,
    'next-page': next,
    'total-pages': total,
    'total-count': items.length,
  };
  const page = inListOrder(world, items).slice((current - 1) * size, current * size);
  return { items: page, members: { links, meta: { pagination } } };
}

function inListOrder<Item>({ behaviours, random }: World, items: readonly Item[]): readonly Item[] {
  if (behaviours['list-order'] === 'created') return items;
  const ranked = items.map((item) => ({ item, rank: random() }));
  return ranked.sort((left, right) => left.rank - right.rank).map(({ item }) => item);
}

export function includeQuery(names: string[]) {
  const name = `(${names.join('|')})`;
  const description = `any of ${names.join(', ')}, separated by commas`;
  return { include: matching(`^(${name}?,)*${name}?$`, description) };
}

export function readInclude({ query: { include } }: Call) {
  return new Set(typeof include === 'string' ? include.split(',').filter(Boolean) : []);
}
