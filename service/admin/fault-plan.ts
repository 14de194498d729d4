// Decides which request is hit by which fault; the same faults and requests give the same hits every time.

import type { FaultSpec } from './fault';
import { seededChance } from './seeded-chance';

interface Armed {
  readonly spec: FaultSpec;
  readonly chance: () => number;
  matched: number;
  hits: number;
}

/** The faults that are armed, in the order in which they were injected. */
export class FaultPlan {
  #armed: Armed[] = [];

  /** Arms faults; their counting starts now. */
  inject(specs: readonly FaultSpec[]): void {
    for (const spec of specs) {
      this.#armed.push({ spec, chance: seededChance(spec.seed ?? 1), matched: 0, hits: 0 });
    }
  }

  /** Disarms all faults. */
  clear(): void {
    this.#armed = [];
  }

  /** The fault that hits this request: the first armed one that does. Every armed fault counts the request. */
  strike(method: string, route: string | null): FaultSpec | undefined {
    const hit = this.#armed.filter((armed) => applies(armed, method, route));
    const [first] = hit;
    if (first) first.hits += 1;
    return first?.spec;
  }
}

function applies(armed: Armed, method: string, route: string | null): boolean {
  const { spec } = armed;
  if (spec.method !== undefined && spec.method !== method) return false;
  if (spec.route !== undefined && spec.route !== route) return false;
  armed.matched += 1;
  const chosen = spec.probability === undefined || armed.chance() < spec.probability;
  const counted = spec.nth === undefined || armed.matched === spec.nth;
  return chosen && counted && armed.hits < (spec.times ?? Number.POSITIVE_INFINITY);
}
