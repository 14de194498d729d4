/** Repeatable chance. Only the seed decides the events of a course. */

/** Numbers, choices and orders that follow from a seed (the mulberry32 generator). */
export class Chance {
  #state: number;

  constructor(seed: number) {
    // Otherwise, neighbouring seeds would begin alike.
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

  /** Returns true with this probability. */
  often(probability: number): boolean {
    return this.next() < probability;
  }

  /** Picks one of the list, or returns undefined for an empty one. */
  maybe<Item>(list: readonly Item[]): Item | undefined {
    return list[this.below(list.length)];
  }

  /** Picks one of a list that is not empty. */
  pick<Item>(list: readonly [Item, ...Item[]] | readonly Item[]): Item {
    const item = list[this.below(list.length)];
    if (item === undefined && list.length === 0) throw new Error('nothing to choose from');
    return item as Item;
  }

  /** Picks some of the list in its order, each with the same probability. */
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

  /** Picks a choice by its weight. Returns undefined if all weights are 0. */
  weighed<Item>(choices: readonly (readonly [number, Item])[]): Item | undefined {
    let left = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, item] of choices) {
      left -= weight;
      if (left < 0 && weight > 0) return item;
    }
    return undefined;
  }
}
