// What lists and pages show of the records: in which order, and for how long they lag behind what was written.

import type { Behaviours } from '../behaviours';
import type { Clock } from '../machine';
import type { TableName, Tables } from '../store/records';
import type { Store } from '../store/store';

interface Dated {
  readonly id: string;
  readonly createdAt: string;
}

/** The tables whose records are created and deleted by callers. */
type LaggingTable = { [Name in TableName]: Tables[Name] extends Dated ? Name : never }[TableName];

/** Oldest first, then by id; or in another order at every request, as the switch says. */
export function ordered<Item extends Dated>(
  { behaviours, random }: { readonly behaviours: Behaviours; readonly random: () => number },
  items: readonly Item[],
): Item[] {
  if (behaviours['list-order'] === 'created') return [...items].sort(byAge);
  const chances = new Map(items.map((item) => [item, random()]));
  return [...items].sort((one, other) => (chances.get(one) ?? 0) - (chances.get(other) ?? 0));
}

function byAge(one: Dated, other: Dated): number {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}

/**
 * What readers see of records that lag: what was deleted stays visible, what was created stays out of lists, for a
 * while. Writers look into the store instead, so a second delete finds nothing.
 */
export class Visibility {
  readonly #deleted = new Map<TableName, Map<string, { record: Dated; until: number }>>();

  constructor(
    private readonly store: Store,
    private readonly behaviours: Behaviours,
    private readonly clock: Clock,
  ) {}

  /** Lets readers see a record that was just removed for as long as the switch says. */
  fade<Name extends LaggingTable>(table: Name, record: Tables[Name] & Dated): void {
    const milliseconds = this.behaviours['delete-visible-ms'];
    if (milliseconds === 0) return;
    const deleted = this.#deleted.get(table) ?? new Map();
    this.#deleted.set(table, deleted.set(record.id, { record, until: this.clock.now() + milliseconds }));
  }

  /** The record a reader sees under that id. */
  read<Name extends LaggingTable>(table: Name, id: string): Tables[Name] | undefined {
    return (
      this.store.read(table, id) ?? this.#fading(table).find((record) => Reflect.get(record, 'id') === id)
    );
  }

  /** The records a list shows whose indexed `member` has that value. */
  list<Name extends LaggingTable>(table: Name, member: string, value: string): Tables[Name][] {
    const fading = this.#fading(table).filter((record) => Reflect.get(record, member) === value);
    return [...this.store.list(table, member, value).filter((record) => this.#isShown(record)), ...fading];
  }

  /** Forgets what was deleted: for a store whose content was replaced. */
  clear(): void {
    this.#deleted.clear();
  }

  #isShown({ createdAt }: Pick<Dated, 'createdAt'>): boolean {
    const hidden = this.behaviours['create-hidden-ms'];
    return hidden === 0 || Date.parse(createdAt) + hidden <= this.clock.now();
  }

  #fading<Name extends LaggingTable>(table: Name): Tables[Name][] {
    const deleted = this.#deleted.get(table) ?? new Map<string, { record: Dated; until: number }>();
    for (const [id, { until }] of deleted) {
      if (until <= this.clock.now() || this.store.read(table, id)) deleted.delete(id);
    }
    return [...deleted.values()].map(({ record }) => record as Tables[Name]);
  }
}
