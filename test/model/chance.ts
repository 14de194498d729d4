/** Chance that repeats itself: a course is its seed, and nothing else decides what happens in it. */

/** Numbers, choices and orders that follow from a seed (the mulberry32 generator). */
export class Chance {
  #state: number;

  constructor(seed: number) {
    // Neighbouring seeds begin alike without this.
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
    this.next();
    this.next();
  }

  /** From 0 up to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from 0 to `limit - 1`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** True that often, from 0 to 1. */
  often(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of the list; undefined for an empty one. */
  maybe<Item>(list: readonly Item[]): Item | undefined {
    return list[this.below(list.length)];
  }

  /** One of a list that is not empty. */
  pick<Item>(list: readonly [Item, ...Item[]] | readonly Item[]): Item {
    const item = list[this.below(list.length)];
    if (item === undefined && list.length === 0) throw new Error('nothing to choose from');
    return item as Item;
  }

  /** Some of the list, in its order: each with the same probability. */
  some<Item>(list: readonly Item[], probability = 0.5): Item[] {
    return list.filter(() => this.often(probability));
  }

  shuffled<Item>(list: readonly Item[]): Item[] {
    const left = [...list];
    for (let at = left.length - 1; at > 0; at -= 1) {
      const other = this.below(at + 1);
      const [one, two] = [left[at], left[other]];
      if (one !== undefined && two !== undefined) [left[at], left[other]] = [two, one];
    }
    return left;
  }

  /** One of the choices, each as often as its weight says; undefined when all weigh nothing. */
  weighed<Item>(choices: readonly (readonly [number, Item])[]): Item | undefined {
    let left = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, item] of choices) {
      left -= weight;
      if (left < 0 && weight > 0) return item;
    }
    return undefined;
  }
}
