/** Finds existing clients that look like a new one. Without a line in the manifest, such a new one is not created. */
import type { DesiredEntry } from '../../manifest/desired';
import { describeMatch, plainValues, possibleMatches } from '../../resources/diff';
import { byAge, type FieldValues, type Found } from '../../resources/kind';
import type { Bound } from './bind';
import type { Draft } from './draft';
import type { Facts } from './facts';

export class Matches {
  /** The addresses that hold a client or name it in an `id:` line. The keys are ids. */
  private readonly owners = new Map<string, string>();
  private readonly retiring: ReadonlySet<string>;

  constructor(
    private readonly facts: Facts,
    private readonly draft: Draft,
    all: readonly Bound[],
  ) {
    for (const { address, id } of facts.clientEntries.values()) if (id) this.owners.set(id, address);
    for (const { address, record } of all) {
      if (record === undefined || facts.isForgotten(address)) continue;
      for (const id of [record.id, ...(record.retiring ?? [])]) this.owners.set(id, address);
    }
    this.retiring = new Set(all.flatMap(({ record }) => record?.retiring ?? []));
  }

  /** Notes a possible second client: the service may have executed a create late. */
  noteLate({ address, allowDuplicate }: DesiredEntry, found: Found): void {
    const { clientKind } = this.facts;
    const unmanaged = (this.facts.foundAll(clientKind) ?? []).filter(({ id }) => !this.owners.has(id));
    const late = possibleMatches(clientKind, found.values, unmanaged).filter(
      (one) => byAge(found, one) < 0 && !allowDuplicate.includes(one.id),
    );
    if (late.length === 0) return;
    const message = `A younger client that Tether does not manage has the same name, provider and URLs as ${found.id}: ${late.map(describeMatch).join('; ')}. Perhaps a create was executed late. Delete it by hand, or name it under \`allowDuplicate\`.`;
    this.draft.notes.push({ address, message });
  }

  /**
   * Returns the ids of the possible matches that the manifest allows, or null after a problem. `old` is the client that the new one
   * replaces.
   */
  allowed(entry: DesiredEntry, sent: FieldValues, old?: string): readonly string[] | null {
    const { address, allowDuplicate, at } = entry;
    const { clientKind } = this.facts;
    const clients = this.facts.foundAll(clientKind);
    if (clients === null) {
      this.draft.leaveAlone(address, 'its list cannot be read');
      return null;
    }
    const others = clients.flatMap((found) => this.asPlanned(address, found));
    const matches = possibleMatches(clientKind, sent, others);
    // A replacement that was interrupted goes on without another line.
    const isAllowed = (id: string) =>
      allowDuplicate.includes(id) || (old !== undefined && this.owners.has(id));
    const unexpected = matches.filter(({ id }) => !isAllowed(id));
    const [first] = unexpected;
    if (first === undefined) return matches.map(({ id }) => id);
    const described = unexpected.map(describeMatch).join('; ');
    const allow = `allowDuplicate: [${unexpected.map(({ id }) => id).join(', ')}]`;
    const message = `${address} would be created beside a client with the same name, provider and URLs: ${described}. ${this.insteadOf(first, old)}; to create another one, add \`${allow}\`.`;
    // An entry that has a client cannot adopt another one, and none can adopt the client of another entry.
    const isFree = old === undefined && !this.owners.has(first.id);
    const line = isFree ? `id: ${first.id}` : allow;
    this.draft.problems.push({ rule: 'possible-match', address, message, line, at });
    return null;
  }

  /**
   * Returns a client as the plan leaves it, or nothing if it is no match for a new one. A client of another entry is a match only if that
   * entry has an `id:` line. Of two equal entries without such a line, both are wanted.
   */
  private asPlanned(address: string, found: Found): readonly Found[] {
    const owner = this.owners.get(found.id);
    if (owner === undefined) return [found];
    const { id, inputs = {} } = this.facts.clientEntries.get(owner) ?? {};
    if (owner === address || id === undefined || this.retiring.has(found.id)) return [];
    return id === found.id ? [{ ...found, values: { ...found.values, ...plainValues(inputs) } }] : [found];
  }

  /** Says how to have only the possible match. */
  private insteadOf({ id }: Found, old: string | undefined): string {
    const owner = this.owners.get(id);
    if (owner !== undefined) {
      return `${id} belongs to ${owner}: remove one of the two entries, or forget it there first`;
    }
    return old === undefined
      ? 'To manage that one, add its `id:` to the entry'
      : `To have only the one that replaces ${old}, delete that one by hand`;
  }
}
