/** What an apply did: what failed and why, what was blocked or not tried, and the sum. */
import { hang } from '../../client/wrap';
import { renderPosition } from '../../manifest/issues';
import { byHand } from '../../resources/oauth-client';
import type { ApplyResult, StepResult, StepStatus } from '../apply/apply';
import type { Plan } from '../plan/plan';
import { counted, joinBlocks, listing, type RenderOptions, someOf, styleFor } from './text';

/** Of what waits for another run no more is shown. */
const mostWaiting = 20;

interface SummaryOptions extends RenderOptions {
  /** What the user runs again. */
  readonly command?: string;
}

/** Ends with a line break. */
export function renderApplySummary(
  result: ApplyResult,
  plan: Plan,
  { command = 'apply', ...options }: SummaryOptions,
): string {
  const style = styleFor(options);
  const results = asPlanned(plan, result.steps);
  const places = new Map(
    options.manifests?.entries.map(({ address, at }) => [address, ` (${renderPosition(at)})`]),
  );
  // A token is refused once, however many calls it strikes.
  const refusal = results.find(({ code }) => code === 'unauthorized')?.message;
  const stepsWith = (status: StepStatus, mark: 'blocker' | 'left', title: string) => {
    const all = results.filter((one) => one.status === status);
    const most = status === 'failed' || options.all ? all.length : mostWaiting;
    const rest = all.length - most;
    const steps = all.slice(0, most).map(({ step, address, message = '', code }) => {
      const place = status === 'failed' ? (places.get(address) ?? '') : '';
      return { address: step, text: code === 'unauthorized' ? `${refusal}` : message + place };
    });
    const more = rest > 0 ? [`    … and ${rest} more (-v lists them)`] : [];
    return [...listing(style, { mark, title }, steps, ({ text }) => text), ...more];
  };
  const countOf = (one: StepStatus) => results.filter(({ status }) => status === one).length;
  const done = countOf('done');
  const left = [...plan.unknown, ...plan.problems.map(({ address, message }) => ({ address, why: message }))];
  const title = 'Left alone, unknown or with a problem:';
  const head = result.interrupted ? 'Interrupted' : command === 'destroy' ? 'Destroy' : 'Apply';
  const others = someOf({
    failed: countOf('failed'),
    blocked: countOf('blocked'),
    'not tried': countOf('not-tried'),
    'left alone': left.length,
  });
  const next = done < results.length ? ` ${nextStep(results, command)}` : '';
  const byHand = 'Now by hand, in the version control settings of each workspace:';
  return joinBlocks([
    stepsWith('failed', 'blocker', 'Failed:'),
    stepsWith('blocked', 'left', 'Blocked by a failed step:'),
    stepsWith('not-tried', 'left', 'Not tried:'),
    listing(style, { mark: 'unknown', title }, left, ({ why }) => why),
    listing(style, { mark: 'warning', title: byHand }, unlinked(result, plan), ({ text }) => text),
    hang('', style.paint.bold(`${head}: ${[`${done} done`, ...others].join(', ')}.${next}`), style.width),
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
    const unlinks = risks.filter((risk) => risk.includes(byHand));
    return unlinks.map((risk) => ({ address, text: risk + next }));
  });
}

/** A replacement once, as the plan counts it, and as far as it came. */
function asPlanned({ steps }: Plan, results: readonly StepResult[]): readonly StepResult[] {
  const done = new Set(results.flatMap(({ step, status }) => (status === 'done' ? step : [])));
  const ended = steps.filter(({ reason }) => reason === 'replaced');
  const endings = new Map(ended.map(({ objectId, id }) => [objectId, id]));
  const replacing = steps.filter(({ action }) => action === 'replace');
  const unsaid = new Set(replacing.map(({ id, objectId }) => (done.has(id) ? id : endings.get(objectId))));
  return results.filter(({ step }) => !unsaid.has(step));
}

/** A request refused for its content is refused again: running again alone does not help. */
function nextStep(steps: readonly StepResult[], command: string): string {
  const refused = steps.filter((step) => step.refused === true).length;
  const isLost = steps.some(({ code }) => code === 'answer-lost');
  if (refused === 0)
    return `Run ${command} again to finish${isLost ? '; it checks first what was applied' : ''}.`;
  return `The service refused ${counted(refused, 'step')} and will again: change the manifest, or what it names at the service, then run ${command} again to finish.`;
}
