// One running service but for its sockets.

import type { ArmedFault, RequestRecord } from './admin/faults';
import type { Behaviours } from './behaviours';
import type { Clock, IdSource } from './machine';
import type { Profile } from './profile';
import type { Store } from './store';

export interface World {
  store: Store;
  behaviours: Behaviours;
  profile: Profile;
  clock: Clock;
  newId: IdSource;
  random: () => number;
  /** The requests to the API since the last clearing, oldest first; beyond 100,000 the oldest are dropped. */
  requests: RequestRecord[];
  /** Oldest first. */
  faults: ArmedFault[];
  /** Aborts when the service closes, so that no wait outlives it. */
  closing: AbortSignal;
  /** Takes a sentence about what went wrong inside. */
  warn: (sentence: string) => void;
}
