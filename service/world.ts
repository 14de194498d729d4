// One running service apart from its sockets, and what readers see of its records.

import type { Behaviours } from './behaviours';
import type { Clock, IdSource } from './machine';
import type { Profile } from './profile';
import type { Tables } from './store/records';
import type { Store } from './store/store';

export interface World {
  store: Store;
  behaviours: Behaviours;
  profile: Profile;
  clock: Clock;
  newId: IdSource;
  random: () => number;
  visibility: Visibility;
  /** Aborts when the service closes, so that no wait outlives it. */
  closing: AbortSignal;
  /** Takes a sentence about what went wrong inside, which an answer does not say. */
  warn: (sentence: string) => void;
}

type Listed = 'oauthClients' | 'runTriggers';

/**
 * What readers see where lists lag: for a while, what was deleted stays visible and what was created stays out of lists.
 * Writers look into the store, so a second delete finds nothing.
 */
export class Visibility {
  #deleted: { table: Listed; record: Tables[Listed]; until: number }[] = [];

  constructor(
    private readonly store: Store,
    private readonly behaviours: Behaviours,
    private readonly clock: Clock,
  ) {}

  /** Lets readers see a removed record for as long as the switch says. */
  fade<Name extends Listed>(table: Name, record: Tables[Name]): void {
    const milliseconds = this.behaviours['delete-visible-ms'];
    if (milliseconds > 0) this.#deleted.push({ table, record, until: this.clock.now() + milliseconds });
  }

  read<Name extends Listed>(table: Name, id: string): Tables[Name] | undefined {
    return this.store.read(table, id) ?? this.#fading(table, 'id', id)[0];
  }

  /** What a list shows of those whose indexed `member` has that value. */
  list<Name extends Listed>(table: Name, member: string, value: string): Tables[Name][] {
    const hidden = this.behaviours['create-hidden-ms'];
    const isShown = (created: string) => hidden === 0 || Date.parse(created) + hidden <= this.clock.now();
    const present = this.store.list(table, member, value).filter(({ createdAt }) => isShown(createdAt));
    return [...present, ...this.#fading(table, member, value)];
  }

  /** For a store whose content was replaced. */
  clear(): void {
    this.#deleted = [];
  }

  #fading<Name extends Listed>(table: Name, member: string, value: string): Tables[Name][] {
    const now = this.clock.now();
    this.#deleted = this.#deleted.filter(
      (one) => one.until > now && !this.store.read(one.table, one.record.id),
    );
    return this.#deleted
      .filter((one) => one.table === table && Reflect.get(one.record, member) === value)
      .map(({ record }) => record as Tables[Name]);
  }
}
