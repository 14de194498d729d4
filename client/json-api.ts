/** Paths below the base URL: every part that comes from outside is encoded or refused. */

import { BadAnswer } from './errors';

/** `/one/two`, each part encoded. */
export function routeOf(path: readonly string[]): string {
  return path.map((part) => `/${encodeURIComponent(Buffer.from(part).toString())}`).join('');
}

/** The first part that no encoding makes safe. */
export function unsafePart(path: readonly string[]): string | undefined {
  // A URL parser reads `..` and `%2e%2e` alike as "one level up", and an empty part names the list above.
  return path.find((part) => part === '' || part === '.' || part === '..' || /\p{Cs}/u.test(part));
}

/** `?name=value&…` with `[` and `]` in names encoded, or nothing. */
export function queryString(query: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(query ?? {}).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

// Reading JSON:API documents: what the API promises is there or the answer is `Unreadable`; the rest is ignored.
/** The answer lacks what the API promises; `message` names the member. Never leaves the client. */
export class Unreadable extends Error {}

export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One resource of the expected type, with its attributes and relationships (empty where left out). */
export interface Resource {
  readonly id: string;
  readonly attributes: JsonRecord;
  readonly relationships: JsonRecord;
}

/** The primary resource of a document. */
export function readResource(document: unknown, type: string): Resource {
  return parseResource(isRecord(document) ? document.data : undefined, type, 'data');
}

/** The primary resources of a list document. */
export function readResources(document: unknown, type: string): Resource[] {
  const data = isRecord(document) ? document.data : undefined;
  if (!Array.isArray(data)) throw new Unreadable('data is not an array');
  return data.map((item: unknown, index) => parseResource(item, type, `data[${index}]`));
}

function parseResource(value: unknown, type: string, place: string): Resource {
  if (!isRecord(value)) throw new Unreadable(`${place} is not an object`);
  if (value.type !== type) throw new Unreadable(`${place}.type is not "${type}"`);
  if (typeof value.id !== 'string' || value.id === '') throw new Unreadable(`${place}.id is not a text`);
  return {
    id: value.id,
    attributes: isRecord(value.attributes) ? value.attributes : {},
    relationships: isRecord(value.relationships) ? value.relationships : {},
  };
}

/** An attribute that is always a text. */
export function textOf(resource: Resource, name: string): string {
  const value = resource.attributes[name];
  if (typeof value !== 'string') throw new Unreadable(`attributes.${name} of ${resource.id} is not a text`);
  return value;
}

/** An attribute that is a text or null; null too when left out. */
export function nullableTextOf(resource: Resource, name: string): string | null {
  return (resource.attributes[name] ?? null) === null ? null : textOf(resource, name);
}

/** The id a to-one relationship points to; null when it points nowhere or is left out. */
export function linkOf(resource: Resource, name: string): string | null {
  const linkage = linkageOf(resource, name);
  // `{}` is how the API's own tables write "none" for an agent pool.
  if (linkage === undefined || linkage === null || (isRecord(linkage) && Object.keys(linkage).length === 0)) {
    return null;
  }
  return idOf(linkage, resource, name);
}

/** The ids a to-many relationship points to; undefined when it is left out. */
export function linksOf(resource: Resource, name: string): string[] | undefined {
  const linkage = linkageOf(resource, name);
  if (linkage === undefined) return undefined;
  if (!Array.isArray(linkage))
    throw new Unreadable(`relationships.${name} of ${resource.id} is not an array`);
  return linkage.map((item: unknown) => idOf(item, resource, name));
}

/** A relationship without which the resource says nothing. */
export function required<Value>(value: Value | null | undefined, resource: Resource, name: string): Value {
  if (value === null || value === undefined) {
    throw new Unreadable(`relationships.${name} of ${resource.id} is missing`);
  }
  return value;
}

function linkageOf(resource: Resource, name: string): unknown {
  const relationship = resource.relationships[name];
  return isRecord(relationship) ? relationship.data : undefined;
}

function idOf(linkage: unknown, resource: Resource, name: string): string {
  if (isRecord(linkage) && typeof linkage.id === 'string' && linkage.id !== '') return linkage.id;
  throw new Unreadable(`relationships.${name} of ${resource.id} holds no id`);
}

// Reading a paginated list whole while others may change it.
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly totalCount: number;
  readonly last: boolean;
}

/** Passes over one list before giving up on a list that does not stand still. */
const MOST_PASSES = 40;
/** Pages of one list over all passes: what takes longer to read is no list, but a service that always names one more. */
const MOST_PAGES = 3000;
/** Single pages that contradict their own count before giving up on the service. */
const MOST_CONTRADICTIONS = 3;

/**
 * All items of a list. One page is an atomic snapshot. Over several pages, a pass can miss an item that was there all
 * the time and still count right (one deleted, one added), so the whole is read until two readings agree. Throws
 * `BadAnswer` when they never do. `route` is for that error.
 */
export async function readAllPages<Item extends { readonly id: string }>(
  route: string,
  readPage: (number: number) => Promise<Page<Item>>,
): Promise<readonly Item[]> {
  let earlier: ReadonlyMap<string, Item> | null = null;
  let collected = new Map<string, Item>();
  let contradictions = 0;
  let pages = 0;
  const nextPage = async (number: number): Promise<Page<Item>> => {
    pages += 1;
    if (pages > MOST_PAGES) throw endless(route, pages);
    const page = await readPage(number);
    // Said at the first page already where its own count says so.
    if (!page.last && page.totalCount > Math.max(1, page.items.length) * MOST_PAGES)
      throw endless(route, pages);
    return page;
  };
  for (let pass = 1; pass <= MOST_PASSES; pass += 1) {
    const read = await readPass(nextPage, collected);
    if (read.state === 'snapshot') return read.items;
    if (read.state === 'partial') continue;
    if (read.state === 'complete') {
      if (earlier !== null && sameIds(earlier, collected)) return [...collected.values()];
      earlier = collected;
    }
    if (read.state === 'contradiction') contradictions += 1;
    if (contradictions === MOST_CONTRADICTIONS) throw unsteady(route, pass);
    collected = new Map();
  }
  throw unsteady(route, MOST_PASSES);
}

type Pass<Item> =
  | { readonly state: 'snapshot'; readonly items: readonly Item[] }
  /** `partial`: items repeat, as with a service that orders each page anew: read on. `changed`: start again. */
  | { readonly state: 'complete' | 'partial' | 'changed' | 'contradiction' };

/** Reads page after page into `collected`, which holds what earlier passes of the same reading saw. */
async function readPass<Item extends { readonly id: string }>(
  readPage: (number: number) => Promise<Page<Item>>,
  collected: Map<string, Item>,
): Promise<Pass<Item>> {
  const first = await readPage(1);
  const total = first.totalCount;
  if (first.last) {
    const whole = first.items.length === total && new Set(first.items.map(({ id }) => id)).size === total;
    return whole ? { state: 'snapshot', items: first.items } : { state: 'contradiction' };
  }
  for (let page = first, number = 1; ; ) {
    for (const item of page.items) collected.set(item.id, item);
    if (page.totalCount !== total || collected.size > total) return { state: 'changed' };
    if (page.last) return { state: collected.size === total ? 'complete' : 'partial' };
    // Pages without end or without content would be read for ever.
    if (page.items.length === 0 || number >= total) return { state: 'changed' };
    number += 1;
    page = await readPage(number);
  }
}

function sameIds(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean {
  return one.size === other.size && [...one.keys()].every((id) => other.has(id));
}

function unsteady(route: string, passes: number): BadAnswer {
  return new BadAnswer(
    `GET ${route}: the list kept changing, or its pages contradict its count, over ${passes} readings: try again when fewer changes are made`,
    'ambiguous',
    { method: 'GET', route, status: 200, attempts: passes, details: [] },
  );
}

function endless(route: string, pages: number): BadAnswer {
  return new BadAnswer(
    `GET ${route}: the list has no end, or more than ${MOST_PAGES} pages: the service may be broken`,
    'ambiguous',
    { method: 'GET', route, status: 200, attempts: pages, details: [] },
  );
}

/** `meta.pagination` of a list document; null when it has none, as an unpaginated list. */
export function readPagination(document: unknown): { totalCount: number; last: boolean } | null {
  const meta = isRecord(document) && isRecord(document.meta) ? document.meta : {};
  const { pagination } = meta;
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
