/** Finds existing clients that look like a new one. Without a line in the manifest, such a new one is not created. */
import type { DesiredEntry } from '../../manifest/desired';
import { describeMatch, isAsCreated, plainValues, possibleMatches } from '../../resources/diff';
import type { FieldValues, Found } from '../../resources/kind';
import { toAddress } from '../../resources/names';
import { oauthClient } from '../../resources/oauth-client';
import { settledAfter } from '../../resources/safe-calls';
import { clientChanges } from './changes';
import { type Binding, type Leave, leave, type Refuse, refuse } from './decisions';
import type { Facts } from './facts';
import type { Note } from './plan';

export class Matches {
  /** The addresses of entries whose `id:` line names a client. The keys are ids. */
  readonly claimed: ReadonlyMap<string, string>;
  /** The addresses that hold recorded and retiring ids. */
  readonly holders: ReadonlyMap<string, string>;
  private readonly retiring: ReadonlySet<string>;
  private readonly clients: readonly Found[] | null;

  constructor(
    private readonly facts: Facts,
    private readonly bindings: readonly Binding[],
  ) {
    this.clients = facts.foundAll(oauthClient);
    const entries = [...facts.clientEntries.values()];
    this.claimed = new Map(entries.flatMap(({ id, address }) => (id ? [[id, address] as const] : [])));
    this.retiring = new Set(bindings.flatMap(({ record }) => record?.retiring ?? []));
    this.holders = new Map(
      bindings.flatMap(({ address, record }) =>
        record === undefined || facts.isForgotten(address, record.id)
          ? []
          : [record.id, ...(record.retiring ?? [])].map((id) => [id, address] as const),
      ),
    );
  }

  /** Notes a possible second client: the service may have executed a create late, perhaps the one whose client this is. */
  noteOther({ address, allowDuplicate }: DesiredEntry, found: Found): readonly Note[] {
    const unmanaged = (this.clients ?? []).filter(({ id }) => this.ownerOf(id) === undefined);
    const others = possibleMatches(oauthClient, found.values, unmanaged).filter(
      ({ id }) => !allowDuplicate.includes(id),
    );
    if (others.length === 0) return [];
    const [client, has] = others.length === 1 ? ['A client', 'has'] : ['Clients', 'have'];
    const message = `${client} that Tether does not manage ${has} the same name, provider and URLs as ${found.id}: ${others.map(describeMatch).join('; ')}. Perhaps a create was executed late. If nobody needs it, delete it by hand; else name it under \`allowDuplicate\`.`;
    return [{ address, message }];
  }

  /**
   * Decides whether a client may be made beside the existing ones. If so, `existing` has the ids of the possible matches that the manifest
   * allows. `old` is the client that the new one replaces.
   */
  judge(entry: DesiredEntry, sent: FieldValues, old?: string): Verdict {
    const { address, allowDuplicate, at } = entry;
    const { bindings, clients } = this;
    const equal = bindings.find(({ openCreate }) => openCreate && isAsCreated(oauthClient, sent, openCreate));
    if (equal !== undefined) {
      const message = `${address} is not created yet: the answer to the create of ${equal.address}, which is equal, was lost, and the service may still execute it. Run the same command again in ${settledAfter}.`;
      return refuse('create-pending', address, message, { at });
    }
    if (clients === null) return leave(address, 'its list cannot be read');
    const others = clients.flatMap((found) => this.asPlanned(address, found));
    const matches = possibleMatches(oauthClient, sent, others);
    const unexpected = matches.filter(({ id }) => !allowDuplicate.includes(id));
    const [first] = unexpected;
    if (first === undefined) {
      // The list before the POST shows the clients as they are now.
      return { action: 'make', existing: possibleMatches(oauthClient, sent, clients).map(({ id }) => id) };
    }
    const ids = unexpected.map(({ id }) => id);
    const described = unexpected.map(describeMatch).join('; ');
    const { how, line: ends } = this.wayOut(first, address, old);
    const free = unexpected.filter((found) => this.wayOut(found, address, old).line === 'id');
    const lines = {
      id: `id: ${free.map(({ id }) => id).join(' # or ')}`,
      forget: `forget: [${toAddress(oauthClient, first.id)}]`,
      allow: `allowDuplicate: [${ids.join(', ')}]`,
    };
    const message = `${address} would be created beside a client with the same name, provider and URLs: ${described}. ${how}; to create another one, add \`${lines.allow}\`.`;
    // A replacement whose ledger was lost may have made an unmanaged match, so no line to paste makes a second one.
    const isUnmanaged = ends === 'allow' && ids.some((id) => this.ownerOf(id) === undefined);
    const line = isUnmanaged ? undefined : lines[ends];
    return refuse('possible-match', address, message, { line, at, matches: ids });
  }

  /** Returns an existing client as the plan leaves it, or nothing if it is no match for a new one at the address. */
  private asPlanned(address: string, found: Found): readonly Found[] {
    const owner = this.ownerOf(found.id);
    if (owner === undefined) return [found];
    const entry = this.facts.clientEntries.get(owner);
    // A client without an entry is a match, unless it is destroyed.
    if (entry === undefined) return this.facts.approval('destroy', owner, found.id).given ? [] : [found];
    const isRetiring = this.retiring.has(found.id);
    const isReplaced = this.isReplaced(entry, found);
    // A predecessor of this address may have the declared secret.
    if (owner === address) return isRetiring && !isReplaced ? [found] : [];
    const { id, inputs } = entry;
    if (id === undefined || isRetiring) {
      // Two equal entries are both wanted. An entry that describes another client now may have given this one up to a new address.
      return possibleMatches(oauthClient, plainValues(inputs), [found]).length > 0 ? [] : [found];
    }
    const isKept = id === found.id && !isReplaced;
    return isKept ? [{ ...found, values: { ...found.values, ...plainValues(inputs) } }] : [found];
  }

  private isReplaced(entry: DesiredEntry, found: Found): boolean {
    return clientChanges(this.facts.inputs, entry, found).fixed !== undefined;
  }

  private ownerOf(id: string): string | undefined {
    // The plan drops a forgotten predecessor.
    if (this.retiring.has(id) && this.facts.isIdForgotten(id)) return undefined;
    return this.holders.get(id) ?? this.claimed.get(id);
  }

  /** Says how to have only the possible match, and which line ends the problem. */
  private wayOut(found: Found, address: string, old: string | undefined): WayOut {
    const { id } = found;
    const owner = this.ownerOf(id);
    if (owner === undefined && old === undefined) {
      return { how: 'To manage that one, add its `id:` to the entry', line: 'id' };
    }
    if (owner === undefined || owner === address) {
      const how = `To manage that one in place of ${old ?? 'the recorded one'}, forget ${address} first: remove this entry and its attachments, add \`forget: [${address}]\` and apply. Then put the entry back with \`id: ${id}\`, and without that line${old ? `; nothing manages ${old} then` : ''}`;
      return { how, line: 'allow' };
    }
    const keep = `add \`forget: [${toAddress(oauthClient, id)}]\` and apply`;
    if (this.retiring.has(id)) {
      return {
        how: `${id}, a predecessor of ${owner}, is to be deleted: to keep it, ${keep}`,
        line: 'forget',
      };
    }
    const belongs = `${id} belongs to ${owner}`;
    const entry = this.facts.clientEntries.get(owner);
    if (entry !== undefined) {
      if (!this.isReplaced(entry, found)) {
        return { how: `${belongs}: remove one of the two entries`, line: 'allow' };
      }
      return { how: `${belongs}, which replaces it: to keep it, ${keep}`, line: 'forget' };
    }
    const isGone = `${belongs}, which is not declared any more: to keep it,`;
    // An address that has a record cannot adopt the client of another one.
    if (this.facts.recordedClients.has(address)) return { how: `${isGone} ${keep}`, line: 'forget' };
    return { how: `${isGone} add its \`id:\` to this entry`, line: 'id' };
  }
}

type Verdict = Leave | Refuse | { readonly action: 'make'; readonly existing: readonly string[] };

interface WayOut {
  readonly how: string;
  /** The kind of the line that ends the problem. */
  readonly line: 'id' | 'forget' | 'allow';
}
