/** Shares each read of a list among all callers. */
import type { ReadApi } from '../client/api';
import type { Found, Key, ListItem, ListRef, ResourceDefinition } from '../resources/kind';

type Items = readonly ListItem[];

/** Keeps each read of a list for `ttlMs`, unless a write forgets it. */
export class ListCache {
  readonly #reads = new Map<string, { readonly since: number; readonly items: Promise<Items> }>();

  /** `now` returns monotonic milliseconds. Tests replace it. */
  constructor(
    private readonly api: ReadApi,
    private readonly ttlMs = Number.POSITIVE_INFINITY,
    private readonly now = () => performance.now(),
  ) {}

  /** Rejects with `ApiError`. Errors are not kept. */
  read(ref: ListRef): Promise<Items> {
    const cachedRead = this.#reads.get(ref.name);
    if (cachedRead !== undefined && this.#isFresh(cachedRead)) return cachedRead.items;
    const items = ref.read(this.api);
    const read = { since: this.now(), items };
    this.#reads.set(ref.name, read);
    items.catch(() => {
      if (this.#reads.get(ref.name) === read) this.forget(ref);
    });
    return items;
  }

  /** True if the list was read or is being read. */
  has({ name }: ListRef): boolean {
    const cachedRead = this.#reads.get(name);
    return cachedRead !== undefined && this.#isFresh(cachedRead);
  }

  /** Finds the objects with this key in one of their lists, preferably in one that was read already. */
  async find(definition: ResourceDefinition, key: Key): Promise<readonly Found[]> {
    const refs = definition.listedIn(key);
    const ref = refs.find((list) => this.has(list)) ?? refs[0];
    return ref === undefined ? [] : definition.find(await this.read(ref), key);
  }

  forget(...refs: readonly ListRef[]): void {
    for (const { name } of refs) this.#reads.delete(name);
  }

  #isFresh({ since }: { readonly since: number }): boolean {
    return this.now() - since < this.ttlMs;
  }
}
