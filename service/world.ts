/** The whole state of one running service, except its sockets. */
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
  /** The oldest requests are first. Above 100,000, the oldest are dropped. */
  requests: RequestRecord[];
  faults: ArmedFault[];
  /** Aborts when the service closes, so that no wait outlives it. */
  closing: AbortSignal;
  warn: (sentence: string) => void;
}
