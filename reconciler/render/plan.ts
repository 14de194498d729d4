/** A plan as text that a reviewer reads: its steps, then what is unknown, wrong or in the way, then the sum. */

import { plain } from '../../client/text';
import { definitionOf, type Issue, type Registry } from '../../resources/kind';
import { registry } from '../../resources/registry';
import type { Action, Plan, Step } from '../plan/plan';
import { joinSteps, renderStep } from './step';
import { type Colours, coloursFor, counted, prose, type RenderOptions } from './text';

/** The whole plan, ending with a line break; with `stops: false` what stops an apply is left for `renderStops`. */
export function renderPlan(plan: Plan, options: RenderOptions & { readonly stops?: false }): string {
  const paint = coloursFor(options);
  const shown = options.stops === false ? { ...plan, stops: [] } : plan;
  const blocks = [...blocksOf(shown, options, paint), [paint.bold(summaryLine(summarize(plan)))]];
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function blocksOf(plan: Plan, options: RenderOptions, paint: Colours): string[][] {
  const replaced = new Set(
    plan.steps.flatMap(({ action, address }) => (action === 'replace' ? address : [])),
  );
  const steps = joinSteps(
    plan.steps.map((step) => renderStep(step, replaced.has(step.address), options, paint)),
  );
  const rows = (title: string, lines: string[]): string[][] =>
    lines.length === 0 ? [] : [[title, ...lines]];
  const item = (symbol: string, address: string, text: string): string =>
    `${symbol} ${address === '' ? '' : `${paint.bold(plain(address))}  `}${prose(text, '        ', options)}`;
  return [
    ...steps,
    ...rows(
      paint.yellow('Undetermined: neither created nor deleted, because it cannot be seen'),
      plan.undetermined.map((each) => item(paint.yellow('    ?'), each.address, each.why)),
    ),
    ...rows(
      paint.red('Problems: these addresses are left alone until they are solved'),
      plan.problems.map((each) => item(paint.red('    !'), each.address, each.message + placeOf(each))),
    ),
    ...rows(
      paint.yellow('Warnings'),
      plan.warnings.map((each) => item(paint.yellow('    !'), '', each.message + placeOf(each))),
    ),
    ...rows(
      'Notes',
      plan.notes.map((each) => item('    ·', each.address, each.text)),
    ),
    ...rows(
      paint.red('Apply will stop before its first write:'),
      plan.stops.map((each) => item(paint.red('    ✖'), each.address ?? '', each.message)),
    ),
  ];
}

/** ` (clients.tether.yaml:3:5)`; empty where no file is involved. */
function placeOf(issue: Pick<Issue, 'at'>): string {
  return issue.at === undefined ? '' : ` (${issue.at.file}:${issue.at.line}:${issue.at.column})`;
}

/** All stops as text; empty when there is none. */
export function renderStops({ stops }: Plan, options: RenderOptions): string {
  if (stops.length === 0) return '';
  const paint = coloursFor(options);
  const lines = stops.map(({ address, message }) => {
    const subject = address === undefined ? '' : `${paint.bold(plain(address))}  `;
    return `  ${paint.red('✖')} ${subject}${prose(message, '    ', options)}`;
  });
  return `${[paint.red('Stopped before the first write; nothing was changed:'), ...lines].join('\n')}\n`;
}

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
