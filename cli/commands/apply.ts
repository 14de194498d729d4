/** `tether apply` and `tether destroy`: plan, ask for confirmation, apply. */
import { join, relative } from 'node:path';
import type { StepwiseApi } from '../../client/client';
import { plain } from '../../client/text';
import { hang } from '../../client/wrap';
import { approvalLine, type Manifests } from '../../manifest/desired';
import { renderPosition } from '../../manifest/issues';
import { type ApplyEvent, type ApplyResult, applyPlan, neededSecrets } from '../../reconciler/apply/apply';
import { ledgerFileName } from '../../reconciler/ledger/disk';
import type { Ledger } from '../../reconciler/ledger/ledger';
import type { MadePlan } from '../../reconciler/make-plan';
import { isForLedgerState, ledgerStateOf } from '../../reconciler/plan/context';
import type { Plan } from '../../reconciler/plan/plan';
import { withoutReplaced } from '../../reconciler/plan/steps';
import { renderApplySummary } from '../../reconciler/render/apply-summary';
import { applyComment, planComment } from '../../reconciler/render/markdown';
import { isNews, renderBlockers, renderPlan } from '../../reconciler/render/plan';
import { counted, styleFor } from '../../reconciler/render/text';
import { groupBy } from '../../resources/groups';
import { type ResolvedSecrets, resolveSecrets } from '../../resources/secrets';
import type { Call, ExitCode } from '../call';
import type { Documents } from '../documents';
import { UserError } from '../errors';
import { isIncomplete, type Planned, planDocument, type Session, writeSession } from '../session';

/** A plan that waited longer for an answer is made again before the first write. */
const oldAfterMs = 30_000;

/** 0 done or nothing to do, 1 error or something left undone, 130 interrupted. */
export async function apply(call: Call): Promise<number> {
  const { flags, io } = call;
  return writeSession(call, async (session) => {
    const planned = await session.plan();
    const plannedAt = io.now();
    const { plan } = planned;
    if (flags.expect !== undefined && flags.expect !== planned.digest) {
      const expected = plain(flags.expect) || '(empty)';
      throw refused(call, planned, `the current plan does not have digest ${expected}`);
    }
    const { manifests } = session;
    call.print(renderPlan(plan, { ...call.render, manifests, blockers: false }));
    const end = (exitCode: ExitCode) =>
      call.end(exitCode, planDocument(planned) satisfies Documents['apply'], (run) =>
        planComment(plan, planned.digest, { ...run, manifests }, isNews(plan)),
      );
    if (!isNews(plan)) return end(isIncomplete(plan) ? 1 : 0);
    if (plan.blockers.length > 0) {
      call.log('error', renderBlockers(plan, call.renderError));
      return end(1);
    }
    const secrets = secretsToWrite(plan, manifests, call);
    if (!(await isAgreed(call, plan))) {
      call.log('error', 'Not applied; nothing was changed.');
      return end(1);
    }
    let current = planned;
    if (!flags.yes && io.now() - plannedAt > oldAfterMs) {
      current = await session.plan();
      if (current.digest !== planned.digest) {
        throw refused(call, current, 'the plan has changed since it was shown for confirmation');
      }
    }
    const result = await execute(call, session, current, secrets);
    return call.end(
      exitCodeOf(result, current.plan),
      { ...planDocument(planned), result } satisfies Documents['apply'],
      (run) => applyComment(result, current.plan, { ...run, manifests, command: call.command }),
    );
  });
}

async function isAgreed({ command, flags, io }: Call, plan: Plan): Promise<boolean> {
  // Nobody objects to bringing the ledger up to date.
  if (plan.steps.length === 0 || flags.yes) return true;
  if (io.ask === null) throw new UserError(`not a terminal: pass --yes to ${command} without confirmation`);
  try {
    return await io.ask(command === 'destroy' ? 'Destroy all of this?' : 'Apply these changes?');
  } catch {
    throw new DOMException('interrupted', 'AbortError');
  }
}

/** Shows the current plan, which is not the reviewed one. */
function refused(call: Call, planned: Planned, what: string): UserError {
  call.print(renderPlan(planned.plan, call.render));
  const next =
    call.command === 'destroy'
      ? 'run destroy again'
      : `once it is reviewed, run: tether apply --expect ${planned.digest}`;
  const message = `stale plan: ${what}. Nothing was changed. The current plan is shown; ${next}`;
  return new UserError(message, planDocument(planned), 'stale-plan');
}

/** Throws a `UserError` that names all that are missing, never a value. */
function secretsToWrite(plan: Plan, manifests: Manifests, call: Call): ResolvedSecrets {
  const needed = neededSecrets(plan);
  const resolved = resolveSecrets(needed, { env: call.io.env, root: manifests.folder });
  const { failures } = resolved;
  if (failures.length > 0) {
    const placeOf = ({ address, field }: (typeof failures)[number]) => {
      const at = manifests.entries.find((entry) => entry.address === address)?.fieldsAt[field];
      return at === undefined ? [] : renderPosition(at);
    };
    const lines = [...groupBy(failures, ({ why }) => why)].map(([why, users]) => {
      const names = users.map(({ address, field }) => `${address} ${field}`);
      return `  ${names.join(', ')}: ${why} (${users.flatMap(placeOf).join(', ')})`;
    });
    const message = `secrets to write are missing; nothing was changed:\n${lines.join('\n')}`;
    throw new UserError(message, { missingSecrets: failures }, 'missing-secrets');
  }
  return resolved;
}

async function execute(
  call: Call,
  { api, ledger, manifests }: Session<StepwiseApi>,
  { plan, inputs, looks }: Planned,
  secrets: ResolvedSecrets,
): Promise<ApplyResult> {
  const { io, progress } = call;
  const work = () =>
    applyPlan({
      api,
      forStep: () => api.forStep(),
      plan,
      ledger: inputs.ledger,
      observed: inputs.observed,
      // Without a question in between.
      ...(call.flags.yes && { looks }),
      journal: ledger.journal,
      secrets,
      signal: io.signal,
      onEvent: stepEvents(call, plan),
      now: () => new Date(io.now()),
    });
  const { command } = call;
  const phase = command === 'destroy' ? 'Destroying' : 'Applying';
  const result = await progress.during(phase, work, withoutReplaced(plan.steps).length);
  // Without a step the plan has said that nothing changes.
  if (plan.steps.length > 0 || result.interrupted) {
    call.print(`\n${renderApplySummary(result, plan, { ...call.render, command, manifests })}`);
  }
  const after = await progress.during('Writing the ledger', () => ledger.finish());
  if (after.serial !== inputs.ledger.serial) {
    call.print(approvalOfRest(result, plan, inputs, after));
    const path = relative(io.cwd, join(manifests.folder, ledgerFileName));
    call.print(`Ledger written: commit ${plain(path)}\n`);
  }
  return result;
}

/** Many deletes were approved for the serial before: the line that is good for what is left of them. */
function approvalOfRest(
  { steps }: ApplyResult,
  plan: Plan,
  { manifests: { approved }, ledger }: MadePlan['inputs'],
  after: Ledger,
): string {
  const done = new Set(steps.flatMap(({ step, status }) => (status === 'done' ? step : [])));
  const { length: count } = plan.steps.filter(({ action, id }) => action === 'delete' && !done.has(id));
  const isUsed = approved.some((line) => line.action === 'deletes' && isForLedgerState(ledger, line));
  if (count === 0 || !isUsed) return '';
  const line = approvalLine({ action: 'deletes', count, ...ledgerStateOf(after) });
  return `The \`approved\` line is used up, with ${counted(count, 'delete')} left. If the next plan asks for it, put in its place:\n    - ${line}\n`;
}

function exitCodeOf({ interrupted, counts }: ApplyResult, plan: Plan): ExitCode {
  if (interrupted) return 130;
  return counts.failed + counts.blocked + counts['not-tried'] > 0 || isIncomplete(plan) ? 1 : 0;
}

/** Steps are progress; notes and failures are lines on stderr, of one cause the first; with `-v` every step is. */
export function stepEvents(call: Call, { steps }: Pick<Plan, 'steps'>): (event: ApplyEvent) => void {
  const { paint, width } = styleFor(call.renderError);
  // A replacement is one change, which the delete of the old object ends.
  const begun = new Set(steps.flatMap(({ id, action }) => (action === 'replace' ? id : [])));
  const causes = new Set<string>();
  return (event) => {
    if (event.type === 'note') return call.log('warn', plain(event.text));
    if (event.type === 'started') return call.progress.update({ part: event.step });
    const { step, status, message = '' } = event.result;
    if (status === 'failed') {
      const [why = ''] = message.split('\n');
      // Without the call, which differs.
      const cause = why.replace(/^[A-Z]+ \/\S*: /, '');
      const lines = hang(`${paint.red('failed')} `, plain(`${step}: ${why}`), width);
      call.log(causes.has(cause) ? 'info' : 'warn', lines.join('\n'));
      causes.add(cause);
    } else call.log('info', `${status.replace('-', ' ')} ${plain(step)}`);
    if (!begun.has(step)) call.progress.count(0, 1);
  };
}
