// What one running service consists of, apart from its sockets: records, switches and profile, time and chance.

import type { Behaviours } from './behaviours';
import type { Clock, IdSource } from './machine';
import type { Profile } from './profile';
import type { Visibility } from './rules/lists';
import type { Store } from './store/store';

/** Everything the rules work with. */
export interface World {
  readonly store: Store;
  readonly behaviours: Behaviours;
  readonly profile: Profile;
  readonly clock: Clock;
  readonly newId: IdSource;
  /** A number from 0 up to 1, as Math.random gives. */
  readonly random: () => number;
  readonly visibility: Visibility;
  /** Aborts when the service closes, so that no wait outlives it. */
  readonly closing: AbortSignal;
  /** Takes a sentence about what went wrong inside, which an answer does not say. */
  readonly warn: (sentence: string) => void;
}
