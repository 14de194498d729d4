/** Reads complete lists of the API, even while others change them. */
import type { Perform } from './api';
import { BadAnswer, createError, Invalid, unanswered } from './errors';
import {
  isRecord,
  type JsonRecord,
  type Resource,
  readResources,
  toJsonRecord,
  toRoute,
  Unreadable,
} from './json-api';

/** The largest size that services are known to accept. */
export const pageSize = 100;
const maxPasses = 3;
/** A wrong count above this would make us ask without end. */
const maxItems = 1_000_000;
/** A list with so many times the pages that its first page and its count make has no end. */
const maxPagesFactor = 10;

interface Identified {
  readonly id: string;
}

export interface List<Item> {
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly type: string;
  /** The request asks for everything in one response. If the service still paginates it, it is read page by page. */
  readonly unpaginated?: true;
  /** Throws `Unreadable`. */
  readonly item: (resource: Resource) => Item;
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly totalCount: number;
  readonly isLast: boolean;
}

/** Returns a reader of whole lists. It throws `BadAnswer` if a list changes or contradicts itself in three passes. */
export function createListReader(perform: Perform) {
  /** After the service has refused this page size once, requests have none. */
  let size: Readonly<Record<string, string>> = { 'page[size]': String(pageSize) };
  const readNumbered = async <Item>(list: List<Item>, number: number): Promise<Page<Item>> => {
    const at = { 'page[number]': String(number) };
    try {
      return await readPage(perform, list, { ...at, ...size });
    } catch (error) {
      const mayBeSize = error instanceof Invalid && [400, 422].includes(error.context.status ?? 0);
      if (!mayBeSize || number > 1 || !('page[size]' in size)) throw error;
      const page = await readPage(perform, list, at);
      size = {};
      return page;
    }
  };
  return async <Item extends Identified>(list: List<Item>): Promise<readonly Item[]> => {
    if (list.unpaginated) {
      const items = await readPass(async () => readPage(perform, list, {}), 1);
      if (items !== null) return items;
    }
    for (let pass = 0; pass < maxPasses; pass += 1) {
      const items = await readPass((number) => readNumbered(list, number));
      if (items !== null) return items;
    }
    const text = `the list changed during each of ${maxPasses} readings, or its pages contradict its count`;
    throw createError(
      {
        ...unanswered(BadAnswer, 'ambiguous', `${text}: try again when fewer changes are made`),
        status: 200,
      },
      { method: 'GET', route: toRoute(list.path), attempts: maxPasses, uncertain: false },
    );
  };
}

/** Returns null if items may be missing: an id repeats, or the pages contradict their count, exceed `maxPages` or do not end. */
async function readPass<Item extends Identified>(
  readNumbered: (number: number) => Promise<Page<Item>>,
  maxPages = Number.POSITIVE_INFINITY,
): Promise<readonly Item[] | null> {
  const items = new Map<string, Item>();
  let total: number | undefined;
  let firstSize = 0;
  for (let [number, read] = [1, 0]; number <= maxPages; number += 1) {
    const page = await readNumbered(number);
    total ??= page.totalCount;
    firstSize ||= page.items.length;
    read += page.items.length;
    for (const item of page.items) items.set(item.id, item);
    // The count must be equal on all pages. After a delete, each later page would skip one item.
    if (page.totalCount !== total || items.size < read || read > total) return null;
    if (page.isLast) return read === total ? [...items.values()] : null;
    const isEndless = number >= maxPagesFactor * Math.ceil(total / firstSize);
    if (page.items.length === 0 || isEndless) return null;
  }
  return null;
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
      const { pagination } = toJsonRecord(toJsonRecord(document).meta);
      if (isRecord(pagination)) return { items, ...readPagination(pagination) };
      const { next = null } = toJsonRecord(toJsonRecord(document).links);
      if (!unpaginated || next !== null) {
        throw new Unreadable('meta.pagination is missing, so the list may not be whole');
      }
      return { items, totalCount: items.length, isLast: true };
    },
  });
}

function readPagination({ 'total-count': totalCount, 'next-page': next = null }: JsonRecord) {
  const isCount = typeof totalCount === 'number' && Number.isInteger(totalCount) && totalCount >= 0;
  if (!isCount || totalCount > maxItems) {
    throw new Unreadable(`meta.pagination.total-count is not a count up to ${maxItems}`);
  }
  if (next !== null && typeof next !== 'number') {
    throw new Unreadable('meta.pagination.next-page is neither a number nor null');
  }
  return { totalCount, isLast: next === null };
}
