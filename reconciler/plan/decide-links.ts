/** Decides about each link: declared ones, undeclared recorded ones, and those that exact sets do not list. */
import type { DesiredEntry, ExactSet } from '../../manifest/desired';
import type { Observation } from '../../observation/evidence';
import {
  type DesiredValues,
  type Found,
  isLink,
  isReference,
  type Key,
  type ResourceDefinition,
} from '../../resources/kind';
import { findDefinition } from '../../resources/registry';
import { type Link, type LinkDecision, leave, type Outlook, refuse } from './decisions';
import type { Facts } from './facts';
import { endName, endNames } from './link-ends';
import { keyText, type LedgerKey, type LeftAlone, type Note, parseKey, toEnds, toLedgerKey } from './plan';
import { decide, type LinkCell, linkTable } from './table';

/** An exact set whose fixed end has an id. */
interface ReadySet extends ExactSet {
  readonly end: Key;
  /** True if the ledger has no link of it. */
  readonly isNew: boolean;
}

interface Context {
  readonly facts: Facts;
  readonly outlook: Outlook;
  /** The keys are ends such as `RunTrigger workspaceId ws-app`. */
  readonly sets: ReadonlyMap<string, ReadySet>;
}

type LinkFate = LinkDecision['fate'];

/** A fate with the notes that belong to it. */
type Decided = readonly [fate: LinkFate, notes?: readonly Note[]];

export interface LinkDecisions {
  readonly links: readonly LinkDecision[];
  /** The exact sets of which no list can be read. */
  readonly unreadable: readonly LeftAlone[];
}

/** Decides after the clients, because a link needs both ends. A link whose client leaves has no decision of its own. */
export function decideLinks(facts: Facts, outlook: Outlook): LinkDecisions {
  const context = { facts, outlook, sets: findReadySets(facts, outlook) };
  const { declared, clearKeys } = decideDeclared(context);
  return {
    links: [
      ...declared,
      ...decideRecorded(context, declared, clearKeys),
      ...decideUnlisted(context, clearKeys),
    ],
    unreadable: findUnreadable(context),
  };
}

function findReadySets(facts: Facts, outlook: Outlook): ReadonlyMap<string, ReadySet> {
  if (facts.sets.length === 0) return new Map();
  const recordedEnds = new Set([...facts.recordedLinks.keys()].flatMap((key) => endNames(parseKey(key))));
  return new Map(
    facts.sets.flatMap((set) =>
      Object.entries(set.fixed).flatMap(([field, value]) => {
        const { id } = resolveEnd(facts, outlook, value);
        if (id === undefined) return [];
        const name = endName(set.kind, field, id);
        return [[name, { ...set, end: { [field]: id }, isNew: !recordedEnds.has(name) }] as const];
      }),
    ),
  );
}

/** An end of a declared link has an id, or this plan makes its client. If it is unclear, there is a reason, and perhaps no client. */
interface End {
  readonly id?: string | undefined;
  /** The client that this plan makes, and the id of the one that it replaces. */
  readonly newClient?: { readonly address: string; readonly replaces?: string | undefined };
  readonly why?: string;
  readonly cause?: string;
}

function resolveEnd(facts: Facts, outlook: Outlook, value: DesiredValues[string] | undefined): End {
  if (!isReference(value)) {
    const id = String(value);
    const address = outlook.leaving.get(id);
    if (address !== undefined) {
      return {
        ...endAt(outlook, address),
        why: `it names ${id}, which ${describeLeaving(facts, outlook, address)}`,
      };
    }
    const isMissing = facts.inputs.observed.shows[id] === 'missing';
    const why = `${id} does not exist, or this token may not see it: correct or remove this line`;
    return isMissing ? { why } : { id };
  }
  const { address } = value;
  if (facts.inputs.manifests.nameReferences.has(address)) {
    // The run deletes no link while a name is unknown.
    return { why: `it is unknown which object the name ${address} means`, cause: address };
  }
  return endAt(outlook, address) ?? { why: `${address} is left alone`, cause: address };
}

function endAt({ survivors }: Outlook, address: string): End | undefined {
  const survivor = survivors.get(address);
  if (survivor === undefined) return undefined;
  return survivor.id === undefined
    ? { newClient: { address, replaces: survivor.replaces } }
    : { id: survivor.id };
}

function describeLeaving(facts: Facts, { destroyed }: Outlook, address: string): string {
  if (facts.clientEntries.has(address)) return `${address} no longer uses: name the client by its address`;
  return destroyed.has(address)
    ? `belongs to ${address}, whose entry is gone: remove this line, or keep that entry`
    : `leaves the ledger with ${address}: plan again after the apply`;
}

function linkBetween(
  { facts, outlook }: Context,
  definition: ResourceDefinition,
  ends: Key,
  address = facts.linkAddress(definition, ends, outlook.owners),
): Link {
  const key = toLedgerKey(definition, ends);
  const text = keyText(key);
  return { definition, ends, key, text, address, object: facts.recordedLinks.get(text)?.object };
}

/** Returns the exact sets that cover a link. */
function setsAround({ sets }: Context, { key }: Link): readonly ReadySet[] {
  return sets.size === 0 ? [] : endNames(key).flatMap((name) => sets.get(name) ?? []);
}

/**
 * Decides about the declared links, and returns the keys of those with clear ends. A link with an unclear end is left alone: every link that
 * it may mean has an end in common with it.
 */
function decideDeclared(context: Context) {
  const clearKeys = new Set<string>();
  const { facts, outlook } = context;
  const decisions = facts.entries.flatMap((entry): LinkDecision | readonly [] => {
    const { kind, address, inputs, at } = entry;
    const definition = findDefinition(kind);
    if (!isLink(kind)) return [];
    const ends = definition.pair.map((field) => resolveEnd(facts, outlook, inputs[field]));
    const parts = ends.map(({ id, newClient }) => id ?? newClient?.address ?? '');
    const link = linkBetween(context, definition, toEnds(definition, [kind, ...parts]), address);
    const unclear = ends.find(({ why }) => why !== undefined);
    const { why = '', cause } = unclear ?? {};
    // The first line of a link decides about it, and the next ones are repeated.
    const isRepeated = clearKeys.has(link.text);
    if (unclear === undefined) clearKeys.add(link.text);
    const fate = unclear
      ? leave(address, why, { at, cause })
      : decideClear(context, link, entry, ends, isRepeated);
    const isKept = fate.action === 'nothing' || fate.action === 'adopt';
    const notes = isKept ? noteOthers(context, link, true) : [];
    return fate.action === 'nothing' && notes.length === 0 ? [] : { link, isDeclared: true, fate, notes };
  });
  return { declared: decisions, clearKeys };
}

/** Decides about a declared link whose ends are clear. While one is refused, `hold.ts` keeps every link that has an end in common with it. */
function decideClear(
  context: Context,
  link: Link,
  entry: DesiredEntry,
  ends: readonly End[],
  isRepeated: boolean,
): LinkFate {
  const contradiction = isRepeated
    ? 'another line declares the same link: keep one of them'
    : findContradiction(context, link, entry);
  if (contradiction !== undefined) {
    const message = `${entry.address} is left alone, because ${contradiction}.`;
    return refuse('same-object', entry.address, message, { at: entry.at });
  }
  const newClient = ends.find((end) => end.newClient)?.newClient;
  return newClient === undefined
    ? decideWanted(context, link, entry)
    : decideWithClient(context, link, entry, newClient);
}

/** Finds the contradiction of an exact set and a line that names a client by its id. Only the ledger shows the client's address. */
function findContradiction(context: Context, link: Link, { inputs }: DesiredEntry): string | undefined {
  const against = setsAround(context, link).find(({ fixed }) =>
    Object.keys(fixed).some((field) => isReference(fixed[field]) && !isReference(inputs[field])),
  );
  return against && `${against.label} are an exact set: list it there, or remove this line`;
}

function decideWanted(context: Context, link: Link, entry: DesiredEntry): LinkFate {
  const { definition, object } = link;
  const { inputs } = entry;
  const hasId = definition.idPrefix !== undefined;
  const observation = context.facts.observe(definition, link.ends, object);
  const { found } = observation;
  const isOther = hasId && found !== undefined && found.id !== object?.id;
  const cell: LinkCell = {
    declared: 'yes',
    recorded: object === undefined || isOther ? 'no' : 'yes',
    observed: observation.state,
    covered: 'no',
  };
  switch (decide(linkTable, cell)) {
    case 'adopt': {
      const because = 'already exists; Tether will manage it';
      const id = hasId && found ? { objectId: found.id } : {};
      return { action: 'adopt', reason: 'found', because, inputs, ...id };
    }
    case 'create':
      if (object === undefined) return createNew(context, link, entry);
      return { action: 'create', reason: 'gone', because: isGone, inputs };
    case 'leave alone':
      if (observation.state !== 'unknown') return nothing;
      return leave(link.address, observation.why, { at: entry.at });
    default:
      return nothing;
  }
}

const isGone = 'is not there any more';
const nothing = { action: 'nothing' } as const;

/** Decides about a link of a client that this plan makes. The POST carries links of the old client, and others are attached. */
function decideWithClient(
  context: Context,
  link: Link,
  entry: DesiredEntry,
  { address, replaces }: NonNullable<End['newClient']>,
): LinkFate {
  const { definition, key } = link;
  const [kind, ...parts] = key;
  const oldKey: LedgerKey = [kind, ...parts.map((part) => (part === address && replaces ? replaces : part))];
  const isPresent =
    replaces !== undefined &&
    context.facts.observe(definition, toEnds(definition, oldKey)).state === 'present';
  if (!isPresent) return createNew(context, link, entry);
  const because = 'the new client is created with it';
  return { action: 'move', reason: 'replaced', because, inputs: entry.inputs, from: keyText(oldKey) };
}

/** Creates a link, unless a list that was read whole lacks an end. Recorded and listed links are not judged by it. */
function createNew({ facts }: Context, { definition, ends, address }: Link, entry: DesiredEntry): LinkFate {
  const { lookups, organization } = facts.inputs.manifests;
  for (const field of definition.pair) {
    const { refersTo = '' } = definition.fields[field] ?? {};
    const { [field]: id = '' } = ends;
    if (!lookups?.listedKinds.has(refersTo) || lookups.currentNames.has(id)) continue;
    const why = `${id} is not among the ${refersTo}s of ${organization} that this token may list: correct or remove this line`;
    return leave(address, why, { at: entry.at });
  }
  const because = 'in the manifest, not on the service yet';
  return { action: 'create', reason: 'new', because, inputs: entry.inputs };
}

function decideRecorded(
  context: Context,
  declared: readonly LinkDecision[],
  clearKeys: ReadonlySet<string>,
): readonly LinkDecision[] {
  const { facts, outlook } = context;
  // The report about a declared link that is left alone is about the recorded one too.
  const reported = new Set(
    declared.flatMap(({ link, fate }) => (fate.action === 'leave' ? link.address : [])),
  );
  return [...facts.recordedLinks].flatMap(([text, { definition, ends }]): LinkDecision | readonly [] => {
    const isLeaving = Object.values(ends).some((id) => outlook.leaving.has(id));
    if (isLeaving || clearKeys.has(text)) return [];
    const link = linkBetween(context, definition, ends);
    if (reported.has(link.address)) return [];
    const observation = facts.observe(definition, ends, { ...link.object, isOnly: true });
    const [fate, notes = []] = decideUndeclared(context, link, observation);
    return { link, isDeclared: false, fate, notes };
  });
}

/** Decides about links that no line lists in an exact set, even if Tether did not make them. */
function decideUnlisted(context: Context, clearKeys: ReadonlySet<string>): readonly LinkDecision[] {
  const { facts, sets } = context;
  const decided = new Set<string>();
  return [...sets.values()].flatMap(({ kind, end }) => {
    const definition = findDefinition(kind);
    return (facts.foundAll(definition, end) ?? []).flatMap((found): LinkDecision | readonly [] => {
      const link = linkBetween(
        context,
        definition,
        toEnds(definition, toLedgerKey(definition, found.values)),
      );
      const isDeclared = clearKeys.has(link.text);
      if (decided.has(found.id) || isTheOne(facts, link, found, isDeclared)) return [];
      decided.add(found.id);
      const [fate, notes = []] = decideUnmanaged(context, link, found, isDeclared);
      return { link, isDeclared: false, fate, notes };
    });
  });
}

/** Reports the exact sets of which no list can be read. */
function findUnreadable({ facts, sets }: Context): readonly LeftAlone[] {
  return [...sets.values()].flatMap(({ kind, label, end, at }) => {
    if (facts.foundAll(findDefinition(kind), end) !== null) return [];
    const message = `${label} cannot be listed with this token, so Tether did not look for others among them.`;
    return { address: label, message, at };
  });
}

/** True for the one link of its pair that is declared or recorded. */
function isTheOne(facts: Facts, link: Link, { id }: Found, isDeclared: boolean): boolean {
  const { definition, ends, object } = link;
  if (isDeclared) return facts.observe(definition, ends, object).found?.id === id;
  return object !== undefined && (definition.idPrefix === undefined || object.id === id);
}

/** Decides about a link of the ledger that no line declares. */
function decideUndeclared(context: Context, link: Link, observation: Observation): Decided {
  const { facts, outlook } = context;
  const { definition, ends, address, object } = link;
  const [waiting] = Object.values(ends).flatMap((id) => outlook.waiting.get(id) ?? []);
  const cell: LinkCell = {
    declared: facts.isLinkForgotten(definition, ends, outlook.owners) ? 'forget' : 'no',
    recorded: 'yes',
    observed: waiting ? 'unknown' : observation.state,
    covered: setsAround(context, link).length > 0 ? 'yes' : 'no',
  };
  const id = object?.id === undefined ? {} : { objectId: object.id };
  switch (decide(linkTable, cell)) {
    case 'forget':
      return [{ action: 'forget', reason: 'forget-line', because: 'a `forget` line names it', ...id }];
    case 'forget gone':
      return [
        { action: 'forget', reason: 'already-gone', because: isGone, ...id },
        noteOthers(context, link),
      ];
    case 'delete':
      return [{ action: 'delete', ...facts.whyDeleted, ...id }, noteOthers(context, link)];
    case 'leave alone':
      if (waiting !== undefined) return [leave(address, `${waiting} is left alone`, { cause: waiting })];
      if (observation.state !== 'unknown') return [nothing];
      return [leave(address, observation.why, facts.forgetLine(address, link.text))];
    default:
      return [nothing];
  }
}

/** Decides about a link that the ledger does not have and an exact set does not list. */
function decideUnmanaged(context: Context, link: Link, found: Found, isDeclared: boolean): Decided {
  const { definition, ends, address } = link;
  const sets = setsAround(context, link);
  const isForgotten = context.facts.isLinkForgotten(definition, ends, context.outlook.owners);
  const cell: LinkCell = {
    declared: isForgotten ? 'forget' : 'no',
    recorded: 'no',
    observed: 'present',
    covered: sets.length > 0 ? 'yes' : 'no',
  };
  if (decide(linkTable, cell) === 'delete unmanaged') {
    const newSet = sets.find(({ isNew }) => isNew)?.label;
    const why = isDeclared
      ? ({ reason: 'duplicate', because: 'a second trigger of this pair, in an exact set' } as const)
      : ({
          reason: 'not-in-exact-set',
          because: `not listed under ${sets[0]?.label}, which is an exact set`,
        } as const);
    const set = newSet === undefined ? {} : { newSet };
    return [{ action: 'delete', unmanaged: true, ...why, objectId: found.id, ...set }];
  }
  const message = 'A `forget` line keeps it, although an exact set does not list it.';
  return [nothing, isForgotten ? [{ address, message }] : []];
}

/** Notes the other links of the pair, which stay. */
function noteOthers(context: Context, link: Link, isDeclared = false): readonly Note[] {
  const { definition, ends, address } = link;
  if (setsAround(context, link).length > 0) return [];
  const all = context.facts.foundAll(definition, ends) ?? [];
  const others = all.filter((found) => !isTheOne(context.facts, link, found, isDeclared));
  if (others.length === 0) return [];
  const verb = `${isDeclared ? 'also' : 'still'} ${others.length === 1 ? 'triggers' : 'trigger'}`;
  return [
    { address, message: `${others.map(({ id }) => id).join(', ')}, which Tether does not manage, ${verb}.` },
  ];
}
