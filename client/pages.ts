/** Reading a paginated list whole while others may change it. */
import { isRecord, Unreadable } from './document.js';
import { BadAnswer } from './errors.js';

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly totalCount: number;
  readonly last: boolean;
}

/** Collections of one list before giving up on a service or a list that does not stand still. */
const MOST_PASSES = 40;

/**
 * All items of a list, in the order of the last pass. One page is an atomic snapshot. Over several pages, a pass
 * can miss an item that was there all the time and still count right (one deleted, one added), so the whole is read
 * until two readings agree. Throws `BadAnswer` when they never do.
 */
export async function readAllPages<Item extends { readonly id: string }>(
  route: string,
  readPage: (number: number) => Promise<Page<Item>>,
): Promise<readonly Item[]> {
  let earlier: ReadonlyMap<string, Item> | null = null;
  let collected = new Map<string, Item>();
  for (let pass = 1; pass <= MOST_PASSES; pass += 1) {
    const read = await readPass(readPage, collected);
    if (read === 'snapshot') return [...collected.values()];
    if (read === 'changed') collected = new Map();
    if (read !== 'complete') continue;
    if (earlier !== null && sameIds(earlier, collected)) return [...collected.values()];
    earlier = collected;
    collected = new Map();
  }
  throw new BadAnswer(
    `GET ${route}: the list kept changing, or its pages contradict each other, over ${MOST_PASSES} readings: try again when fewer changes are made`,
    'ambiguous',
    { method: 'GET', route, status: 200, attempts: MOST_PASSES, details: [] },
  );
}

/** `partial`: no contradiction, but items repeat, as with a service that orders each page anew: read on. */
type Pass = 'snapshot' | 'complete' | 'partial' | 'changed';

async function readPass<Item extends { readonly id: string }>(
  readPage: (number: number) => Promise<Page<Item>>,
  collected: Map<string, Item>,
): Promise<Pass> {
  let total: number | null = null;
  for (let number = 1; ; number += 1) {
    const page = await readPage(number);
    if (total !== null && page.totalCount !== total) return 'changed';
    total = page.totalCount;
    for (const item of page.items) collected.set(item.id, item);
    if (collected.size > total) return 'changed';
    if (page.last) {
      if (collected.size < total) return page.items.length === 0 ? 'changed' : 'partial';
      return number === 1 && page.items.length === total ? 'snapshot' : 'complete';
    }
    if (page.items.length === 0 || number > total) return 'changed';
  }
}

function sameIds(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean {
  return one.size === other.size && [...one.keys()].every((id) => other.has(id));
}

/** `meta.pagination` of a list document; null when it has none, as an unpaginated list. */
export function readPagination(document: unknown): { totalCount: number; last: boolean } | null {
  const meta = isRecord(document) && isRecord(document.meta) ? document.meta : {};
  const pagination = meta.pagination;
  if (!isRecord(pagination)) return null;
  const totalCount = pagination['total-count'];
  const next = pagination['next-page'] ?? null;
  if (typeof totalCount !== 'number' || !Number.isSafeInteger(totalCount) || totalCount < 0) {
    throw new Unreadable('meta.pagination.total-count is not a count');
  }
  if (next !== null && typeof next !== 'number') {
    throw new Unreadable('meta.pagination.next-page is neither a number nor null');
  }
  return { totalCount, last: next === null };
}
