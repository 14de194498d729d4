/** A plan as text: its sections, then what is unknown, wrong or in the way, then the sum. */
import { hang } from '../../client/wrap';
import { renderPosition } from '../../manifest/issues';
import type { Issue } from '../../resources/kind';
import type { Plan } from '../plan/plan';
import { planSections, renderSections } from './sections';
import { blockedBy, summarize, summaryLine } from './summary';
import { counted, joinBlocks, listing, type RenderOptions, type Style, styleFor } from './text';

interface PlanOptions extends RenderOptions {
  /** What stops an apply is left for `renderBlockers`. */
  readonly blockers?: false;
}

/** Ends with a line break. */
export function renderPlan(plan: Plan, options: PlanOptions): string {
  const style = styleFor(options);
  const unseen = 'Unknown (not readable with this token, or waiting for what is): left unchanged';
  const wrong = 'Problems: skipped until you fix them';
  const warnings = plan.warnings.map((one) => ({ ...one, address: '' }));
  return joinBlocks([
    ...renderSections(planSections(plan.steps, style)),
    listing(style, { mark: 'unknown', title: unseen }, plan.unknown, ({ why }) => why),
    listing(style, { mark: 'problem', title: wrong }, plan.problems, placed),
    listing(style, { mark: 'warning', title: 'Warnings' }, warnings, placed),
    listing(style, { mark: 'note', title: 'Notes' }, plan.notes, ({ text }) => text),
    options.blockers === false ? [] : blockersBlock(plan, style),
    hang('', style.paint.bold(summaryLine(summarize(plan))), style.width),
  ]);
}

/** `… (clients.tether.yaml:3:5)`; without a place where no file is involved. */
function placed({ message, at }: Issue): string {
  return at === undefined ? message : `${message} (${renderPosition(at)})`;
}

/** Empty when there is none. */
export function renderBlockers(plan: Plan, options: RenderOptions): string {
  if (plan.blockers.length === 0) return '';
  const stopped = 'Stopped before the first write; nothing was changed.';
  return joinBlocks([[stopped], blockersBlock(plan, styleFor(options))]);
}

/** What is in the way, and once the lines that approve it, as they stand in a manifest. */
function blockersBlock(plan: Plan, style: Style): readonly string[] {
  if (plan.blockers.length === 0) return [];
  const { title, causes, lines } = blockedBy(plan);
  const add = 'Add under `approved:` in a manifest, if it is meant';
  const pasted = lines.map((line) => `    ${line}`);
  if (causes.length === 0) return [...hang('', style.paint.red(`${title}. ${add}`), style.width), ...pasted];
  const listed = listing(style, { mark: 'blocker', title }, causes, ({ text }) => text);
  return [...listed, ...(pasted.length === 0 ? [] : [add, ...pasted])];
}

/** What to type next, with `again` for the same folder and flags; empty where nothing is to be done. */
export function nextOfPlan(plan: Plan, again: (command: 'plan' | 'apply') => string): string {
  const { steps, problems, blockers } = plan;
  if (blockers.length > 0) return `Next: resolve what blocks it, then ${again('plan')}`;
  if (steps.length > 0) return `Next: ${again('apply')}`;
  if (problems.length > 0) return `Next: fix the problems, then ${again('plan')}`;
  const { baselineRefresh: fresh, names } = plan;
  const what = [
    ...(fresh.length === 0 ? [] : [`the last applied values of ${counted(fresh.length, 'object')}`]),
    ...(names === undefined ? [] : ['what names mean']),
  ];
  return isNews(plan) ? `Next: ${again('apply')} (only the ledger changes: ${what.join(', ')})` : '';
}

/** Whether there is anything to apply: changed baselines and names are written to the ledger even when no step is left. */
export function isNews({ steps, baselineRefresh, names }: Plan): boolean {
  return steps.length > 0 || baselineRefresh.length > 0 || names !== undefined;
}
