// Puts a list in the order in which the service gives it.

import type { World } from './world';

interface Dated {
  readonly id: string;
  readonly createdAt: string;
}

function byAge(one: Dated, other: Dated): number {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}

/** Oldest first, then by id; or in another order at every request, as the switch says. */
export function ordered<Item extends Dated>({ behaviours, random }: World, items: readonly Item[]): Item[] {
  if (behaviours['list-order'] === 'created') return [...items].sort(byAge);
  const chances = new Map(items.map((item) => [item, random()]));
  return [...items].sort((one, other) => (chances.get(one) ?? 0) - (chances.get(other) ?? 0));
}
