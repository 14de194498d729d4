/** What an apply did: what failed and why, what was blocked or not tried, and the sum. */
import { plain } from '../../client/text';
import type { ApplyResult, StepStatus } from '../apply/apply';
import type { Plan } from '../plan/plan';
import { counted, joinBlocks, listing, prose, type RenderOptions, section, someOf, styleFor } from './text';

const indent = '      ';

/** Ends with a line break. `command` is what the user runs again. */
export function renderApplySummary(
  result: ApplyResult,
  plan: Plan,
  { command = 'apply', ...options }: RenderOptions & { readonly command?: 'apply' | 'destroy' },
): string {
  const style = styleFor(options);
  const { paint } = style;
  const stepsWith = (status: StepStatus) =>
    result.steps
      .filter((step) => step.status === status)
      .map(({ step, message }) => {
        const text = message === undefined ? '' : `\n${indent}${prose(message, indent, style)}`;
        return `  ${paint.red(status === 'failed' ? '✖' : '·')} ${paint.bold(plain(step))}${text}`;
      });
  const left = [...plan.unknown, ...plan.problems.map(({ address, message }) => ({ address, why: message }))];
  const title = 'Left alone, unknown or with a problem:';
  return joinBlocks([
    ...section(paint.red('Failed:'), stepsWith('failed')),
    ...section(paint.yellow('Blocked by a failed step:'), stepsWith('blocked')),
    ...section(paint.yellow('Not tried:'), stepsWith('not-tried')),
    ...listing(style, { mark: 'unknown', title, margin: '  ' }, left, ({ why }) => why),
    [paint.bold(countLine(result, left.length, command))],
  ]);
}

function countLine(result: ApplyResult, left: number, command: 'apply' | 'destroy'): string {
  const { done, failed, blocked, 'not-tried': notTried } = result.counts;
  const others = someOf({ failed, blocked, 'not tried': notTried, 'left alone': left });
  const head = result.interrupted ? 'Interrupted' : command === 'destroy' ? 'Destroy' : 'Apply';
  const next = failed + blocked + notTried > 0 ? ` ${nextStep(result, command)}` : '';
  return `${head}: ${[`${done} done`, ...others].join(', ')}.${next}`;
}

/** A request refused for its content is refused again: running again alone does not help. */
function nextStep({ steps }: ApplyResult, command: string): string {
  const refused = steps.filter((step) => step.refused === true).length;
  if (refused === 0) return `Run ${command} again to finish.`;
  return `The service refused ${counted(refused, 'step')} and will again: change the manifest, or what it names at the service, then run ${command} again to finish.`;
}
