/** What an apply did: what failed and why, what was blocked or not tried, and the sum. */
import { plain, plainLines } from '../../client/text';
import { hang } from '../../client/wrap';
import type { Manifests } from '../../manifest/desired';
import { renderPosition } from '../../manifest/issues';
import type { ApplyResult, StepStatus } from '../apply/apply';
import type { Plan } from '../plan/plan';
import { counted, joinBlocks, listing, type RenderOptions, section, someOf, styleFor } from './text';

const indent = '        ';
/** Of what waits for another run no more is shown. */
const mostWaiting = 20;

export interface SummaryOptions {
  /** What the user runs again. */
  readonly command?: 'apply' | 'destroy';
  /** They say where a failed step stands. */
  readonly entries?: Manifests['entries'];
}

/** Ends with a line break. */
export function renderApplySummary(
  result: ApplyResult,
  plan: Plan,
  { command = 'apply', entries = [], ...options }: RenderOptions & SummaryOptions,
): string {
  const style = styleFor(options);
  const { paint } = style;
  const places = new Map(entries.map(({ address, at }) => [address, ` (${renderPosition(at)})`]));
  const stepsWith = (status: StepStatus) => {
    const all = result.steps.filter((step) => step.status === status);
    const isCut = status !== 'failed' && !options.all && all.length > mostWaiting;
    const steps = isCut ? all.slice(0, mostWaiting) : all;
    const more = isCut ? [`    … and ${all.length - mostWaiting} more (-v lists them)`] : [];
    // A token is refused once, however many calls it strikes.
    const refusal = steps.find(({ code }) => code === 'unauthorized');
    const lines = steps.flatMap((one) => {
      const { step, address, message, code } = one;
      const isRepeated = code === 'unauthorized' && one !== refusal;
      const place = status === 'failed' ? (places.get(address) ?? '') : '';
      const text =
        isRepeated || message === undefined ? [] : hang(indent, plainLines(message + place), style.width);
      return [`    ${paint.red(status === 'failed' ? '✖' : '·')} ${paint.bold(plain(step))}`, ...text];
    });
    return [...lines, ...more];
  };
  const left = [...plan.unknown, ...plan.problems.map(({ address, message }) => ({ address, why: message }))];
  const title = 'Left alone, unknown or with a problem:';
  const byHand = 'Now by hand, in the version control settings of each workspace:';
  return joinBlocks([
    ...section(paint.red('Failed:'), stepsWith('failed')),
    ...section(paint.yellow('Blocked by a failed step:'), stepsWith('blocked')),
    ...section(paint.yellow('Not tried:'), stepsWith('not-tried')),
    ...listing(style, { mark: 'unknown', title }, left, ({ why }) => why),
    ...listing(style, { mark: 'warning', title: byHand }, unlinked(result, plan), ({ text }) => text),
    hang('', paint.bold(countLine(result, left.length, command)), style.width),
  ]);
}

/** Clients that went, with the workspaces to connect again, and to which client. */
function unlinked({ steps }: ApplyResult, plan: Plan) {
  const done = new Map(steps.flatMap((one) => (one.status === 'done' ? [[one.step, one] as const] : [])));
  const gone = plan.steps.filter(({ action, id }) => action === 'delete' && done.has(id));
  return gone.flatMap(({ address, risks }) => {
    const renewal = plan.steps.find((one) => one.action === 'replace' && one.address === address);
    const successor = done.get(renewal?.id ?? '')?.objectId;
    const next = successor === undefined ? '' : `; connect them to ${successor}`;
    const unlinks = risks.filter((risk) => risk.includes('reconnected by hand'));
    return unlinks.map((risk) => ({ address, text: risk + next }));
  });
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
  const isLost = steps.some(({ code }) => code === 'answer-lost');
  if (refused === 0)
    return `Run ${command} again to finish${isLost ? '; it checks first what was applied' : ''}.`;
  return `The service refused ${counted(refused, 'step')} and will again: change the manifest, or what it names at the service, then run ${command} again to finish.`;
}
