/** A plan as text that a reviewer reads: its steps, then what is unknown, wrong or in the way, then the sum. */
import { definitionOf, type Issue } from '../../resources/kind';
import { registry } from '../../resources/registry';
import type { Action, Plan, Step } from '../plan/plan';
import { renderSteps } from './step';
import { counted, joinBlocks, type RenderOptions, row, section, styleFor } from './text';

/** The whole plan, ending with a line break; with `blockers: false` what stops an apply is left for `renderBlockers`. */
export function renderPlan(plan: Plan, options: RenderOptions & { readonly blockers?: false }): string {
  const style = styleFor(options);
  const { paint } = style;
  const item = (symbol: string, address: string, text: string): string =>
    row(symbol, address, text, '        ', style);
  const blockers = options.blockers === false ? [] : plan.blockers;
  return joinBlocks([
    ...renderSteps(plan.steps, style),
    ...section(
      paint.yellow('Unknown: neither created nor deleted, because it cannot be seen'),
      plan.unknown.map(({ address, why }) => item(paint.yellow('    ?'), address, why)),
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
      blockers.map(({ address = '', message }) => item(paint.red('    ✖'), address, message)),
    ),
    [paint.bold(summaryLine(summarize(plan)))],
  ]);
}

/** `… (clients.tether.yaml:3:5)`; without a place where no file is involved. */
function placed({ message, at }: Issue): string {
  return at === undefined ? message : `${message} (${at.file}:${at.line}:${at.column})`;
}

/** All blockers as text; empty when there is none. */
export function renderBlockers({ blockers }: Plan, options: RenderOptions): string {
  const style = styleFor(options);
  const { red } = style.paint;
  return section(
    red('Stopped before the first write; nothing was changed:'),
    blockers.map(({ address = '', message }) => row(`  ${red('✖')}`, address, message, '    ', style)),
  )
    .map((lines) => `${lines.join('\n')}\n`)
    .join('');
}

export interface PlanSummary {
  /** In the order in which they are shown. */
  readonly actions: Readonly<Record<Action, number>>;
  readonly unchanged: number;
  readonly unknown: number;
  readonly problems: number;
  readonly blockers: number;
  /** The most calls that write when every answer arrives; repeats after failures come on top. */
  readonly writes: number;
}

export function summarize({ steps, unchanged, unknown, problems, blockers }: Plan): PlanSummary {
  const actions = { create: 0, adopt: 0, update: 0, replace: 0, delete: 0, move: 0, forget: 0, cleanup: 0 };
  for (const { action } of steps) actions[action] += 1;
  return {
    actions,
    unchanged: unchanged.length,
    unknown: unknown.length,
    problems: problems.length,
    blockers: blockers.length,
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
  const { actions, unchanged, unknown, problems, writes } = summary;
  const parts = Object.entries(actions).flatMap(([action, count]) =>
    count === 0 ? [] : [`${count} to ${action === 'cleanup' ? 'clean up' : action}`],
  );
  const calls = writes === 0 ? 'no call to the API' : `at most ${counted(writes, 'call')}`;
  const budget = parts.length === 0 ? '' : ` Writes: ${calls}.`;
  if (unknown > 0) parts.push(`${unknown} unknown`);
  if (problems > 0) parts.push(counted(problems, 'problem'));
  if (parts.length === 0) return `Nothing to do. ${counted(unchanged, 'object')} as wanted.`;
  if (unchanged > 0) parts.push(`${unchanged} unchanged`);
  return `Plan: ${parts.join(', ')}.${budget}`;
}
