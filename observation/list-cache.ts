/** What was read of lists, for all who ask. */
import type { OpenList, ReadApi, Reading } from '../client/api';
import { openedAsOne } from '../client/pages';
import type { ListItem, ListRef } from '../resources/kind';

/** A read of a list is shared by all who ask for `ttlMs`, unless own writes forget it. */
export class ListCache {
  /** How many more lists and objects are known to be needed, and how many more of them are read. */
  onReading: (needed: number, read: number) => void = () => {};
  readonly #opened = new Map<string, { since: number; list: Promise<OpenList<ListItem>> }>();

  /** `now`, in monotonic milliseconds, is for tests. */
  constructor(
    private readonly api: ReadApi,
    private readonly ttlMs = Number.POSITIVE_INFINITY,
    private readonly now = () => performance.now(),
  ) {}

  /** All of it, surely. Throws `ApiError`; errors are not kept. */
  async read(ref: ListRef): Promise<readonly ListItem[]> {
    return (await this.open(ref)).read('whole');
  }

  /** By its first page. Throws `ApiError`, as its reading does; errors are not kept. */
  open(ref: ListRef): Promise<OpenList<ListItem>> {
    const known = this.#opened.get(ref.name);
    if (known !== undefined && this.now() - known.since < this.ttlMs) return known.list;
    const forgetIfFailed = async <Result>(work: Promise<Result>): Promise<Result> => {
      try {
        return await work;
      } catch (error) {
        if (this.#opened.get(ref.name) === opened) this.forget(ref);
        throw error;
      }
    };
    const open = async () => {
      const list = await (ref.open?.(this.api) ?? ref.read(this.api).then(openedAsOne));
      return {
        get requests() {
          return list.requests;
        },
        left: list.left,
        read: (reading: Reading) => forgetIfFailed(list.read(reading)),
      };
    };
    const opened = { since: this.now(), list: forgetIfFailed(open()) };
    this.#opened.set(ref.name, opened);
    return opened.list;
  }

  /** Read, or being read. */
  has({ name }: ListRef): boolean {
    return this.#opened.has(name);
  }

  forget({ name }: ListRef): void {
    this.#opened.delete(name);
  }
}
