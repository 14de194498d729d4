/** Finds existing clients that look like a new one. Without a line in the manifest, such a new one is not created. */
import type { DesiredEntry } from '../../manifest/desired';
import { describeMatch, plainValues, possibleMatches } from '../../resources/diff';
import { byAge, type FieldValues, type Found } from '../../resources/kind';
import { addressOf } from '../../resources/names';
import { oauthClient } from '../../resources/oauth-client';
import { clientChanges } from './changes';
import type { Draft } from './draft';
import type { Facts } from './facts';

export class Matches {
  /** The addresses of entries whose `id:` line names a client. The keys are ids. */
  readonly claimed = new Map<string, string>();
  private readonly clients: readonly Found[] | null;

  /** `holders` has the addresses of recorded and retiring ids. */
  constructor(
    private readonly facts: Facts,
    private readonly draft: Draft,
    private readonly holders: ReadonlyMap<string, string>,
    private readonly retiring: ReadonlySet<string>,
  ) {
    this.clients = facts.foundAll(oauthClient);
    for (const { address, id } of facts.clientEntries.values()) if (id) this.claimed.set(id, address);
  }

  /** Notes a possible second client: the service may have executed a create late. */
  noteLate({ address, allowDuplicate }: DesiredEntry, found: Found): void {
    const unmanaged = (this.clients ?? []).filter(({ id }) => this.ownerOf(id) === undefined);
    const late = possibleMatches(oauthClient, found.values, unmanaged).filter(
      (one) => byAge(found, one) < 0 && !allowDuplicate.includes(one.id),
    );
    if (late.length === 0) return;
    const message = `A younger client that Tether does not manage has the same name, provider and URLs as ${found.id}: ${late.map(describeMatch).join('; ')}. Perhaps a create was executed late. If nobody needs it, delete it by hand; else name it under \`allowDuplicate\`.`;
    this.draft.notes.push({ address, message });
  }

  /**
   * Returns the ids of the possible matches that the manifest allows, or null after a problem. `old` is the client that the new one
   * replaces.
   */
  allowed(entry: DesiredEntry, sent: FieldValues, old?: string): readonly string[] | null {
    const { address, allowDuplicate, at } = entry;
    const { clients } = this;
    if (clients === null) {
      this.draft.leaveAlone(address, 'its list cannot be read');
      return null;
    }
    const others = clients.flatMap((found) => this.asPlanned(address, found));
    const matches = possibleMatches(oauthClient, sent, others);
    const unexpected = matches.filter(({ id }) => !allowDuplicate.includes(id));
    const [first] = unexpected;
    // The list before the POST shows the clients as they are now.
    if (first === undefined) return possibleMatches(oauthClient, sent, clients).map(({ id }) => id);
    const ids = unexpected.map(({ id }) => id);
    const described = unexpected.map(describeMatch).join('; ');
    const free = old === undefined ? ids.filter((id) => this.isAdoptable(id)) : [];
    const allow = `allowDuplicate: [${ids.join(', ')}]`;
    const how = free.includes(first.id)
      ? 'To manage that one, add its `id:` to the entry'
      : this.howToKeep(first.id, address, old);
    const message = `${address} would be created beside a client with the same name, provider and URLs: ${described}. ${how}; to create another one, add \`${allow}\`.`;
    // A replacement whose ledger was lost may have made an unmanaged match, so no line to paste makes a second one.
    const second = this.ownerOf(first.id) === undefined ? undefined : allow;
    const line = free.includes(first.id) ? `id: ${free.join(' # or ')}` : second;
    this.draft.problems.push({ rule: 'possible-match', address, message, line, at });
    return null;
  }

  /**
   * Returns a client as the plan leaves it, or nothing if it is no match for a new one. A client of another entry is a match only if that
   * entry has an `id:` line. Of two equal entries without such a line, both are wanted. A predecessor of the same address is a match if it
   * may have the declared secret. The client of an address without an entry is a match, unless its destroy is approved.
   */
  private asPlanned(address: string, found: Found): readonly Found[] {
    const owner = this.ownerOf(found.id);
    if (owner === undefined) return [found];
    const entry = this.facts.clientEntries.get(owner);
    if (entry === undefined) return this.facts.approval('destroy', owner, found.id).given ? [] : [found];
    const { id, inputs } = entry;
    if (this.retiring.has(found.id)) {
      const mayBeWanted = clientChanges(this.facts, entry, found).fixed === undefined;
      return owner === address && mayBeWanted ? [found] : [];
    }
    if (owner === address || id === undefined) return [];
    return id === found.id ? [{ ...found, values: { ...found.values, ...plainValues(inputs) } }] : [found];
  }

  private ownerOf(id: string): string | undefined {
    // The plan drops a forgotten predecessor.
    if (this.retiring.has(id) && this.facts.isIdForgotten(id)) return undefined;
    return this.holders.get(id) ?? this.claimed.get(id);
  }

  /** True if an `id:` line can adopt the client. */
  private isAdoptable(id: string): boolean {
    const owner = this.ownerOf(id);
    return owner === undefined || !(this.retiring.has(id) || this.facts.clientEntries.has(owner));
  }

  private howToKeep(id: string, address: string, old = 'the recorded one'): string {
    const owner = this.ownerOf(id);
    if (owner === undefined || owner === address) {
      return `To manage that one in place of ${old}, forget ${address} first: remove this entry and its attachments, add \`forget: [${address}]\` and apply, then restore it with \`id: ${id}\``;
    }
    const how = this.facts.clientEntries.has(owner)
      ? 'remove one of the two entries'
      : `to keep it, add \`forget: [${addressOf(oauthClient, id)}]\` and apply`;
    return `${id} belongs to ${owner}: ${how}`;
  }
}
