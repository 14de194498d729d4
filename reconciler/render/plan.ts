/** A plan as text that a reviewer reads: its steps, then what is unknown, wrong or in the way, then the sum. */
import { definitionOf, type Issue } from '../../resources/kind';
import { registry } from '../../resources/registry';
import type { Action, Plan, Step } from '../plan/plan';
import { renderSteps } from './step';
import { counted, joinBlocks, type RenderOptions, row, section, styleFor } from './text';

/** The whole plan, ending with a line break; with `stops: false` what stops an apply is left for `renderStops`. */
export function renderPlan(plan: Plan, options: RenderOptions & { readonly stops?: false }): string {
  const style = styleFor(options);
  const { paint } = style;
  const item = (symbol: string, address: string, text: string): string =>
    row(symbol, address, text, '        ', style);
  const stops = options.stops === false ? [] : plan.stops;
  return joinBlocks([
    ...renderSteps(plan.steps, style),
    ...section(
      paint.yellow('Undetermined: neither created nor deleted, because it cannot be seen'),
      plan.undetermined.map(({ address, why }) => item(paint.yellow('    ?'), address, why)),
    ),
    ...section(
      paint.red('Problems: these addresses are left alone until they are solved'),
      plan.problems.map((one) => item(paint.red('    !'), one.address, placed(one))),
    ),
    ...section(
      paint.yellow('Warnings'),
      plan.warnings.map((one) => item(paint.yellow('    !'), '', placed(one))),
    ),
    ...section(
      'Notes',
      plan.notes.map(({ address, text }) => item('    ·', address, text)),
    ),
    ...section(
      paint.red('Apply will stop before its first write:'),
      stops.map(({ address = '', message }) => item(paint.red('    ✖'), address, message)),
    ),
    [paint.bold(summaryLine(summarize(plan)))],
  ]);
}

/** `… (clients.tether.yaml:3:5)`; without a place where no file is involved. */
function placed({ message, at }: Issue): string {
  return at === undefined ? message : `${message} (${at.file}:${at.line}:${at.column})`;
}

/** All stops as text; empty when there is none. */
export function renderStops({ stops }: Plan, options: RenderOptions): string {
  const style = styleFor(options);
  const { red } = style.paint;
  return section(
    red('Stopped before the first write; nothing was changed:'),
    stops.map(({ address = '', message }) => row(`  ${red('✖')}`, address, message, '    ', style)),
  )
    .map((lines) => `${lines.join('\n')}\n`)
    .join('');
}

export interface PlanSummary {
  /** In the order in which they are shown. */
  readonly actions: Readonly<Record<Action, number>>;
  readonly unchanged: number;
  readonly undetermined: number;
  readonly problems: number;
  readonly stops: number;
  /** The most calls that write when every answer arrives; repeats after failures come on top. */
  readonly writes: number;
}

export function summarize({ steps, unchanged, undetermined, problems, stops }: Plan): PlanSummary {
  const actions = { create: 0, adopt: 0, update: 0, replace: 0, delete: 0, move: 0, forget: 0, cleanup: 0 };
  for (const { action } of steps) actions[action] += 1;
  return {
    actions,
    unchanged: unchanged.length,
    undetermined: undetermined.length,
    problems: problems.length,
    stops: stops.length,
    writes: steps.reduce((total, step) => total + writesOf(step), 0),
  };
}

/** An object with an id of its own is created under a temporary name and then renamed: two calls. */
function writesOf({ action, kind, changes }: Step): number {
  if (action === 'create' || action === 'replace') {
    return definitionOf(kind, registry).pair.length === 0 ? 2 : 1;
  }
  if (action === 'delete' || action === 'cleanup') return 1;
  return action !== 'forget' && changes.some((change) => !change.local) ? 1 : 0;
}

/** `Plan: 3 to create, 1 to update, 60 unchanged. Writes: at most 9 calls.`, or that there is nothing to do. */
export function summaryLine(summary: PlanSummary): string {
  const { actions, unchanged, undetermined, problems, writes } = summary;
  const parts = Object.entries(actions).flatMap(([action, count]) =>
    count === 0 ? [] : [`${count} to ${action === 'cleanup' ? 'clean up' : action}`],
  );
  const calls = writes === 0 ? 'no call to the API' : `at most ${counted(writes, 'call')}`;
  const budget = parts.length === 0 ? '' : ` Writes: ${calls}.`;
  if (undetermined > 0) parts.push(`${undetermined} undetermined`);
  if (problems > 0) parts.push(counted(problems, 'problem'));
  if (parts.length === 0) return `Nothing to do. ${counted(unchanged, 'object')} as wanted.`;
  if (unchanged > 0) parts.push(`${unchanged} unchanged`);
  return `Plan: ${parts.join(', ')}.${budget}`;
}
