/** The result of an apply, and a drift report, as reports. */
import type { ApplyResult, StepStatus } from '../apply/result';
import type { DriftReport, DriftRow } from '../drift';
import type { Plan } from '../plan/plan';
import {
  aboutLedger,
  counted,
  fieldName,
  leftAloneRow,
  type Naming,
  type Report,
  type Row,
  remark,
  sectionOf,
  sectionsByKind,
  showField,
  someOf,
} from './report';

const statuses = {
  failed: { title: 'Failed', mark: 'failed', word: 'failed' },
  blocked: { title: 'Blocked by a failed step', mark: 'left', word: 'blocked' },
  'not-tried': { title: 'Not tried', mark: 'left', word: 'not tried' },
  done: { title: 'Done', mark: 'done', word: 'done' },
} as const satisfies Readonly<Record<StepStatus, { title: string; mark: Row['mark']; word: string }>>;

/** Of what was done it shows new ids and what to know; the plan has shown the rest. */
export function applyReport(result: ApplyResult, plan: Plan, { again }: Naming): Report {
  const byStatus = (status: StepStatus) =>
    result.steps.filter((step) => step.status === status && !(status === 'done' && isSilent(step)));
  const isWhole = result.steps.every(({ status }) => status === 'done');
  const { problems, unknown } = plan;
  const left = someOf({
    unknown: unknown.length,
    [problems.length === 1 ? 'problem' : 'problems']: problems.length,
  });
  return {
    about: `${plan.organization} · ledger ${plan.ledger.place}`,
    sections: (Object.keys(statuses) as StepStatus[]).flatMap((status) => {
      const { title, mark } = statuses[status];
      const rows = byStatus(status).map(({ address, message, objectId }) => {
        const texts = [objectId, message].flatMap((one) => one ?? []);
        return { mark, title: address, text: texts.join('  '), lines: [] };
      });
      return sectionOf(title, rows);
    }),
    summary: `${applySummary(result)}${left === '' ? '' : ` Left alone: ${left}.`}`,
    footer: isWhole ? [] : [`Next: fix the cause, then ${again('apply')}; it does what is left`],
  };
}

/** Links have been named by the plan, and their ids tell nothing. */
function isSilent({ address, message, objectId }: ApplyResult['steps'][number]): boolean {
  return message === undefined && (objectId === undefined || address.split('/').length > 2);
}

export function applySummary({ counts, interrupted }: ApplyResult): string {
  const words = Object.entries(statuses).map(([status, { word }]) => [word, counts[status as StepStatus]]);
  const { done, ...others } = Object.fromEntries(words) as Record<string, number>;
  const text = [`${done} done`, someOf(others)].filter((one) => one !== '').join(', ');
  return interrupted ? `Interrupted: ${text}. The ledger has all that was done.` : `Apply: ${text}.`;
}

const states = { changed: 'changed outside Tether', missing: 'deleted outside Tether', added: 'unmanaged' };

export function driftReport(report: DriftReport, naming: Naming): Report {
  const { rows, unknown, unmanagedLinks, unmanaged } = report;
  const others = Object.entries(unmanaged).filter(([, count]) => count > 0);
  const counts = others.map(([kind, count]) => `${count} ${kind}`);
  return {
    about: aboutLedger(report),
    sections: [
      ...sectionsByKind(rows, (row) => driftRow(row, naming)),
      ...sectionOf(
        'Unknown: cannot be read',
        unknown.map((one) => leftAloneRow('unknown', one)),
      ),
      ...sectionOf(
        'Unmanaged links of workspaces and clients that this folder names',
        unmanagedLinks.map((address) => ({ mark: 'note', title: address, text: '', lines: [] })),
      ),
    ],
    summary: driftSummary(report),
    footer: [
      ...(counts.length === 0 ? [] : [`Unmanaged, as far as it was read: ${counts.join(', ')}.`]),
      ...(rows.length === 0
        ? []
        : [`Next: ${naming.again('plan')} shows how to put back what the manifests say`]),
    ],
  };
}

export function driftSummary({ rows, unknown, unchanged }: DriftReport): string {
  const count = (state: DriftRow['state']) => rows.filter((row) => row.state === state).length;
  const found = someOf({ changed: count('changed'), missing: count('missing'), added: count('added') });
  const seen = unknown.length === 0 ? '' : ` ${unknown.length} unknown.`;
  return found === ''
    ? `No drift. ${counted(unchanged, 'object')} as last applied.${seen}`
    : `Drift: ${found}. ${unchanged} as last applied.${seen}`;
}

function driftRow({ kind, address, objectId, state, changes, evidence }: DriftRow, naming: Naming): Row {
  const show = (field: string, value: DriftRow['changes'][number]['is']) =>
    showField(kind, field, value, naming);
  const id = objectId === undefined || objectId.includes('/') ? '' : `${objectId}  `;
  return {
    mark: state,
    title: address,
    text: `${id}${states[state]}`,
    lines: [
      ...changes.map(({ field, was, is }) => ({
        label: fieldName(kind, field),
        text: `was ${show(field, was)}, is ${show(field, is)}`,
      })),
      ...evidence.map((one) => remark(`checked: ${one}`)),
    ],
  };
}
