/** Lists that were read, or are being read, for those who ask again. */
import type { ReadApi } from '../client/api';
import type { ListItem, ListRef } from '../resources/kind';

type Items = readonly ListItem[];

/** A read of a list is shared by all who ask for `ttlMs`, unless own writes forget it. */
export class ListCache {
  /** For progress: how many more lists and objects are to be read, and how many more of them have been. */
  onReading: (needed: number, read: number) => void = () => {};
  readonly #reads = new Map<string, { readonly since: number; readonly items: Promise<Items> }>();

  /** `now`, in monotonic milliseconds, is for tests. */
  constructor(
    private readonly api: ReadApi,
    private readonly ttlMs = Number.POSITIVE_INFINITY,
    private readonly now = () => performance.now(),
  ) {}

  /** Throws `ApiError`; errors are not kept. */
  read(ref: ListRef): Promise<Items> {
    const known = this.#reads.get(ref.name);
    if (known !== undefined && this.#isFresh(known)) return known.items;
    const items = ref.read(this.api);
    const read = { since: this.now(), items };
    this.#reads.set(ref.name, read);
    items.catch(() => {
      if (this.#reads.get(ref.name) === read) this.forget(ref);
    });
    return items;
  }

  /** True for a list that is read, or being read. */
  has({ name }: ListRef): boolean {
    const known = this.#reads.get(name);
    return known !== undefined && this.#isFresh(known);
  }

  forget({ name }: ListRef): void {
    this.#reads.delete(name);
  }

  #isFresh({ since }: { readonly since: number }): boolean {
    return this.now() - since < this.ttlMs;
  }
}
