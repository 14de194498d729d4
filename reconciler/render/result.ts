/** The result of an apply, and a drift report, as reports. */
import type { ApplyResult, StepResult } from '../apply/run';
import type { DriftReport, DriftRow } from '../drift';
import type { Plan } from '../plan/plan';
import {
  aboutLedger,
  counted,
  fieldName,
  leftAloneCounts,
  messageSection,
  type Naming,
  type Report,
  type Row,
  sectionOf,
  sectionsByKind,
  showField,
  someOf,
} from './report';

const endings = [
  { status: 'failed', title: 'Failed', mark: 'failed' },
  { status: 'blocked', title: 'Blocked by a failed step', mark: 'left' },
  { status: 'not-tried', title: 'Not tried', mark: 'left' },
  { status: 'done', title: 'Done', mark: 'done' },
] as const;

/** Of what was done it shows new ids and what to know; the plan has shown the rest. */
export function applyReport(result: ApplyResult, plan: Plan, { again }: Naming): Report {
  const { steps, counts } = result;
  const left = leftAloneCounts(plan);
  return {
    about: `${plan.organization} · ledger ${plan.ledger.place}`,
    sections: endings.flatMap(({ status, title, mark }) => {
      const shown = steps.filter((step) => step.status === status && !isSilent(step));
      const rows = shown.map(({ address, message, objectId }) => {
        return { mark, title: address, text: [objectId, message].filter(Boolean).join('  ') };
      });
      return sectionOf(title, rows);
    }),
    summary: `${applySummary(result)}${left === '' ? '' : ` Left alone: ${left}.`}`,
    footer:
      counts.done === steps.length
        ? []
        : [`Next: fix the cause, then ${again('apply')}; it does what is left`],
  };
}

/** Links have been named by the plan, and their ids tell nothing. */
function isSilent({ address, status, message, objectId }: StepResult): boolean {
  const isLink = address.split('/').length > 2;
  return status === 'done' && message === undefined && (objectId === undefined || isLink);
}

export function applySummary({ counts, interrupted }: ApplyResult): string {
  const { done, failed, blocked, 'not-tried': untried } = counts;
  const others = someOf({ failed, blocked, 'not tried': untried });
  const text = others === '' ? `${done} done` : `${done} done, ${others}`;
  return interrupted ? `Interrupted: ${text}. The ledger has all that was done.` : `Apply: ${text}.`;
}

const states = { changed: 'changed outside Tether', missing: 'deleted outside Tether', added: 'unmanaged' };

export function driftReport(report: DriftReport, naming: Naming): Report {
  const { organization, ledger, rows, unknown, unmanagedLinks } = report;
  const links = unmanagedLinks.map((title) => ({ mark: 'note', title }) as const);
  const unmanaged = someOf(report.unmanaged);
  const next = `Next: ${naming.again('plan')} shows how to put back what the manifests say`;
  return {
    about: aboutLedger(organization, ledger),
    sections: [
      ...sectionsByKind(rows, (row) => driftRow(row, naming)),
      ...messageSection('unknown', 'Unknown: cannot be read', unknown),
      ...sectionOf('Unmanaged links of workspaces and clients that this folder names', links),
    ],
    summary: driftSummary(report),
    footer: [
      ...(unmanaged === '' ? [] : [`Unmanaged, as far as it was read: ${unmanaged}.`]),
      ...(rows.length === 0 ? [] : [next]),
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
  const id = objectId === undefined || objectId.includes('/') ? '' : `${objectId}  `;
  const fields = changes.map(({ field, was, is }) => {
    const [before, now] = [was, is].map((value) => showField(kind, field, value, naming));
    return { label: fieldName(kind, field), text: `was ${before}, is ${now}` };
  });
  const checks = evidence.map((one) => ({ text: `checked: ${one}` }));
  return { mark: state, title: address, text: `${id}${states[state]}`, lines: [...fields, ...checks] };
}
