/** Puts the steps in an order in which they can be done, and says which must wait for which. Pure. */
import { foundAll } from '../../observation/observe';
import { isReference, type Key, type ResourceDefinition } from '../../resources/kind';

import { type Context, definitionFor } from './context';

import type { Draft } from './draft';
import type { Step } from './plan';

/** Rank of an action where nothing else decides: bookkeeping first, what makes things before what takes them away. */
const rank: Readonly<Record<Step['action'], number>> = {
  move: 0,
  forget: 1,
  sweep: 2,
  adopt: 3,
  create: 4,
  replace: 4,
  update: 5,
  delete: 6,
};

/** Adds the needs that follow from what the steps do to each other, and sorts: stable, needs first. */
export function orderSteps(context: Context, { steps, listedBeside }: Draft): readonly Step[] {
  const withNeeds = steps.map((step) => ({
    ...step,
    needs: [
      ...new Set([...step.needs, ...sweepsFirst(context, step, steps), ...extraNeeds(context, step, steps)]),
    ],
  }));
  return sortByNeeds(afterAdditions(withNeeds, listedBeside));
}

/** A member of an exact set goes when what is added to the set is there; where steps would wait for each other in a circle, it goes first. */
function afterAdditions(steps: readonly Step[], listedBeside: Draft['listedBeside']): readonly Step[] {
  const creates = steps.filter((step) => step.action === 'create');
  const additions = new Map(
    [...listedBeside].map(([id, listed]) => [
      id,
      creates.filter((other) => listed.has(other.address)).map((other) => other.id),
    ]),
  );
  const needs = new Map(steps.map(({ id, needs }) => [id, [...needs, ...(additions.get(id) ?? [])]]));
  return steps.map((step) => {
    const added = (additions.get(step.id) ?? []).filter((other) => !waitsFor(needs, other, step.id));
    return { ...step, needs: [...new Set([...step.needs, ...added])] };
  });
}

/** Whether one step waits for the other, over however many others. */
function waitsFor(needs: ReadonlyMap<string, readonly string[]>, one: string, other: string): boolean {
  const before = new Set([one]);
  for (const id of before) for (const need of needs.get(id) ?? []) before.add(need);
  return before.has(other);
}

/** What ends an unfinished create in the ledger comes after the sweep of what that create left. */
function sweepsFirst(context: Context, step: Step, all: readonly Step[]): readonly string[] {
  if (step.action === 'create' || step.action === 'replace' || step.action === 'sweep') return [];
  const pending = context.ledger.pending;
  const nonces = [step.key, step.movedFrom ?? step.key].map((key) => pending[key]?.nonce);
  return all
    .filter((other) => other.action === 'sweep' && nonces.includes(other.key))
    .map((other) => other.id);
}

function extraNeeds(context: Context, step: Step, all: readonly Step[]): readonly string[] {
  if (step.reason === 'replaced') return lastOfReplacement(step, all);
  if (step.action === 'update' || step.action === 'adopt') return beforeNarrowing(context, step, all);
  if (step.action === 'delete' && isLink(context, step)) return afterWidening(step, all);
  if (step.action === 'create' && isLink(context, step)) return roomFirst(context, step, all);
  return [];
}

function isLink(context: Context, step: Step): boolean {
  return definitionFor(context, step).pair.length > 0;
}

/** The old object goes when the new one and all that refers to it is there. */
function lastOfReplacement(step: Step, all: readonly Step[]): readonly string[] {
  // One that must go before its successor is replaced in turn waits for nothing.
  if (all.some((other) => other.action === 'replace' && other.needs.includes(step.id))) return [];
  return all
    .filter((other) => other.action === 'create' && refersTo(other, step.address, null))
    .map((other) => other.id);
}

/** Attach before the scope narrows. */
function beforeNarrowing(context: Context, step: Step, all: readonly Step[]): readonly string[] {
  if (!scopeChange(step, false)) return [];
  return all
    .filter((other) => other.action === 'create' && isLink(context, other))
    .filter((other) => refersTo(other, step.address, step.objectId ?? null))
    .map((other) => other.id);
}

/** Detach after the scope widened. */
function afterWidening(step: Step, all: readonly Step[]): readonly string[] {
  const ends = new Set(Object.values(step.managed));
  return all
    .filter((other) => scopeChange(other, true) && other.objectId !== undefined && ends.has(other.objectId))
    .map((other) => other.id);
}

function scopeChange(step: Step, to: boolean): boolean {
  return step.changes.some(
    (change) => change.field === 'organizationScoped' && change.to === to && change.from === !to,
  );
}

function refersTo(step: Step, address: string, id: string | null): boolean {
  return Object.values(step.inputs).some((value) =>
    isReference(value) ? value.address === address : value === id,
  );
}

/** Where adding would go beyond the sources that a target may have, what takes one away goes first. */
function roomFirst(context: Context, step: Step, all: readonly Step[]): readonly string[] {
  const definition = definitionFor(context, step);
  const { createLane: lane, edge } = definition;
  const limit = edge?.limit === undefined ? null : context.desired.profile.limits[edge.limit];
  if (limit === null || lane === undefined) return [];
  const mine = lane(idsOf(step));
  const added = all.filter((other) => other.action === 'create' && other.kind === step.kind);
  const there = linksInto(context, definition, idsOf(step));
  if (there + added.filter((other) => lane(idsOf(other)) === mine).length <= limit) return [];
  const makesRoom = ({ action }: Step): boolean => action === 'delete' || action === 'sweep';
  return all
    .filter((other) => makesRoom(other) && other.kind === step.kind && lane(idsOf(other)) === mine)
    .map((other) => other.id);
}

/** How many links share the end that has the limit; without a list that shows them, more than any limit. */
function linksInto(context: Context, definition: ResourceDefinition, ids: Key): number {
  const to = definition.edge?.to ?? '';
  const end = { organization: context.organization, [to]: ids[to] ?? '' };
  return foundAll(context.observed, definition, end)?.length ?? Number.POSITIVE_INFINITY;
}

function idsOf(step: Step): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(step.managed).flatMap(([field, value]) =>
      typeof value === 'string' ? [[field, value]] : [],
    ),
  );
}

function sortByNeeds(steps: readonly Step[]): readonly Step[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const done = new Set<string>();
  const order: Step[] = [];
  const visit = (step: Step): void => {
    if (done.has(step.id)) return;
    done.add(step.id);
    for (const need of step.needs) {
      const other = byId.get(need);
      if (other !== undefined) visit(other);
    }
    order.push(step);
  };
  const ranked = steps.map((step, index) => ({ step, index }));
  ranked.sort((one, two) => rank[one.step.action] - rank[two.step.action] || one.index - two.index);
  for (const { step } of ranked) visit(step);
  return order;
}
