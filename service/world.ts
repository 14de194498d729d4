// One running service but for its sockets, and what readers see of its records.

import type { ArmedFault, RequestRecord } from './admin/faults';
import type { Behaviours } from './behaviours';
import type { Clock, IdSource } from './machine';
import type { Profile } from './profile';
import { inOrder, type Store, type Tables } from './store';

export interface World {
  store: Store;
  behaviours: Behaviours;
  profile: Profile;
  clock: Clock;
  newId: IdSource;
  random: () => number;
  visibility: Visibility;
  /** The requests to the API since the last clearing, oldest first; beyond 100,000 the oldest are dropped. */
  requests: RequestRecord[];
  /** Oldest first. */
  faults: ArmedFault[];
  /** Aborts when the service closes, so that no wait outlives it. */
  closing: AbortSignal;
  /** Takes a sentence about what went wrong inside. */
  warn: (sentence: string) => void;
}

type Listed = 'oauthClients' | 'runTriggers';

/** What readers see where they lag: for a while still what was deleted, and in lists not yet what was created. Writers use the store. */
export class Visibility {
  #deleted: { table: Listed; record: Tables[Listed]; until: number }[] = [];

  constructor(private readonly world: Pick<World, 'store' | 'behaviours' | 'clock'>) {}

  /** Keeps a removed record visible for as long as the switch says. */
  fade<Name extends Listed>(table: Name, record: Tables[Name]): void {
    const until = this.world.clock.now() + this.world.behaviours['delete-visible-ms'];
    this.#deleted.push({ table, record, until });
  }

  read<Name extends Listed>(table: Name, id: string): Tables[Name] | undefined {
    return this.world.store.read(table, id) ?? this.#fading(table, 'id', id)[0];
  }

  list<Name extends Listed>(table: Name, member: string, value: string): readonly Tables[Name][] {
    const present = this.world.store.list(table, member, value).filter((record) => this.#isShown(record));
    const fading = this.#fading(table, member, value);
    return fading.length > 0 ? inOrder([...present, ...fading]) : present;
  }

  clear(): void {
    this.#deleted = [];
  }

  #isShown({ createdAt }: Tables[Listed]) {
    const hiddenMs = this.world.behaviours['create-hidden-ms'];
    return hiddenMs === 0 || Date.parse(createdAt) + hiddenMs <= this.world.clock.now();
  }

  #fading<Name extends Listed>(table: Name, member: string, value: string) {
    const { store, clock } = this.world;
    this.#deleted = this.#deleted.filter(
      (one) => one.until > clock.now() && !store.read(one.table, one.record.id),
    );
    const matching = this.#deleted.filter((one) => Reflect.get(one.record, member) === value);
    return matching.filter((one) => one.table === table).map(({ record }) => record as Tables[Name]);
  }
}
