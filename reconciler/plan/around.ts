/** What lines and the ledger have around an object: by its address or id, indexed once. */
import type { DesiredEntry, ExactSet } from '../../manifest/desired';
import { grouped } from '../../resources/groups';
import { addressesIn, type DesiredValues, isReference } from '../../resources/kind';
import type { Ledger, LedgerObject } from '../ledger/ledger';

/** By each address that they refer to. */
export function byAddresses<Item>(items: readonly Item[], endsOf: (item: Item) => DesiredValues) {
  const all = new Map<string, Item[]>();
  for (const item of items) {
    for (const address of addressesIn(endsOf(item))) {
      const others = all.get(address);
      if (others === undefined) all.set(address, [item]);
      else others.push(item);
    }
  }
  return all;
}

function byEnds<Item>(items: readonly Item[], endsOf: (item: Item) => DesiredValues) {
  return grouped(
    items.flatMap((item) =>
      Object.values(endsOf(item)).map((end) => [isReference(end) ? end.address : String(end), item] as const),
    ),
  );
}

/** `links` are the wanted ones. */
export class Around {
  readonly #sets: ReadonlyMap<string, readonly ExactSet[]>;
  readonly #links: ReadonlyMap<string, readonly DesiredEntry[]>;
  #held: ReadonlyMap<string, readonly LedgerObject[]> | undefined;

  constructor(
    sets: readonly ExactSet[],
    links: readonly DesiredEntry[],
    private readonly ledger: Ledger,
  ) {
    this.#sets = byEnds(sets, ({ fixed }) => fixed);
    this.#links = byAddresses(links, ({ inputs }) => inputs);
  }

  /** Exact sets around that id or address. */
  sets(end: string) {
    return this.#sets.get(end) ?? [];
  }

  /** Wanted links that refer to that address. */
  links(address: string) {
    return this.#links.get(address) ?? [];
  }

  /** What the ledger holds with that id among its values. */
  held(id: string) {
    this.#held ??= byEnds(Object.values(this.ledger.objects), ({ values }) => values);
    return this.#held.get(id) ?? [];
  }
}
