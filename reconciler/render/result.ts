/** Makes a report from the result of an apply. */
import { isLink } from '../../resources/kind';
import type { ApplyResult, StepResult } from '../apply/run';
import { type Plan, parseKey } from '../plan/plan';
import {
  aboutService,
  leftAloneCounts,
  listCounts,
  type Naming,
  type Report,
  type Row,
  toSections,
} from './report';

/** The sections of a report in their order, one for each status of a step. */
const sectionsByStatus: Readonly<
  Record<StepResult['status'], Pick<Row, 'mark'> & { readonly title: string }>
> = {
  failed: { title: 'Failed', mark: 'failed' },
  blocked: { title: 'Blocked by a failed step', mark: 'left' },
  'not-tried': { title: 'Not tried', mark: 'left' },
  done: { title: 'Done', mark: 'done' },
};

/** It shows only new ids and notes of the steps that were done. The plan has shown the rest. */
export function applyReport(result: ApplyResult, plan: Plan, { again }: Naming): Report {
  const { steps, counts } = result;
  const left = leftAloneCounts(plan);
  return {
    about: `${aboutService(plan)} · ledger ${plan.ledger.place}`,
    sections: Object.entries(sectionsByStatus).flatMap(([status, { title, mark }]) => {
      const all = steps.filter((step) => step.status === status);
      const rows: Row[] = all.filter(needsRow).map(({ address, message, objectId }) => {
        return { mark, title: address, text: [objectId, message].filter(Boolean).join('  ') };
      });
      const silent = all.length - rows.length;
      if (rows.length > 0 && silent > 0)
        rows.push({ mark, title: '', text: `${silent} more, as the plan shows` });
      return toSections(title, rows);
    }),
    summary: `${applySummary(result)}${left === '' ? '' : ` Left alone: ${left}.`}`,
    ...(counts.done < steps.length && {
      next: `${result.interrupted ? '' : 'fix the cause, then '}${again('apply')} (does what is left)`,
    }),
  };
}

/** True for a step that needs a row. The plan has named the links, and their ids do not help. */
function needsRow({ address, status, message, objectId }: StepResult): boolean {
  const isOfClient = !isLink(parseKey(address)[0]);
  return status !== 'done' || message !== undefined || (objectId !== undefined && isOfClient);
}

export function applySummary({ steps, counts, interrupted }: ApplyResult): string {
  const { done, failed, blocked, 'not-tried': untried } = counts;
  const others = listCounts({ failed, blocked, 'not tried': untried });
  const text = others === '' ? `${done} done` : `${done} done, ${others}`;
  if (!interrupted) return `Apply: ${text}.`;
  const isSaved = !steps.some(({ code }) => code === 'ledger-not-saved');
  return `Interrupted: ${text}.${isSaved ? ' The ledger has all that was done.' : ''}`;
}
