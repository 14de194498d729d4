// One running service but for its sockets, and what readers see of its records.

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
  /** Takes a sentence about what went wrong inside. */
  warn: (sentence: string) => void;
}

type Listed = 'oauthClients' | 'runTriggers';

/** What readers see where they lag: for a while, deleted things too, and in lists no new ones. Writers use the store. */
export class Visibility {
  #deleted: { table: Listed; record: Tables[Listed]; until: number }[] = [];

  constructor(private readonly world: Pick<World, 'store' | 'behaviours' | 'clock'>) {}

  /** Keeps a removed record visible for as long as the switch says. */
  fade<Name extends Listed>(table: Name, record: Tables[Name]): void {
    const { behaviours, clock } = this.world;
    const milliseconds = behaviours['delete-visible-ms'];
    if (milliseconds > 0) this.#deleted.push({ table, record, until: clock.now() + milliseconds });
  }

  read<Name extends Listed>(table: Name, id: string) {
    return this.world.store.read(table, id) ?? this.#fading(table, 'id', id)[0];
  }

  list<Name extends Listed>(table: Name, member: string, value: string) {
    const { store, behaviours, clock } = this.world;
    const hidden = behaviours['create-hidden-ms'];
    const all = store.list(table, member, value);
    if (hidden === 0 && this.#deleted.length === 0) return all;
    const isShown = (created: string) => Date.parse(created) + hidden <= clock.now();
    const present = hidden === 0 ? all : all.filter(({ createdAt }) => isShown(createdAt));
    return [...present, ...this.#fading(table, member, value)];
  }

  clear(): void {
    this.#deleted = [];
  }

  #fading<Name extends Listed>(table: Name, member: string, value: string) {
    const { store, clock } = this.world;
    const now = clock.now();
    this.#deleted = this.#deleted.filter((one) => one.until > now && !store.read(one.table, one.record.id));
    return this.#deleted
      .filter((one) => one.table === table && Reflect.get(one.record, member) === value)
      .map(({ record }) => record as Tables[Name]);
  }
}
