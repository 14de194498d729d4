/** What an apply did, as text: what failed and why, what was blocked or not tried, and the sum. */

import { plain } from '../../client/text';
import type { ApplyResult, StepResult, StepStatus } from '../apply/apply';
import type { Plan } from '../plan/plan';
import { type Colours, coloursFor, counted, prose, type RenderOptions } from './text';

/** The failures in full, then one line of counts; ends with a line break. */
export function renderApplySummary(result: ApplyResult, plan: Plan, options: RenderOptions): string {
  const paint = coloursFor(options);
  const section = (status: StepStatus, title: string): string[] => {
    const lines = result.steps
      .filter((step) => step.status === status)
      .map((step) => stepLine(step, options, paint));
    return lines.length === 0 ? [] : [title, ...lines, ''];
  };
  const left = [
    ...plan.undetermined,
    ...plan.problems.map(({ address, message }) => ({ address, why: message })),
  ];
  const unseen = left.map(
    (each) =>
      `  ${paint.yellow('?')} ${paint.bold(plain(each.address))}  ${prose(each.why, '      ', options)}`,
  );
  return `${[
    ...section('failed', paint.red('Failed:')),
    ...section('blocked', paint.yellow('Blocked by a failed step:')),
    ...section('not-tried', paint.yellow('Not tried:')),
    ...(unseen.length === 0
      ? []
      : [paint.yellow('Left alone, undetermined or with a problem:'), ...unseen, '']),
    paint.bold(countLine(result, left.length, commandOf(plan))),
  ].join('\n')}\n`;
}

function stepLine(step: StepResult, options: RenderOptions, paint: Colours): string {
  const text = step.message === undefined ? '' : `\n      ${prose(step.message, '      ', options)}`;
  return `  ${paint.red(step.status === 'failed' ? '✖' : '·')} ${paint.bold(plain(step.step))}${text}`;
}

/** The command that planned this: what a person runs again. */
function commandOf(plan: Plan): 'apply' | 'destroy' {
  return plan.steps.some((step) => step.reason === 'destroy') ? 'destroy' : 'apply';
}

function countLine(result: ApplyResult, left: number, command: 'apply' | 'destroy'): string {
  const { done, failed, blocked, 'not-tried': notTried } = result.counts;
  const parts = [`${done} done`];
  if (failed > 0) parts.push(`${failed} failed`);
  if (blocked > 0) parts.push(`${blocked} blocked`);
  if (notTried > 0) parts.push(`${notTried} not tried`);
  if (left > 0) parts.push(`${left} left alone`);
  const incomplete = failed + blocked + notTried > 0;
  const named = command === 'apply' ? 'Apply' : 'Destroy';
  const head = result.interrupted ? 'Interrupted' : named;
  return `${head}: ${parts.join(', ')}.${incomplete ? ` ${nextStep(result, command)}` : ''}`;
}

/** What was refused for what it says comes back the same: running again alone does not help. */
function nextStep({ steps }: ApplyResult, command: string): string {
  const refused = steps.filter((step) => step.refused === true).length;
  if (refused === 0) return `Run ${command} again to finish.`;
  return `The service refused ${counted(refused, 'step')} and will again: change the manifest, or what it names at the service, then run ${command} again to finish.`;
}
