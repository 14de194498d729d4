/** Warnings for lines of a manifest that have nothing left to do, and errors for those that contradict the ledger. Pure. */
import type { Issue, Position } from '../../resources/issue';
import type { Context } from './context';
import type { Draft } from './draft';

/** Adds them to the draft, which must hold all steps already. */
export function judgeLines(context: Context, draft: Draft): void {
  if (context.options.destroy) return;
  for (const { from, to, at } of context.desired.moved) {
    if (context.claims.spentMoves.has(`${from} ${to}`)) {
      draft.warnings.push(spent(`the move from ${from} to ${to} is done: remove the line`, at));
    }
    if (context.claims.clashingMoves.has(`${from} ${to}`)) {
      draft.problems.push({
        rule: 'move-clash',
        severity: 'error',
        message: `${from} cannot move to ${to}: the ledger has both. Let one go with \`forget:\` first`,
        path: 'moved',
        at,
        address: to,
      });
    }
  }
  const forgetting = new Set(
    draft.steps.filter((one) => one.reason === 'told-to-forget').flatMap((one) => [one.address, one.key]),
  );
  for (const { address, at } of context.desired.forget) {
    if (!forgetting.has(address))
      draft.warnings.push(spent(`${address} is not in the ledger any more: remove the \`forget\` line`, at));
  }
  for (const { action, address, id, at } of context.desired.approved) {
    const used = draft.steps.some(
      (step) => step.approval?.action === action && step.address === address && step.approval.id === id,
    );
    if (used || at === undefined) continue;
    draft.warnings.push(
      spent(
        `nothing is to be ${action === 'destroy' ? 'destroyed' : 'replaced'} as ${address} with id ${id}: remove the \`approved\` line`,
        at,
      ),
    );
  }
}

function spent(message: string, at: Position): Issue {
  return { rule: 'spent-line', severity: 'warning', message, path: '', at };
}
