/** Warnings for lines of a manifest that have nothing left to do, and errors for those that contradict the ledger. Pure. */
import { endOfMoves } from '../../manifest/desired';
import { suggestAddress } from '../../manifest/nearest-address';
import type { Issue, Position } from '../../resources/kind';
import { type Context, canonicalAddress } from './context';
import type { Draft } from './draft';

/** Adds them to the draft, which must hold all steps already. */
export function judgeLines(context: Context, draft: Draft): void {
  if (context.options.destroy) return;
  for (const { from, to, at } of context.desired.moved) {
    if (context.claims.spentMoves.has(`${from} ${to}`)) {
      draft.warnings.push(spent(moveIn(context, from, to), at));
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
    if (!forgetting.has(address) && !forgetting.has(canonicalAddress(context, address)))
      draft.warnings.push(spent(forgetIn(context, draft, address), at));
  }
  for (const line of context.desired.approved) {
    // What limits allow is judged where they are (guards.ts).
    if ('serial' in line || line.at === undefined) continue;
    const { action, address, id, at } = line;
    const used = draft.steps.some(
      (step) => step.approval?.action === action && step.address === address && step.approval.id === id,
    );
    if (used) continue;
    draft.warnings.push(
      spent(
        `nothing is to be ${action === 'destroy' ? 'destroyed' : 'replaced'} as ${address} with id ${id}: remove the \`approved\` line`,
        at,
      ),
    );
  }
}

/** Done, or never of any effect: what the line names may be misspelt, or belong to another ledger. */
function moveIn({ ledger, desired }: Context, from: string, to: string): string {
  const move = `the move from ${from} to ${to}`;
  const isDone = ledger.objects[endOfMoves(desired.moved, to)] !== undefined;
  return isDone
    ? `${move} is done: remove the line`
    : `${move} has nothing to move, the ledger knows neither: correct the line, or remove it`;
}

function forgetIn(context: Context, draft: Draft, address: string): string {
  const { ledger, claims, desired } = context;
  const key = canonicalAddress(context, address);
  if (desired.entries.some((entry) => canonicalAddress(context, entry.address) === key)) {
    return `${address} is in the manifests, so it stays: remove the \`forget\` line, or the other one`;
  }
  if (draft.steps.some((step) => step.action === 'delete' && step.key === key)) {
    return `${address} is deleted all the same, because an exact set covers it: list it there, or remove the \`forget\` line`;
  }
  const abandoned = Object.keys(ledger.objects).filter((key) => !claims.claimedKeys.has(key));
  return `the ledger does not hold ${address}, or not any more: remove the \`forget\` line${suggestAddress(address, abandoned)}`;
}

function spent(message: string, at: Position): Issue {
  return { rule: 'spent-line', severity: 'warning', message, path: '', at };
}
