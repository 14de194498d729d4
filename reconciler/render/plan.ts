/** A plan as text: its steps, then what is unknown, wrong or in the way, then the sum. */
import { definitionOf, type Issue } from '../../resources/kind';
import { registry } from '../../resources/registry';
import type { Plan, Step } from '../plan/plan';
import { renderSteps } from './step';
import { counted, joinBlocks, listing, type RenderOptions, styleFor } from './text';

/** Ends with a line break; with `blockers: false` what stops an apply is left for `renderBlockers`. */
export function renderPlan(plan: Plan, options: RenderOptions & { readonly blockers?: false }): string {
  const style = styleFor(options);
  const unseen = 'Unknown (not readable with this token, or waiting for what is): left unchanged';
  const wrong = 'Problems: these addresses are left alone until they are solved';
  const blocked = 'Apply will stop before its first write:';
  const warnings = plan.warnings.map((one) => ({ ...one, address: '' }));
  const blockers = options.blockers === false ? [] : plan.blockers;
  return joinBlocks([
    ...renderSteps(plan.steps, style),
    ...listing(style, { mark: 'unknown', title: unseen }, plan.unknown, ({ why }) => why),
    ...listing(style, { mark: 'problem', title: wrong }, plan.problems, placed),
    ...listing(style, { mark: 'warning', title: 'Warnings' }, warnings, placed),
    ...listing(style, { mark: 'note', title: 'Notes' }, plan.notes, ({ text }) => text),
    ...listing(style, { mark: 'blocker', title: blocked }, blockers, ({ message }) => message),
    [style.paint.bold(summaryLine(summarize(plan)))],
  ]);
}

/** `… (clients.tether.yaml:3:5)`; without a place where no file is involved. */
function placed({ message, at }: Issue): string {
  return at === undefined ? message : `${message} (${at.file}:${at.line}:${at.column})`;
}

/** Empty when there is none. */
export function renderBlockers({ blockers }: Plan, options: RenderOptions): string {
  if (blockers.length === 0) return '';
  const style = styleFor(options);
  const title = 'Stopped before the first write; nothing was changed:';
  return joinBlocks(
    listing(style, { mark: 'blocker', title, margin: '  ' }, blockers, ({ message }) => message),
  );
}

/** How many there are of each; actions in the order in which they are shown. */
export function summarize({ steps, unchanged, unknown, problems, blockers }: Plan) {
  const actions = { create: 0, adopt: 0, update: 0, replace: 0, delete: 0, move: 0, forget: 0, cleanup: 0 };
  for (const { action } of steps) actions[action] += 1;
  return {
    actions,
    unchanged: unchanged.length,
    unknown: unknown.length,
    problems: problems.length,
    blockers: blockers.length,
    /** The most calls that write when every answer arrives; repeats after failures come on top. */
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
export function summaryLine(summary: ReturnType<typeof summarize>): string {
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
