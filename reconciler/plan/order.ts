/** What must be done before what, and the order in which a plan shows its steps. */

import { foundAll } from '../../observation/evidence';
import { groupBy } from '../../resources/groups';
import { isReference, type ListRef, type ResourceDefinition } from '../../resources/kind';
import type { Profile } from '../../resources/profile';
import type { World } from './inputs';
import type { LinkPlan } from './links';
import type { Problem, Step } from './plan';

/** Adds the needs that lie between steps of different objects. `sets`: the exact sets by their fixed end. */
export function withNeeds(
  world: World,
  steps: readonly Step[],
  { sets, addresses }: Pick<LinkPlan, 'sets' | 'addresses'>,
  room: RoomFor,
) {
  const linkSteps = steps.filter(({ kind }) => world.isLink(kind));
  const creates = linkSteps.filter(({ action }) => action === 'create' || action === 'move');
  const createsOfSet = new Map<string, string[]>();
  for (const step of creates) {
    for (const set of setsOf(world, step, sets)) push(createsOfSet, set, step.id);
  }
  const linksOfClient = groupBy(linkSteps, (step) => clientOf(world, step, addresses));
  const scopes = scopeChanges(world, steps);
  return steps.map((step): Step => {
    const more = room.needs.get(step.id) ?? [];
    const needs = new Set([...step.needs, ...more]);
    if (world.isLink(step.kind)) {
      const client = clientOf(world, step, addresses);
      if (step.action === 'delete') {
        // What leaves an exact set waits for what it adds, unless it has to make room for that.
        const before = room.makers.has(step.id) ? [] : setsOf(world, step, sets);
        for (const set of before) for (const id of createsOfSet.get(set) ?? []) needs.add(id);
        const widening = scopes.widening.get(client);
        if (widening !== undefined) needs.add(widening);
      }
    } else {
      const links = linksOfClient.get(step.address) ?? [];
      const isRetirement = step.action === 'delete' && step.reason === 'replaced';
      const isNarrowing = scopes.narrowing.get(step.address) === step.id;
      for (const { id, action } of links) {
        if ((isRetirement || isNarrowing) && action !== 'delete') needs.add(id);
      }
    }
    needs.delete(step.id);
    return needs.size === step.needs.length ? step : { ...step, needs: [...needs] };
  });
}

function push(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** The exact sets that a link belongs to, or is deleted by. */
function setsOf(world: World, { key, kind }: Step, sets: ReadonlySet<string>): readonly string[] {
  if (sets.size === 0) return [];
  const names = world.definition(kind).pair.map((field, index) => `${kind} ${field} ${key[index + 1]}`);
  return names.filter((name) => sets.has(name));
}

/** The address of the client that a link belongs to; empty for other links. */
function clientOf(world: World, { kind, key, inputs }: Step, addresses: ReadonlyMap<string, string>): string {
  const { pair, fields } = world.definition(kind);
  for (const [index, field] of pair.entries()) {
    if (fields[field]?.refersTo !== world.clientKind.kind) continue;
    const end = inputs[field];
    if (isReference(end)) return end.address;
    const id = key[index + 1] ?? '';
    return addresses.get(id) ?? world.clientAddresses.get(id) ?? '';
  }
  return '';
}

/** Attach before the scope narrows, detach after it widens. */
function scopeChanges(world: World, steps: readonly Step[]) {
  const [scope] = Object.entries(world.clientKind.fields).flatMap(([name, { isScope }]) =>
    isScope ? [name] : [],
  );
  const narrowing = new Map<string, string>();
  const widening = new Map<string, string>();
  for (const { id, action, address, changes } of steps) {
    if (action !== 'update' && action !== 'adopt') continue;
    const change = changes.find(({ field }) => field === scope);
    if (change?.to === false) narrowing.set(address, id);
    if (change?.to === true) widening.set(address, id);
  }
  return { narrowing, widening };
}

/**
 * The lists that a plan needs where it both creates and deletes links of a target with a limit: of the target, to see how much room is
 * left, and of the other ends, if a delete has to make room for what may not be there. A target that only gets links is not looked at:
 * without room its create is refused.
 */
export function listsForRoom(world: World, steps: readonly Step[]): readonly ListRef[] {
  const { organization, inputs } = world;
  return inputs.registry.flatMap((definition) => {
    const { edge, pair, kind } = definition;
    const most = mostFrom(definition, inputs.manifests.profile);
    if (edge === undefined || most === null) return [];
    const idOf = ({ key }: Step, field: string) => key[pair.indexOf(field) + 1] ?? '';
    const own = steps.filter((step) => step.kind === kind);
    const targets = groupBy(own, (step) => idOf(step, edge.to));
    return [...targets].flatMap(([target, some]) => {
      const creates = some.filter(({ action }) => action === 'create');
      const isLosing = some.some(({ action }) => action === 'delete');
      if (creates.length === 0 || !isLosing) return [];
      const key = { organization, [edge.to]: target };
      const existing = foundAll(inputs.observed, definition, key);
      if (existing === null) return definition.listedIn(key);
      if (existing.length + creates.length <= most) return [];
      return creates.flatMap((step) =>
        definition.listedIn({ organization, [edge.from]: idOf(step, edge.from) }),
      );
    });
  });
}

/** Deletes that must come first, because their target has no room left for a create. */
export interface RoomFor {
  /** Steps without those for which there is no room at all. */
  readonly steps: readonly Step[];
  readonly problems: readonly Problem[];
  /** By create: the delete that makes room for it. */
  readonly needs: ReadonlyMap<string, readonly string[]>;
  readonly makers: ReadonlySet<string>;
}

export function makeRoom(world: World, steps: readonly Step[]): RoomFor {
  const needs = new Map<string, readonly string[]>();
  const makers = new Set<string>();
  const problems: Problem[] = [];
  const refused = new Set<string>();
  for (const definition of world.inputs.registry) {
    const { edge, pair, kind } = definition;
    const most = mostFrom(definition, world.inputs.manifests.profile);
    if (edge === undefined || most === null) continue;
    const place = pair.indexOf(edge.to) + 1;
    // The choice must not hang on the order of files and lists.
    const own = steps.filter((step) => step.kind === kind).sort((one, two) => (one.id < two.id ? -1 : 1));
    for (const [target, some] of groupBy(own, ({ key }) => key[place] ?? '')) {
      const creates = some.filter(({ action }) => action === 'create');
      const deletes = some.filter(({ action }) => action === 'delete');
      if (creates.length === 0) continue;
      const key = { organization: world.organization, [edge.to]: target };
      const existing = foundAll(world.inputs.observed, definition, key);
      if (existing === null) continue;
      const free = most - existing.length;
      for (const [index, create] of creates.entries()) {
        if (index < free) continue;
        const maker = deletes[index - Math.max(free, 0)];
        if (maker !== undefined) {
          needs.set(create.id, [maker.id]);
          makers.add(maker.id);
          continue;
        }
        refused.add(create.id);
        const message = `${create.address} is not created, because ${world.shown(target)} already has ${existing.length} sources and the service allows ${most}. Remove another one first.`;
        problems.push({ rule: 'too-many-sources', address: create.address, message });
      }
    }
  }
  return { steps: steps.filter(({ id }) => !refused.has(id)), problems, needs, makers };
}

function mostFrom({ edge }: ResourceDefinition, { limits }: Profile): number | null {
  return edge?.limit === undefined ? null : limits[edge.limit];
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

/** Each step after those that it needs; else by kind of work, then by kind of object, then as they were planned. */
export function inOrder(world: World, steps: readonly Step[]): readonly Step[] {
  const ranks = new Map(world.inputs.registry.map(({ kind }, index) => [kind, index]));
  const rank = (step: Step) => phases[step.action] * ranks.size + (ranks.get(step.kind) ?? 0);
  const byId = new Map(steps.map((step) => [step.id, step]));
  const ordered = new Set<Step>();
  const entered = new Set<Step>();
  for (const first of steps.toSorted((left, right) => rank(left) - rank(right))) {
    const waiting = [first];
    for (let step = waiting.at(-1); step !== undefined; step = waiting.at(-1)) {
      const open = entered.has(step)
        ? []
        : step.needs
            .flatMap((id) => byId.get(id) ?? [])
            .filter((one) => !ordered.has(one) && !entered.has(one));
      entered.add(step);
      if (open.length > 0) waiting.push(...open.reverse());
      else {
        ordered.add(step);
        waiting.pop();
      }
    }
  }
  return [...ordered];
}
