/** `tether apply` and `tether destroy`. */
import { createClient, type StepwiseApi } from '../../client/client';
import { plain } from '../../client/text';
import type { Manifests } from '../../manifest/desired';
import { renderPosition } from '../../manifest/issues';
import { applyPlan, neededSecrets } from '../../reconciler/apply/apply';
import type { ApplyEvent, ApplyResult } from '../../reconciler/apply/run';
import type { Plan } from '../../reconciler/plan/plan';
import { aboutService } from '../../reconciler/render/report';
import { applyReport, applySummary } from '../../reconciler/render/result';
import { renderText } from '../../reconciler/render/text';
import { type ResolvedSecrets, resolveSecrets, type WantedSecret } from '../../resources/secrets';
import { findAuthor } from '../author';
import type { Call } from '../call';
import { UserError } from '../errors';
import { lockFolders } from '../lock-folders';
import { openAll, readFolders } from '../open-folders';
import type { Outcome } from '../outcome';
import { type PlannedFolder, planFolders, readMaxDeletes } from '../plan-folders';
import { type FolderResult, failedResult, firstReason, printReports, renderFolder } from '../results';
import { currentValues, forEachFolder, type Stage, toResults } from '../run-folders';

type Planned = PlannedFolder<StepwiseApi>;
type Ready = Planned & { readonly secrets: ResolvedSecrets };

/** Locks and plans all folders, asks once, then applies one after the other. */
export async function apply(call: Call): Promise<Outcome> {
  if (call.flags.expect !== undefined && call.args.length > 1) {
    throw new UserError('--expect names the plan of one folder: run apply for each folder');
  }
  const maxDeletes = readMaxDeletes(call);
  return lockFolders(call, await readFolders(call, call.args), async (lockedFolders) => {
    const folders = await openAll(call, lockedFolders, createClient);
    const isSeveral = folders.length > 1;
    const check = (folder: Planned) => prepare(call, folder, isSeveral);
    const { ready, results: waiting, findings } = await planFolders(call, folders, maxDeletes, check);
    if (isSeveral) printReports(call, 'plan', waiting, findings);
    const [blocker] = findings.blockers;
    if (blocker !== undefined) {
      const failure = `${call.command} of these folders is blocked before its first write`;
      call.log('error', plain(`error: ${failure}: to go on, add ${blocker.remedy}`));
      return { results: waiting, isPrinted: true, ...findings };
    }
    const plans = currentValues(ready).map(({ plan }) => plan);
    const toApply = plans.filter(({ steps }) => steps.length > 0);
    const refusal = toApply.length === 0 ? null : await findRefusal(call, toApply);
    const ended = await forEachFolder<Ready, FolderResult>(call, ready, async (folder) => {
      const hasSteps = folder.plan.steps.length > 0;
      if (refusal === null) return { result: await applyFolder(call, folder, isSeveral) };
      return { result: hasSteps ? { ...folder.result, ...refusal } : folder.result };
    });
    const results = toResults(ended, (result) => result);
    return { results, isPrinted: toApply.length === 0, ...findings };
  });
}

/** Ends the folder if its plan cannot be applied. A single plan is printed before, because its errors refer to it. */
function prepare(call: Call, planned: Planned, isSeveral: boolean): Stage<Ready> {
  const { flags } = call;
  const { folder, plan, digest, result } = planned;
  const isBlocked = plan.blockers.length > 0;
  // The next command would be this one, unless the run ends here.
  const isOver = isBlocked || plan.steps.length === 0;
  const report = isOver ? result.report : { ...result.report, next: undefined };
  if (!isSeveral) call.print(renderText(report, call.color));
  if (flags.expect !== undefined && flags.expect !== digest) throw staleFrom(flags.expect, planned);
  if (isBlocked) {
    const failure = `${call.command} of ${plan.organization} is blocked before its first write`;
    call.log('error', plain(`error: ${failure}: ${result.reason}`));
    return { result: { ...result, outcome: 'blocked' } };
  }
  return { value: { ...planned, secrets: secretsToWrite(plan, folder.manifests, call) } };
}

async function applyFolder(call: Call, ready: Ready, isSeveral: boolean): Promise<FolderResult> {
  const { folder, plan, path, result } = ready;
  if (plan.steps.length === 0) {
    // Only the ledger is written, so there is nothing to ask about.
    if (plan.toRecord.length > 0) await execute(call, ready);
    return result;
  }
  const applied = await execute(call, ready);
  const isDone = applied.counts.done === applied.steps.length;
  const doneOutcome = result.outcome === 'planned' ? 'applied' : result.outcome;
  const outcome = applied.interrupted ? 'interrupted' : isDone ? doneOutcome : 'failed';
  const report = applyReport(applied, plan, folder.naming);
  for (const text of renderFolder(call, { folder: path, outcome, report }, isSeveral)) {
    call.print(`\n${text}`);
  }
  const failures = applied.steps.filter(({ status }) => status === 'failed');
  return {
    ...result,
    outcome,
    summary: applySummary(applied),
    reason: firstReason(failures.map(({ message = '' }) => ({ message }))) ?? result.reason,
    document: { ...result.document, result: applied },
    report: { ...report, sections: [...report.sections, ...result.report.sections] },
  };
}

/** Asks once for all folders. Returns null if their plans may be applied. */
async function findRefusal(call: Call, plans: readonly Plan[]): Promise<Partial<FolderResult> | null> {
  try {
    if (await isAgreed(call, plans)) return null;
    call.log('error', 'Not applied; nothing was changed.');
    return { outcome: 'declined' };
  } catch (error) {
    return { ...failedResult(call, error), report: undefined };
  }
}

async function isAgreed({ command, flags, io }: Call, plans: readonly Plan[]): Promise<boolean> {
  if (flags.yes) return true;
  if (io.ask === null) throw new UserError(`not a terminal: pass --yes to ${command} without confirmation`);
  const services = plain(plans.map(aboutService).join(', '));
  return io.ask(
    command === 'destroy' ? `Destroy all of this in ${services}?` : `Apply these changes to ${services}?`,
  );
}

function staleFrom(expect: string, { folder, digest, plan }: Planned): UserError {
  const digestText = plain(expect) || '(empty)';
  const message = `stale plan: the current plan does not have digest ${digestText}. Nothing was changed. Review the plan above, then run: ${folder.naming.again('apply')} --expect ${digest}`;
  return new UserError(message, { digest, plan }, 'stale-plan');
}

function declaredSecrets({ entries }: Manifests): readonly WantedSecret[] {
  return entries.flatMap(({ address, secrets }) =>
    Object.entries(secrets).map(([field, source]) => ({ address, field, source })),
  );
}

/** Returns the values to write, and masks them. A plan masks none, because a pull request could hide a part of it by such a value. */
function secretsToWrite(plan: Plan, manifests: Manifests, call: Call): ResolvedSecrets {
  const needed = neededSecrets(plan);
  const context = { ...call.io, root: manifests.folder };
  const resolved = resolveSecrets(needed, context);
  for (const { address, field } of needed) call.hide(resolved.value(address, field) ?? '');
  // A refused value was not compared, so the plan lacks the change that it stands for.
  const secrets = call.command === 'destroy' ? [] : declaredSecrets(manifests);
  const refusals = resolveSecrets(secrets, context).failures.filter(({ isMissing }) => !isMissing);
  const all = [...resolved.failures, ...refusals];
  const failures = [
    ...new Map(all.map((failure) => [`${failure.address} ${failure.field}`, failure])).values(),
  ];
  if (failures.length === 0) return resolved;
  const lines = failures.map(({ address, field, why }) => {
    const at = manifests.entries.find((entry) => entry.address === address)?.fieldsAt[field];
    const where = at === undefined ? '' : ` (${renderPosition(at)})`;
    return `  ${address} ${field}: ${why}${where}`;
  });
  const message = `secrets to write are missing or refused; nothing was changed:\n${lines.join('\n')}`;
  throw new UserError(message, { missingSecrets: failures }, 'missing-secrets', lines[0]?.trim());
}

/** Executes the plan. After an interruption, it lets started steps finish. */
function execute(call: Call, { folder, plan, observed, secrets }: Ready): Promise<ApplyResult> {
  const work = call.command === 'destroy' ? 'Destroying' : 'Applying';
  let finished = 0;
  const onEvent = (event: ApplyEvent) => {
    if (event.type === 'note') call.log('warn', plain(event.message));
    else if (event.type === 'finished') finished += 1;
    else call.showProgress(work, `${finished} of ${plan.steps.length} · ${event.address}`);
  };
  const author = findAuthor(call);
  const options = { ...folder, plan, observed, secrets, author, signal: call.io.signal, onEvent };
  call.showProgress(work);
  return applyPlan(options).finally(() => call.clearProgress());
}
