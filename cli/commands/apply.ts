/** `tether apply` and `tether destroy`. */
import type { StepwiseApi } from '../../client/client';
import { plain } from '../../client/text';
import type { Manifests } from '../../manifest/desired';
import { renderPosition } from '../../manifest/issues';
import { ledgerFileName } from '../../manifest/ledger-place';
import { applyPlan, neededSecrets } from '../../reconciler/apply/apply';
import type { ApplyEvent, ApplyResult } from '../../reconciler/apply/run';
import type { MadePlan } from '../../reconciler/make-plan';
import type { Plan } from '../../reconciler/plan/plan';
import { aboutService } from '../../reconciler/render/report';
import { applyReport, applySummary } from '../../reconciler/render/result';
import { renderText } from '../../reconciler/render/text';
import { type ResolvedSecrets, resolveSecrets, type WantedSecret } from '../../resources/secrets';
import type { Call } from '../call';
import { UserError } from '../errors';
import { type Folder, planFolder, writeFolders } from '../folder';
import type { FolderResult } from '../folders';
import type { Outcome } from '../outcome';

export async function apply(call: Call): Promise<Outcome> {
  if (call.flags.expect !== undefined && call.args.length > 1) {
    throw new UserError('--expect names the plan of one folder: run apply for each folder');
  }
  return writeFolders(call, (folder) => applyFolder(call, folder));
}

async function applyFolder(call: Call, folder: Folder<StepwiseApi>): Promise<FolderResult> {
  const { flags } = call;
  const { made, report, result } = await planFolder(call, folder);
  const { plan, digest } = made;
  const isBlocked = plan.blockers.length > 0;
  // The footer names the next command, which may be this one.
  const footer = isBlocked || plan.steps.length === 0 ? report.footer : report.footer.slice(0, 1);
  call.print(renderText({ ...report, footer }, call.color));
  if (flags.expect !== undefined && flags.expect !== digest) throw staleFrom(flags.expect, folder, made);
  if (isBlocked) {
    call.log('error', `error: ${call.command} of ${plan.organization} is blocked before its first write`);
    return { ...result, reason: plan.blockers[0]?.message, outcome: 'blocked' };
  }
  const { moves } = folder.store;
  const secrets = secretsToWrite(plan, folder.manifests, call);
  if (plan.steps.length === 0 && !moves) {
    // Only the ledger is written, so there is nothing to ask about.
    if (plan.toRecord.length > 0) await execute(call, folder, made, secrets);
    return result;
  }
  if (!(await isAgreed(call, plan))) {
    call.log('error', 'Not applied; nothing was changed.');
    return { ...result, outcome: 'declined' };
  }
  const applied = await execute(call, folder, made, secrets);
  const isDone = applied.counts.done === applied.steps.length;
  const outcome = applied.interrupted ? 'interrupted' : isDone ? result.outcome : 'failed';
  if (moves && !folder.store.moves)
    call.log('warn', `The ledger has moved. Delete ${ledgerFileName} in version control too.`);
  const appliedReport = applyReport(applied, plan, folder.naming);
  call.print(`\n${renderText(appliedReport, call.color)}`);
  return {
    ...result,
    outcome,
    summary: applySummary(applied),
    reason: applied.steps.find(({ status }) => status === 'failed')?.message ?? result.reason,
    document: { ...result.document, result: applied },
    report: { ...appliedReport, sections: [...appliedReport.sections, ...report.sections] },
  };
}

async function isAgreed({ command, flags, io }: Call, plan: Plan): Promise<boolean> {
  if (flags.yes) return true;
  if (io.ask === null) throw new UserError(`not a terminal: pass --yes to ${command} without confirmation`);
  const service = plain(aboutService(plan));
  return io.ask(
    command === 'destroy' ? `Destroy all of this in ${service}?` : `Apply these changes to ${service}?`,
  );
}

function staleFrom(expect: string, { naming }: Folder<StepwiseApi>, { digest, plan }: MadePlan): UserError {
  const expected = plain(expect) || '(empty)';
  const message = `stale plan: the current plan does not have digest ${expected}. Nothing was changed. Review the plan above, then run: ${naming.again('apply')} --expect ${digest}`;
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
  const declared = call.command === 'destroy' ? [] : declaredSecrets(manifests);
  const refused = resolveSecrets(declared, context).failures.filter(({ isMissing }) => !isMissing);
  const all = [...resolved.failures, ...refused];
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
function execute(
  call: Call,
  folder: Folder<StepwiseApi>,
  made: MadePlan,
  secrets: ResolvedSecrets,
): Promise<ApplyResult> {
  const work = call.command === 'destroy' ? 'Destroying' : 'Applying';
  let finished = 0;
  const onEvent = (event: ApplyEvent) => {
    if (event.type === 'note') call.log('warn', plain(event.message));
    else if (event.type === 'finished') finished += 1;
    else call.showProgress(work, `${finished} of ${made.plan.steps.length} · ${event.address}`);
  };
  const options = { ...folder, ...made, secrets, signal: call.io.signal, onEvent };
  call.showProgress(work);
  return applyPlan(options).finally(() => call.clearProgress());
}
