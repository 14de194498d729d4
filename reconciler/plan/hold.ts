/**
 * Puts "leave" in place of each delete, and of each change that narrows a client, beside something that is left alone, refused or in doubt.
 * It does so twice: only when it is known which deletes are held can the creates be refused that have no room at their target, and these
 * hold more deletes.
 */

import { isLink } from '../../resources/kind';
import { toAddress } from '../../resources/names';
import { oauthClient } from '../../resources/oauth-client';
import { findDefinition, setFields } from '../../resources/registry';
import { lostAttachments } from './carried-sets';
import { setsScope } from './changes';
import {
  type ClientDecision,
  describePredecessor,
  isStaying,
  type LinkDecision,
  type Outlook,
  type PredecessorDecision,
  type Refuse,
  refuse,
} from './decisions';
import type { Facts } from './facts';
import { holdingMessage, type NamedLine } from './forget-lines';
import { endName, endNames } from './link-ends';
import { keyText, type LedgerKey, type LeftAlone, leftAlone, parseKey, toEnds } from './plan';
import { findLimitedTargets, isCrowded } from './room';

export interface Decisions {
  readonly clients: readonly ClientDecision[];
  readonly links: readonly LinkDecision[];
}

export interface HeldDecisions extends Decisions {
  /** The `forget` lines that hold deletes. */
  readonly holdingLines: ReadonlySet<NamedLine>;
  /** Reports these lines, and then what is held. */
  readonly unknown: readonly LeftAlone[];
}

interface Context {
  readonly facts: Facts;
  readonly outlook: Outlook;
  readonly lines: readonly NamedLine[];
  /** The refused addresses that may mean an existing client. The keys are the ids of these clients. */
  readonly claimants: ReadonlyMap<string, string>;
}

type Fate = ClientDecision['fate'] | PredecessorDecision['fate'] | LinkDecision['fate'];

/** A delete, with the keys of what ends with it: first its own, then those of attachments that no successor has. */
interface Deletion {
  readonly fate: Fate;
  readonly address: string;
  readonly objectId: string;
  readonly isPredecessor: boolean;
  readonly keys: readonly [LedgerKey, ...LedgerKey[]];
}

/**
 * A fate that becomes "leave": a delete, or a change that narrows a client. It is never a create or a replace, because the decisions about
 * links already count on the new client.
 */
interface Hold {
  readonly fate: Fate;
  readonly report: LeftAlone;
}

/** The address of a link that is left alone or refused, by each of its ends. No link with such an end is deleted. */
type HeldEnds = ReadonlyMap<string, string>;

/** Returns the decisions with "leave" in place of those that are held, and with a refusal of each create that has no room. */
export function holdDecisions(
  facts: Facts,
  decisions: Decisions,
  outlook: Outlook,
  lines: readonly NamedLine[],
): HeldDecisions {
  const claimants = new Map(
    decisions.clients.flatMap(({ binding: { address }, fate }) =>
      fate.action === 'refuse' ? (fate.problem.matches ?? []).map((id) => [id, address] as const) : [],
    ),
  );
  const context = { facts, outlook, lines, claimants };
  const deletions = findDeletions(facts, decisions);
  const heldEnds = findHeldEnds(decisions.links);
  const holds = holdDeletes(context, deletions, heldEnds);
  const first = leaveHeld(decisions, holds);
  const { links, refusedEnds } = refuseSurplus(facts, first.links);
  // A refused create holds more deletes, but none that makes room for the other creates of a crowded target.
  const crowded = findLimitedTargets(facts, links, readChange).filter(isCrowded);
  const exempt = new Set<Fate>(crowded.flatMap(({ deletes }) => deletes.map(({ fate }) => fate)));
  const rest = findDeletions(facts, { clients: first.clients, links }).filter(
    ({ fate }) => !exempt.has(fate),
  );
  const ends = new Map([...heldEnds, ...refusedEnds]);
  const more = [...holdDeletes(context, rest, ends), ...holdNarrowings(first.clients, outlook, ends)];
  const reports = [...holds, ...more].map(({ report }) => report);
  const lineReports = reportHoldingLines(lines, deletions);
  return {
    ...leaveHeld({ clients: first.clients, links }, more),
    holdingLines: new Set(lineReports.keys()),
    unknown: [...lineReports.values(), ...reports],
  };
}

/** Lists the deletes in the order of the decisions. */
function findDeletions(facts: Facts, { clients, links }: Decisions): readonly Deletion[] {
  return [
    ...clients.flatMap(({ binding: { address }, fate, predecessors }) => [
      ...findClientDeletion(facts, address, fate, false),
      ...predecessors.flatMap((old) => findClientDeletion(facts, address, old.fate, true)),
    ]),
    ...links.flatMap(({ link: { address, key }, fate }): readonly Deletion[] => {
      if (fate.action !== 'delete') return [];
      return [{ fate, address, objectId: fate.objectId ?? '', isPredecessor: false, keys: [key] }];
    }),
  ];
}

function findClientDeletion(
  facts: Facts,
  address: string,
  fate: ClientDecision['fate'],
  isPredecessor: boolean,
): readonly Deletion[] {
  if (fate.action !== 'delete') return [];
  const { found, affected } = fate;
  const attachments = lostAttachments(facts, found, affected);
  return [{ fate, address, objectId: found.id, isPredecessor, keys: [parseKey(address), ...attachments] }];
}

/**
 * Returns the ends of the declared links that are left alone or refused. No link with such an end is deleted, because it may be the one that
 * the line means. An end that is not clear is empty in the key.
 */
function findHeldEnds(links: readonly LinkDecision[]): HeldEnds {
  const holding = links.filter(
    ({ isDeclared, fate }) => isDeclared && (fate.action === 'leave' || fate.action === 'refuse'),
  );
  return new Map(
    holding.flatMap(({ link: { key, address } }) => endNames(key).map((end) => [end, address] as const)),
  );
}

function holdDeletes(context: Context, deletions: readonly Deletion[], heldEnds: HeldEnds): readonly Hold[] {
  return deletions.flatMap((deletion) => {
    const { fate, address, objectId, isPredecessor, keys } = deletion;
    const [first, ...attachments] = keys;
    const [theirs] = attachments.flatMap((key) => whyHeld(context, deletion, key, heldEnds) ?? []);
    const why =
      whyHeld(context, deletion, first, heldEnds) ?? (theirs && `one of its links is kept: ${theirs}`);
    if (why === undefined) return [];
    const subject = isPredecessor ? describePredecessor(objectId, address) : address;
    if (!('unmanaged' in fate)) return [{ fate, report: leftAlone(address, why, { subject }) }];
    // A second trigger of a pair has the address of the declared one.
    const title = fate.reason === 'duplicate' ? `${address} (${objectId})` : address;
    return [{ fate, report: leftAlone(title, why, { subject: `${title} (unmanaged)` }) }];
  });
}

/** Returns the reason why the object with this key is not deleted. */
function whyHeld(
  { facts, outlook, lines, claimants }: Context,
  deletion: Deletion,
  key: LedgerKey,
  heldEnds: HeldEnds,
): string | undefined {
  const line = lines.find((candidate) => mayMean(candidate, deletion, key));
  if (line) return `the line \`forget: [${line.text}]\` names nothing, and may mean it`;
  const [link] = endNames(key).flatMap((end) => heldEnds.get(end) ?? []);
  if (link !== undefined) return `${link}, which has an end in common with it, is left alone`;
  if (!isLink(key[0])) {
    const claimant = claimants.get(deletion.objectId);
    if (claimant === undefined) return whyClientsStay(facts, outlook);
    return `${claimant} would be created beside it with the same name, provider and URLs: solve that problem first`;
  }
  if (facts.unknownNames.length === 0) return undefined;
  return 'a name in the manifests is unknown, and may mean one of its ends';
}

/**
 * Returns the reason why no client is deleted at present. While a declared client neither exists nor is made by this plan, an undeclared one
 * may be the only connection. `survivors` are the clients that exist when the plan is done. A recorded client that is left alone (`waiting`)
 * counts too if it exists.
 */
function whyClientsStay(facts: Facts, { survivors, waiting }: Outlook): string | undefined {
  const present = [...waiting].filter(([id]) => facts.observeClient({ id }).found);
  const addresses = new Set([...survivors.keys(), ...present.map(([, address]) => address)]);
  const lacking = [...facts.clientEntries.keys()].find((address) => !addresses.has(address));
  if (lacking === undefined) return undefined;
  return `${lacking} is declared and cannot be made or seen now: solve that first, or take ${lacking} out of the manifests`;
}

/** Holds the change that narrows a client, and the delete of its predecessor, while a declared attachment of it is left alone. */
function holdNarrowings(
  clients: readonly ClientDecision[],
  { survivors }: Outlook,
  heldEnds: HeldEnds,
): readonly Hold[] {
  return clients.flatMap(({ binding: { address }, fate, predecessors }) => {
    const end = survivors.get(address)?.id ?? address;
    const [attachment] = setFields.flatMap((set) => heldEnds.get(endName(set.kind, set.end, end)) ?? []);
    if (attachment === undefined) return [];
    const why = `${attachment}, an attachment of it, is left alone`;
    const isNarrowing = isStaying(fate) && setsScope(fate.difference.changes, false);
    const deleted = predecessors.filter((old) => old.fate.action === 'delete');
    return [
      ...(isNarrowing ? [{ fate, report: leftAlone(address, why) }] : []),
      ...deleted.map((old) => {
        const subject = describePredecessor(old.id, address);
        return { fate: old.fate, report: leftAlone(address, why, { subject }) };
      }),
    ];
  });
}

function leaveHeld({ clients, links }: Decisions, holds: readonly Hold[]): Decisions {
  const fates = new Set(holds.map(({ fate }) => fate));
  const left = { action: 'leave' } as const;
  return {
    clients: clients.map((decision) => {
      const { fate, predecessors, leaving } = decision;
      const keptIds = [fate, ...predecessors.map((old) => old.fate)].flatMap((candidate) =>
        fates.has(candidate) && candidate.action === 'delete' ? candidate.found.id : [],
      );
      return {
        ...decision,
        fate: fates.has(fate) ? left : fate,
        predecessors: predecessors.map((old) => (fates.has(old.fate) ? { ...old, fate: left } : old)),
        leaving: leaving.filter((id) => !keptIds.includes(id)),
      };
    }),
    links: links.map((decision) => (fates.has(decision.fate) ? { ...decision, fate: left } : decision)),
  };
}

function readChange({ link: { address, key }, fate }: LinkDecision) {
  return { action: fate.action, address, key };
}

/**
 * Refuses the creates that have no room at their target, where its list was read. A refused link holds the deletes at its source, which may
 * be the only connection until it is made.
 */
function refuseSurplus(facts: Facts, links: readonly LinkDecision[]) {
  const refusals = new Map<Fate, Refuse>();
  const refusedEnds = new Map<string, string>();
  for (const target of findLimitedTargets(facts, links, readChange)) {
    const { edge, id, limit, existing, creates, deletes } = target;
    if (existing === null) continue;
    const room = Math.max(0, limit - existing + deletes.length);
    for (const { link, fate } of creates.slice(room)) {
      const { address, key } = link;
      const message = `${address} is not created, because ${facts.shown(id)} already has ${existing} sources and the service allows ${limit}. It can be created when another source has gone.`;
      refusals.set(fate, refuse('too-many-sources', address, message));
      const ends = toEnds(findDefinition(key[0]), key);
      refusedEnds.set(endName(key[0], edge.from, ends[edge.from]), address);
    }
  }
  const refused = links.map((decision) => {
    const fate = refusals.get(decision.fate);
    return fate === undefined ? decision : { ...decision, fate };
  });
  return { links: refused, refusedEnds };
}

function reportHoldingLines(
  lines: readonly NamedLine[],
  deletions: readonly Deletion[],
): ReadonlyMap<NamedLine, LeftAlone> {
  const reports = new Map<NamedLine, LeftAlone>();
  for (const line of lines) {
    const meant = deletions.flatMap((deletion) =>
      deletion.keys.flatMap((key) => (mayMean(line, deletion, key) ? spell(deletion, key) : [])),
    );
    const { address, at } = line;
    if (meant.length > 0) reports.set(line, { address, message: holdingMessage(line, meant), at });
  }
  return reports;
}

/** Returns the forms in which a `forget` line names a deleted object. The address of a predecessor names its successor. */
function spell({ address, objectId, isPredecessor }: Deletion, key: LedgerKey): readonly string[] {
  const isClient = key[0] === oauthClient.kind;
  const byId = isClient ? toAddress(oauthClient, objectId) : keyText(key);
  return isPredecessor ? [byId] : [address, byId];
}

/** True if a `forget` line names nothing, and may be a misspelt one of this object. */
function mayMean({ kind, names }: NamedLine, { keys, isPredecessor }: Deletion, key: LedgerKey): boolean {
  // Attachments end with a destroyed client, whatever a line says.
  return names === 'nothing' && kind === key[0] && (keys[0] === key || isPredecessor);
}
