/** How a plan is summed up: steps by action, and the most calls that write. */
import { definitionOf, type Registry, registry } from '../../resources/registry';
import type { Action, Plan, Step } from '../plan/plan';
import { counted } from './text';

export interface PlanSummary {
  readonly actions: Readonly<Record<Action, number>>;
  readonly unchanged: number;
  readonly undetermined: number;
  readonly problems: number;
  readonly stops: number;
  /** The most calls that write when every answer arrives; repeats after failures come on top. */
  readonly writes: number;
}

/** Counts what a plan does. */
export function summarize(plan: Plan, kinds: Registry = registry): PlanSummary {
  const { steps } = plan;
  const count = (action: Action): number => steps.filter((step) => step.action === action).length;
  return {
    actions: {
      create: count('create'),
      update: count('update'),
      replace: count('replace'),
      delete: count('delete'),
      adopt: count('adopt'),
      move: count('move'),
      forget: count('forget'),
      sweep: count('sweep'),
    },
    unchanged: plan.unchanged.length,
    undetermined: plan.undetermined.length,
    problems: plan.problems.length,
    stops: plan.stops.length,
    writes: steps.reduce((total, step) => total + writesOf(step, kinds), 0),
  };
}

/** An object with an id of its own is created under a temporary name and then renamed: two calls. */
function writesOf(step: Step, kinds: Registry): number {
  if (step.action === 'create' || step.action === 'replace') {
    return definitionOf(step.kind, kinds).pair.length === 0 ? 2 : 1;
  }
  if (step.action === 'delete') return step.reason === 'already-gone' ? 0 : 1;
  if (step.action === 'sweep') return 1;
  if (step.action === 'forget' || step.action === 'move') {
    return step.changes.some((change) => !change.local) && step.action === 'move' ? 1 : 0;
  }
  return step.changes.some((change) => !change.local) ? 1 : 0;
}

const verbs: readonly (readonly [Action, string])[] = [
  ['create', 'to create'],
  ['adopt', 'to adopt'],
  ['update', 'to update'],
  ['replace', 'to replace'],
  ['delete', 'to delete'],
  ['move', 'to move'],
  ['forget', 'to forget'],
  ['sweep', 'to sweep'],
];

/** `Plan: 3 to create, 1 to update, 60 unchanged. Writes: at most 9 calls.`, or that there is nothing to do. */
export function summaryLine(summary: PlanSummary): string {
  const parts = verbs.flatMap(([action, text]) =>
    summary.actions[action] === 0 ? [] : [`${summary.actions[action]} ${text}`],
  );
  const steps = parts.length;
  if (summary.undetermined > 0) parts.push(`${summary.undetermined} undetermined`);
  if (summary.problems > 0) parts.push(counted(summary.problems, 'problem'));
  if (parts.length === 0) return `Nothing to do. ${counted(summary.unchanged, 'object')} as wanted.`;
  if (summary.unchanged > 0) parts.push(`${summary.unchanged} unchanged`);
  const budget = steps === 0 ? '' : ` Writes: ${budgetText(summary.writes)}.`;
  return `Plan: ${parts.join(', ')}.${budget}`;
}

function budgetText(writes: number): string {
  return writes === 0 ? 'no call to the API' : `at most ${counted(writes, 'call')}`;
}
