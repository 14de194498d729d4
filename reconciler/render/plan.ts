/** A plan as text that a reviewer reads: its steps, then what is unknown, wrong or in the way, then the sum. */
import type { Issue } from '../../resources/kind';
import type { Plan } from '../plan/plan';
import { summarize, summaryLine } from './budget';
import { joinSteps, renderStep } from './step';
import { type Colours, coloursFor, plain, prose, type RenderOptions } from './text';

/** The whole plan, ending with a line break; with `stops: false` what stops an apply is left for `renderStops`. */
export function renderPlan(plan: Plan, options: RenderOptions & { readonly stops?: false }): string {
  const paint = coloursFor(options);
  const shown = options.stops === false ? { ...plan, stops: [] } : plan;
  const blocks = [...blocksOf(shown, options, paint), [paint.bold(summaryLine(summarize(plan)))]];
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function blocksOf(plan: Plan, options: RenderOptions, paint: Colours): string[][] {
  const steps = joinSteps(
    plan.steps.map((step) => {
      const told = plan.steps.some((other) => other.action === 'replace' && other.address === step.address);
      return renderStep(step, told, options, paint);
    }),
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
