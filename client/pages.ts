/** Complete lists of the API, while others may change them. */
import type { Perform } from './api';
import { BadAnswer, Invalid } from './errors';
import { isRecord, type Resource, readResources, recordOf, routeOf, Unreadable } from './json-api';

/** The largest size that services are known to accept. */
export const pageSize = 100;
const mostPasses = 3;

export interface List<Item> {
  path: readonly string[];
  query?: Readonly<Record<string, string>>;
  type: string;
  /** The list is asked for as one answer; it is read page by page where the service paginates it all the same. */
  unpaginated?: true;
  /** Throws `Unreadable`. */
  item: (resource: Resource) => Item;
}

/** Reads all of a list. It throws `BadAnswer` when the list changes during each of three passes. */
export type ReadList = <Item extends { readonly id: string }>(list: List<Item>) => Promise<readonly Item[]>;

interface Page<Item> {
  items: readonly Item[];
  totalCount: number;
  isLast: boolean;
}

export function createListReader(perform: Perform): ReadList {
  /** A service that refused our page size once is then asked without one. */
  let paging: Readonly<Record<string, string>> = { 'page[size]': String(pageSize) };
  const readNumbered = async <Item>(list: List<Item>, number: number): Promise<Page<Item>> => {
    const at = { 'page[number]': String(number) };
    try {
      return await readPage(perform, list, { ...at, ...paging });
    } catch (error) {
      const mayBeSize = error instanceof Invalid && [400, 422].includes(error.context.status ?? 0);
      if (!mayBeSize || number > 1 || !('page[size]' in paging)) throw error;
      const page = await readPage(perform, list, at);
      paging = {};
      return page;
    }
  };
  return async (list) => {
    if (list.unpaginated) {
      const { items, totalCount, isLast } = await readPage(perform, list, {});
      if (isLast && new Set(items.map(({ id }) => id)).size === totalCount) return items;
    }
    for (let pass = 0; pass < mostPasses; pass += 1) {
      const items = await readPass((number) => readNumbered(list, number));
      if (items !== null) return items;
    }
    const route = routeOf(list.path);
    const text = `the list changed during each of ${mostPasses} readings, or its pages contradict its count`;
    const context = { method: 'GET', route, status: 200, attempts: mostPasses, details: [] };
    throw new BadAnswer(`GET ${route}: ${text}: try again when fewer changes are made`, 'ambiguous', context);
  };
}

/** Null where items may have been missed: an id repeats, or the number of items differs from what each page says. */
async function readPass<Item extends { readonly id: string }>(
  readNumbered: (number: number) => Promise<Page<Item>>,
): Promise<readonly Item[] | null> {
  const items = new Map<string, Item>();
  let total: number | undefined;
  for (let number = 1, read = 0; ; number += 1) {
    const page = await readNumbered(number);
    total ??= page.totalCount;
    read += page.items.length;
    for (const item of page.items) items.set(item.id, item);
    // The count must hold for all pages: after a delete a later page starts one item too late.
    if (page.totalCount !== total || items.size < read || read > total) return null;
    if (page.isLast) return read === total ? [...items.values()] : null;
    if (page.items.length === 0) return null;
  }
}

function readPage<Item>(
  perform: Perform,
  { path, query, type, unpaginated, item }: List<Item>,
  paging: Readonly<Record<string, string>>,
): Promise<Page<Item>> {
  return perform({
    method: 'GET',
    path,
    query: { ...query, ...paging },
    read: (document) => {
      const items = readResources(document, type).map(item);
      const pagination = readPagination(document);
      if (pagination !== null) return { items, ...pagination };
      if (!unpaginated) throw new Unreadable('meta.pagination is missing, so the list may not be whole');
      return { items, totalCount: items.length, isLast: true };
    },
  });
}

/** Null where the document has no `meta.pagination`. */
function readPagination(document: unknown): { totalCount: number; isLast: boolean } | null {
  const { pagination } = recordOf(recordOf(document).meta);
  if (!isRecord(pagination)) return null;
  const { 'total-count': totalCount, 'next-page': next = null } = pagination;
  if (typeof totalCount !== 'number' || !Number.isSafeInteger(totalCount) || totalCount < 0) {
    throw new Unreadable('meta.pagination.total-count is not a count');
  }
  if (next !== null && typeof next !== 'number') {
    throw new Unreadable('meta.pagination.next-page is neither a number nor null');
  }
  return { totalCount, isLast: next === null };
}
