/** How many sources the profile allows a target: what makes room there first, and what finds none. */
import { grouped } from '../../resources/groups';
import type { Context } from './context';
import type { Step } from './plan';
import { type Findings, problem } from './steps';

/** The target of a link, where the profile limits its sources; null for all others. */
export function limitedTarget(context: Context, { kind, managed }: Step) {
  const definition = context.definition(kind);
  const { to = '', limit } = definition.edge ?? {};
  const most = limit === undefined ? null : context.desired.profile.limits[limit];
  const id = managed[to];
  // The ends of a missing link may be unknown.
  if (most === null || typeof id !== 'string') return null;
  return { name: `${kind} ${id}`, definition, ends: { [to]: id }, most };
}

/** The steps that take links away, by target that would have too many sources if adding came first. */
export function fullTargets(
  context: Context,
  steps: readonly Step[],
): ReadonlyMap<string, readonly string[]> {
  const targets = grouped(
    steps
      // What is let go or taken over neither takes room nor makes any.
      .filter(({ action }) => ['create', 'delete', 'cleanup'].includes(action))
      .flatMap((step) => {
        const target = limitedTarget(context, step);
        return target === null ? [] : [[target.name, { target, step }] as const];
      }),
  );
  return new Map(
    [...targets].flatMap(([name, links]) => {
      const [first] = links;
      if (first === undefined) return [];
      const { definition, ends, most } = first.target;
      // Without a list that shows them, there are more than any limit.
      const there = context.found(definition, ends)?.length ?? Infinity;
      const removing = links.flatMap(({ step: { action, id } }) => (action === 'create' ? [] : id));
      return there + links.length - removing.length > most ? [[name, removing] as const] : [];
    }),
  );
}

/** Without the creates for which their target has no room, whatever else is done: the service would refuse them. Where no list shows the target, only its answer tells. */
export function withinLimits(context: Context, findings: Required<Findings>): Required<Findings> {
  const { profile, profileName } = context.desired;
  const isLimited = context.registry.some(({ edge }) => edge?.limit && profile.limits[edge.limit] !== null);
  if (!isLimited) return findings;
  const isEnd = ({ action }: Step) => action === 'delete' || action === 'cleanup';
  const ending = new Set(findings.steps.flatMap((step) => (isEnd(step) ? (step.objectId ?? []) : [])));
  const targets = grouped(
    findings.steps.flatMap((step) => {
      const target = step.action === 'create' ? limitedTarget(context, step) : null;
      return target === null ? [] : [[target.name, { ...target, step }] as const];
    }),
  );
  /** By address of the create. */
  const refused = new Map<string, string>();
  for (const links of targets.values()) {
    const [first] = links;
    if (first === undefined) continue;
    const { definition, ends, most } = first;
    const from = definition.edge?.from ?? '';
    const staying = context.found(definition, ends)?.filter(({ id }) => !ending.has(id)) ?? [];
    const sources = new Set(staying.map(({ values }) => values[from])).size;
    const message = `its target keeps ${sources} and would get ${links.length} more, but profile ${profileName} allows ${most} sources: remove this line, or one of the others`;
    for (const { step } of links.slice(Math.max(0, most - sources))) refused.set(step.address, message);
  }
  if (refused.size === 0) return findings;
  const problems = context.linkEntries.flatMap((entry) => {
    const message = refused.get(entry.address);
    return message === undefined ? [] : (problem(entry, 'too-many-sources', message).problems ?? []);
  });
  return {
    ...findings,
    steps: findings.steps.filter(({ action, address }) => action !== 'create' || !refused.has(address)),
    problems: [...findings.problems, ...problems],
  };
}
