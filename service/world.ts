/** One running service but for its sockets. */
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
  /** The oldest are first. Beyond 100,000 they are dropped. */
  requests: RequestRecord[];
  faults: ArmedFault[];
  /** Aborts when the service closes, so that no wait outlives it. */
  closing: AbortSignal;
  warn: (sentence: string) => void;
}
