// Everything the rules work with: the records, the switches, the profile, time and chance.

import type { Behaviours } from '../behaviours';
import type { Clock } from '../clock';
import type { IdSource } from '../identifiers';
import type { Profile } from '../profile';
import type { Store } from '../store/store';
import type { Visibility } from './visibility';

/** What one running service consists of, apart from its sockets. */
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

/** The current instant as the API writes it: ISO 8601 with milliseconds. */
export function timestamp(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}
