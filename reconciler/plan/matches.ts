/** Finds existing clients that look like a new one. Without a line in the manifest, such a new one is not created. */
import type { DesiredEntry } from '../../manifest/desired';
import { describeMatch, plainValues, possibleMatches } from '../../resources/diff';
import { byAge, type FieldValues, type Found } from '../../resources/kind';
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
    const allow = `allowDuplicate: [${ids.join(', ')}]`;
    const message = `${address} would be created beside a client with the same name, provider and URLs: ${described}. ${this.insteadOf(first, address, old)}; to create another one, add \`${allow}\`.`;
    // An entry that has a client can adopt only its predecessor, and none can adopt the client of another entry.
    const isFree = (id: string) =>
      this.ownerOf(id) === address || (old === undefined && (!this.ownerOf(id) || this.isLeft(id)));
    const forget = this.retiring.has(first.id) ? this.forgetLine(first.id) : allow;
    const ends = isFree(first.id) ? `id: ${ids.filter(isFree).join(' # or ')}` : forget;
    // A replacement whose ledger was lost may have made the match, so no line to paste makes a second one.
    const line = old !== undefined && !this.ownerOf(first.id) ? undefined : ends;
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

  private forgetLine(id: string): string {
    return `forget: [${oauthClient.kind}/${id}]`;
  }

  /** True for the recorded client of an address without an entry. An `id:` line can move it. */
  private isLeft(id: string): boolean {
    const owner = this.holders.get(id);
    return owner !== undefined && !this.facts.clientEntries.has(owner) && !this.retiring.has(id);
  }

  private ownerOf(id: string): string | undefined {
    return this.holders.get(id) ?? this.claimed.get(id);
  }

  /** Says how to have only the possible match. */
  private insteadOf({ id }: Found, address: string, old: string | undefined): string {
    const owner = this.ownerOf(id);
    if (owner === address) {
      return 'To take back this predecessor, with the secret that it has, add its `id:` to the entry';
    }
    if (owner === undefined && old === undefined) return 'To manage that one, add its `id:` to the entry';
    if (owner === undefined) {
      return `To manage that one in place of ${old}, forget ${old} first: remove this entry and its attachments, add \`${this.forgetLine(old ?? '')}\` and apply, then restore it with \`id: ${id}\``;
    }
    if (this.retiring.has(id)) {
      return `${id}, a predecessor of ${owner}, is to be deleted: to keep it, add \`${this.forgetLine(id)}\` and apply`;
    }
    return this.facts.clientEntries.has(owner)
      ? `${id} belongs to ${owner}: remove one of the two entries`
      : `${id} belongs to ${owner}, which is not declared any more: to keep it, add its \`id:\` to this entry`;
  }
}
