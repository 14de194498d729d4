/** A read-through cache of lists: the first read of a list is shared by all who ask, own writes forget it. */
import type { ReadApi } from '../client/api';
import { type ListContents, type ListRef, listName, readList } from '../resources/lists';

export interface ListCache {
  /** The list as it was read at most `ttlMs` ago, or as it is now. Throws `ApiError`; errors are not kept. */
  read(ref: ListRef): Promise<ListContents>;
  /** The next read of the list asks the service again. */
  forget(ref: ListRef): void;
  forgetAll(): void;
}

export interface ListCacheOptions {
  /** How long a list is shared, in milliseconds; without it, until it is forgotten. */
  readonly ttlMs?: number;
  /** Milliseconds, monotonic; for tests. */
  readonly now?: () => number;
}

/** Makes an empty cache over the API. */
export function createListCache(api: ReadApi, options: ListCacheOptions = {}): ListCache {
  const { ttlMs = Number.POSITIVE_INFINITY, now = () => performance.now() } = options;
  const reads = new Map<string, { readonly since: number; readonly contents: Promise<ListContents> }>();
  return {
    read(ref) {
      const name = listName(ref);
      const known = reads.get(name);
      if (known !== undefined && now() - known.since < ttlMs) return known.contents;
      const read = { since: now(), contents: readList(api, ref) };
      reads.set(name, read);
      read.contents.catch(() => {
        if (reads.get(name) === read) reads.delete(name);
      });
      return read.contents;
    },
    forget: (ref) => {
      reads.delete(listName(ref));
    },
    forgetAll: () => reads.clear(),
  };
}
