/** Lists of the API: which to read so that every object is shown by one of them, and each read once for all who ask. */
import type { ReadApi } from '../client/api';
import type { ListItem, ListRef } from '../resources/kind';

/**
 * Picks lists until every object of `wanted` (each given by the lists that would show it) is covered. `forced` lists
 * are read anyway and cover what they can first; then whichever list covers most of the rest. Deterministic.
 */
export function chooseLists(
  wanted: readonly (readonly ListRef[])[],
  forced: readonly ListRef[],
): readonly ListRef[] {
  const chosen = new Map<string, ListRef>();
  for (const ref of forced) chosen.set(ref.name, ref);
  for (const alternatives of wanted) {
    const only = alternatives.length === 1 ? alternatives[0] : undefined;
    if (only !== undefined) chosen.set(only.name, only);
  }
  const open = wanted
    .map((alternatives, index) => ({ index, alternatives }))
    .filter(
      ({ alternatives }) => alternatives.length > 0 && !alternatives.some((ref) => chosen.has(ref.name)),
    );
  const candidates = new Map<string, { ref: ListRef; objects: Set<number> }>();
  for (const { index, alternatives } of open) {
    for (const ref of alternatives) {
      const name = ref.name;
      const candidate = candidates.get(name) ?? { ref, objects: new Set() };
      candidate.objects.add(index);
      candidates.set(name, candidate);
    }
  }
  const byObject = new Map(open.map(({ index, alternatives }) => [index, alternatives]));
  while (byObject.size > 0) {
    const best = [...candidates.entries()].reduce((one, two) =>
      two[1].objects.size > one[1].objects.size ? two : one,
    );
    chosen.set(best[0], best[1].ref);
    for (const index of [...best[1].objects]) {
      for (const ref of byObject.get(index) ?? []) candidates.get(ref.name)?.objects.delete(index);
      byObject.delete(index);
    }
  }
  return [...chosen.values()];
}

/** A read-through cache: the first read of a list is shared by all who ask, own writes forget it. */
export interface ListCache {
  /** The list as it was read at most `ttlMs` ago, or as it is now. Throws `ApiError`; errors are not kept. */
  read(ref: ListRef): Promise<readonly ListItem[]>;
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
  const reads = new Map<string, { readonly since: number; readonly items: Promise<readonly ListItem[]> }>();
  return {
    read(ref) {
      const name = ref.name;
      const known = reads.get(name);
      if (known !== undefined && now() - known.since < ttlMs) return known.items;
      const read = { since: now(), items: ref.read(api) };
      reads.set(name, read);
      read.items.catch(() => {
        if (reads.get(name) === read) reads.delete(name);
      });
      return read.items;
    },
    forget: (ref) => {
      reads.delete(ref.name);
    },
    forgetAll: () => reads.clear(),
  };
}
