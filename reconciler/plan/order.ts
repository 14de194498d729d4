/**
 * Orders the steps. Every rule of "X waits for Y" is here.
 *
 *     what the ledger has     forget, move, adopt
 *                                      |
 *     clients                 create, replace, update (widens the access)
 *                                      |
 *     links                   create, adopt, move ------> delete
 *                                      |                    |
 *     clients                 update (narrows the access)   |
 *                                      |                    |
 *     at the very end         delete of clients <-----------+
 *
 * `needs` waits for success: if a needed step fails, the waiting one is blocked. `after` waits for the end. At a target of triggers that
 * may lack room, the arrow between create and delete is reversed.
 */
import { groupBy } from '../../resources/groups';
import { isLink } from '../../resources/kind';
import { registry } from '../../resources/registry';
import { lostAttachments } from './carried-sets';
import { setsScope } from './changes';
import type { Outlook } from './decisions';
import type { Facts } from './facts';
import { endNames } from './link-ends';
import { isAddressPart, type Step } from './plan';
import { findLimitedTargets, isCrowded } from './room';
import type { Unordered } from './steps';

type BareStep = Unordered<Step>;

/** The steps by what the rules look for. */
interface Context {
  readonly facts: Facts;
  /** The addresses of clients, as they are after the plan, and else before it. The keys are ids. */
  readonly owners: ReadonlyMap<string, string>;
  readonly steps: readonly BareStep[];
  /** The places of the steps in the order in which they were built. */
  readonly places: ReadonlyMap<BareStep, number>;
  readonly clientsByAddress: ReadonlyMap<string, readonly BareStep[]>;
  /** The steps of links, other than deletes, by the addresses of their clients. */
  readonly stayingByOwner: ReadonlyMap<string, readonly BareStep[]>;
  /** The creates and moves of links, by the names of their ends. */
  readonly newByEnd: ReadonlyMap<string, readonly BareStep[]>;
  readonly newClients: readonly BareStep[];
  /** The deletes that may have to make room for a create. The keys are creates. */
  readonly roomFor: ReadonlyMap<BareStep, readonly BareStep[]>;
  readonly roomMakers: ReadonlySet<BareStep>;
}

/** Adds `needs` and `after` to each step, and sorts each after those that it waits for. */
export function orderSteps(facts: Facts, { owners }: Outlook, steps: readonly BareStep[]): readonly Step[] {
  const clients = steps.filter((step) => !isLink(step.kind));
  const links = steps.filter((step) => isLink(step.kind));
  const crowded = findLimitedTargets(facts, links, (step) => step).filter(isCrowded);
  const context: Context = {
    facts,
    owners,
    steps,
    places: new Map(steps.map((step, place) => [step, place])),
    clientsByAddress: groupBy(clients, ({ address }) => address),
    stayingByOwner: indexBy(
      links.filter(({ action }) => action !== 'delete'),
      (step) => findOwners(owners, step),
    ),
    newByEnd: indexBy(
      links.filter(({ action }) => action === 'create' || action === 'move'),
      ({ key }) => endNames(key),
    ),
    newClients: clients.filter(isNewClient),
    roomFor: new Map(crowded.flatMap(({ creates, deletes }) => creates.map((step) => [step, deletes]))),
    roomMakers: new Set(crowded.flatMap(({ deletes }) => deletes)),
  };
  const idsOf = (rules: readonly Rule[], step: BareStep) => [
    ...new Set(rules.flatMap((rule) => rule(step, context).map(({ id }) => id))),
  ];
  const waiting = steps.map((step): Step => {
    const after = idsOf(afterRules, step);
    return { ...step, needs: idsOf(needRules, step), ...(after.length > 0 && { after }) };
  });
  return sortSteps(waiting);
}

/** Returns the steps that a step waits for. */
type Rule = (step: BareStep, context: Context) => readonly BareStep[];

/** Each step of a client needs the earlier ones of its address. A move needs those of the address that it leaves. */
const earlierStepsOfTheAddress: Rule = (step, { clientsByAddress, places }) => {
  if (isLink(step.kind)) return [];
  const address = step.action === 'move' ? step.from : step.address;
  const place = places.get(step) ?? 0;
  return (clientsByAddress.get(address) ?? []).filter((step) => (places.get(step) ?? 0) < place);
};

/** A link needs the client that this plan makes for it. */
const clientOfALink: Rule = (step, { clientsByAddress }) => {
  if (!isLink(step.kind)) return [];
  const addresses = step.key.slice(1).filter(isAddressPart);
  return addresses.flatMap((address) => (clientsByAddress.get(address) ?? []).filter(isNewClient));
};

/** A link needs the takeover of its client, which records at that client the links that it was created with. */
const takeoverOfItsClient: Rule = (step, { clientsByAddress, owners }) => {
  if (!isLink(step.kind)) return [];
  const clients = findOwners(owners, step).flatMap((address) => clientsByAddress.get(address) ?? []);
  return clients.filter(({ action, reason }) => action === 'adopt' && reason === 'taken-over');
};

/** A link is deleted after its client is offered to everybody. */
const widerScope: Rule = (step, { clientsByAddress, owners }) => {
  if (!isLink(step.kind) || step.action !== 'delete') return [];
  const steps = findOwners(owners, step).flatMap((address) => clientsByAddress.get(address) ?? []);
  return steps.filter((client) => changesScope(client, true));
};

/** A client is no longer offered to everybody, and its predecessor is deleted, after its links are made, moved, adopted or forgotten. */
const linksOfANarrowedClient: Rule = (step, { stayingByOwner }) => {
  // Only the delete of a predecessor has this reason.
  const isPredecessor = step.action === 'delete' && step.reason === 'replaced';
  if (isLink(step.kind) || !(isPredecessor || changesScope(step, false))) return [];
  return stayingByOwner.get(step.address) ?? [];
};

/** A step that ends a link needs the new links that have an end in common with it, because one of them may take its place. */
const newLinksOfTheSameEnds: Rule = (step, { facts, newByEnd, roomMakers }) => {
  if (step.action !== 'delete' || roomMakers.has(step)) return [];
  const keys =
    'affected' in step
      ? lostAttachments(facts, { id: step.objectId, values: step.observed }, step.affected)
      : [step.key];
  return keys.flatMap(endNames).flatMap((end) => newByEnd.get(end) ?? []);
};

/** A client is deleted only if all new ones were made. */
const newClients: Rule = (step, context) =>
  !isLink(step.kind) && step.action === 'delete' ? context.newClients : [];

const needRules = [
  earlierStepsOfTheAddress,
  clientOfALink,
  takeoverOfItsClient,
  widerScope,
  linksOfANarrowedClient,
  newLinksOfTheSameEnds,
  newClients,
];

/** A client is deleted after everything else. */
const everythingElse: Rule = (step, { steps }) => {
  if (isLink(step.kind) || step.action !== 'delete') return [];
  // A step that only drops an entry of the ledger may need the delete before it at that address.
  return steps.filter(({ kind, action }) => action !== 'forget' && (isLink(kind) || action !== 'delete'));
};

/** At a crowded target, links are created after the deletes that may have to make room for them. */
const room: Rule = (step, { roomFor }) => roomFor.get(step) ?? [];

const afterRules = [everythingElse, room];

function isNewClient({ action }: BareStep): boolean {
  return action === 'create' || action === 'replace';
}

function changesScope(step: BareStep, scope: boolean): boolean {
  return step.action !== 'replace' && 'changes' in step && setsScope(step.changes, scope);
}

/** Returns the addresses of the clients of a link, and of a trigger the ids of its workspaces. */
function findOwners(owners: ReadonlyMap<string, string>, { key: [, ...parts] }: BareStep): readonly string[] {
  return parts.map((part) => owners.get(part) ?? part);
}

function indexBy<Item>(items: readonly Item[], namesOf: (item: Item) => readonly string[]) {
  const pairs = items.flatMap((item) => namesOf(item).map((name) => ({ name, item })));
  const groups = [...groupBy(pairs, ({ name }) => name)];
  return new Map(groups.map(([name, group]) => [name, group.map(({ item }) => item)]));
}

const phases: Readonly<Record<Step['action'], number>> = {
  forget: 0,
  move: 0,
  adopt: 1,
  create: 2,
  replace: 3,
  update: 4,
  delete: 5,
};

/** Sorts each step after those that it waits for. Otherwise the action decides, then the kind, then the order of planning. */
function sortSteps(steps: readonly Step[]): readonly Step[] {
  const ranks = new Map(registry.map(({ kind }, index) => [kind, index]));
  const rank = (step: Step) => phases[step.action] * ranks.size + (ranks.get(step.kind) ?? 0);
  const byId = new Map(steps.map((step) => [step.id, step]));
  const entered = new Set<Step>();
  const ordered = new Set<Step>();
  const add = (step: Step): void => {
    if (ordered.has(step)) return;
    if (entered.has(step)) throw new Error(`steps wait for each other: ${step.id}`);
    entered.add(step);
    for (const id of [...step.needs, ...(step.after ?? [])]) {
      const before = byId.get(id);
      if (before !== undefined) add(before);
    }
    ordered.add(step);
  };
  for (const step of steps.toSorted((left, right) => rank(left) - rank(right))) add(step);
  return [...ordered];
}
