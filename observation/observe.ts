/** Makes one pass over the API. It reads the fewest lists, and then each expected object that they lack. */
import type { ReadApi } from '../client/api';
import { NotFound } from '../client/errors';
import { clientDefaults } from '../client/options';
import { pageSize } from '../client/pages';
import type { ListItem, ListRef } from '../resources/kind';
import { unlessNotFound } from '../resources/safe-calls';
import { chooseLists } from './choose-lists';
import {
  type Expectation,
  findObservation,
  itemsToShow,
  type ListResult,
  type Observation,
  type Observed,
  withShowResults,
} from './evidence';
import { ListCache } from './list-cache';

export interface ObservationNeeds {
  readonly expected: readonly Expectation[];
  /** Lists that an exact set or a check for possible matches needs. */
  readonly forced: readonly ListRef[];
}

/** A list that answers 404 is unreadable. Every other failure is thrown. */
export async function observe(
  api: ReadApi,
  needs: ObservationNeeds,
  cache = new ListCache(api),
): Promise<Observed> {
  const lists: Record<string, ListResult> = {};
  const read = async (ref: ListRef) => {
    try {
      lists[ref.name] = { state: 'read', ref, items: await cache.read(ref) };
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
      lists[ref.name] = { state: 'unreadable', ref, why: error.message };
    }
  };
  await inParallel(listsToRead(needs, cache), read);
  // The target's list may show a trigger whose source cannot be read. Without the target, it could not be deleted anyway.
  const targets = needs.expected.flatMap(({ definition, key }) => {
    const [first, ...others] = definition.listedIn(key);
    const isHidden = others.some(({ name }) => lists[name]?.state === 'unreadable');
    return first === undefined || lists[first.name] || !isHidden ? [] : [byName(first)];
  });
  await inParallel([...new Map(targets).values()], read);
  const observed: Observed = { address: api.address, now: api.serviceNow(), lists, shows: {} };
  const items = [...itemsToShow(observed, needs.expected)];
  if (items.length === 0) return observed;
  const results = new Map<string, { readonly ref: ListRef; readonly item: ListItem | null }>();
  await inParallel(items, async ([id, ref]) => {
    results.set(id, { ref, item: (await unlessNotFound(ref.readItem(api, id))) ?? null });
  });
  return withShowResults({ ...observed, now: api.serviceNow() }, results);
}

/** Looks for one object in the first of its lists that can be read. */
export async function observeObject(api: ReadApi, expected: Expectation, cache: ListCache) {
  let observation: Observation = { state: 'unknown', why: 'no list shows it' };
  for (const ref of expected.definition.listedIn(expected.key)) {
    const expectation = { ...expected, definition: { ...expected.definition, listedIn: () => [ref] } };
    const observed = await observe(api, { expected: [expectation], forced: [] }, cache);
    observation = findObservation(observed, expectation);
    if (observation.state !== 'unknown') break;
  }
  return observation;
}

/** Returns the forced and cached lists, and the fewest others that show every expected object. */
function listsToRead({ expected, forced }: ObservationNeeds, cache: ListCache): readonly ListRef[] {
  const refs = new Map<string, ListRef>();
  // Many objects share a list. Without this, each would keep a reference of its own.
  const share = (ref: ListRef): ListRef => {
    const firstRef = refs.get(ref.name);
    if (firstRef === undefined) refs.set(ref.name, ref);
    return firstRef ?? ref;
  };
  const listsByObject = expected.map(({ definition, key }) => definition.listedIn(key).map(share));
  const cached = listsByObject.flat().filter((ref) => cache.has(ref));
  const free = new Map([...forced, ...cached].map(byName));
  const counts = new Map<string, number>();
  for (const [index, lists] of listsByObject.entries()) {
    // A recorded object is a hint that the list has at least that many items.
    if (expected[index]?.id === undefined) continue;
    for (const { name } of lists) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const countPages = ({ name }: ListRef): number =>
    free.has(name) ? 0 : Math.ceil((counts.get(name) ?? 1) / pageSize);
  return [...new Map([...free, ...chooseLists(listsByObject, countPages).map(byName)]).values()];
}

function byName(ref: ListRef): readonly [string, ListRef] {
  return [ref.name, ref];
}

/** Works on as many items at once as a client may have in flight. It throws the first failure when all have ended. */
export async function inParallel<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  const waiting = items.values();
  const worker = async (): Promise<void> => {
    for (const item of waiting) {
      await work(item).catch((error: unknown) => failures.push(error));
      if (failures.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(clientDefaults.concurrency, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
}
