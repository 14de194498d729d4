/** Makes a report from the drift of a folder. */
import { counted } from '../../resources/names';
import type { DriftReport, DriftRow } from '../drift';
import {
  aboutLedger,
  fieldName,
  listCounts,
  messageSection,
  type Naming,
  type Report,
  type Row,
  sectionsByKind,
  showField,
  toSections,
} from './report';

/** Rows and summary have the states in this order. */
const states: Readonly<Record<DriftRow['state'], string>> = {
  changed: 'changed outside Tether',
  missing: 'not there any more',
  added: 'unmanaged',
};

export function driftReport(report: DriftReport, naming: Naming): Report {
  const { rows, unknown, unmanagedLinks } = report;
  const links = unmanagedLinks.map((title) => ({ mark: 'note', title }) as const);
  const unmanaged = Object.entries(report.unmanaged).map(([kind, count]) => counted(count, kind));
  return {
    about: aboutLedger(report),
    sections: [
      ...sectionsByKind(rows, (row) => driftRow(row, naming)),
      ...messageSection('unknown', 'Unknown: not compared', unknown),
      ...toSections('Unmanaged links of workspaces and clients that this folder names', links),
    ],
    summary: driftSummary(report),
    ...(unmanaged.length > 0 && { footer: `Unmanaged, as far as it was read: ${unmanaged.join(', ')}.` }),
    ...(rows.length > 0 && {
      next: `${naming.again('plan')} (shows how to put back what the manifests say)`,
    }),
  };
}

export function driftSummary({ rows, unknown, unchanged, unmanagedLinks }: DriftReport): string {
  const counts = Object.keys(states).map((state) => [
    state,
    rows.filter((row) => row.state === state).length,
  ]);
  const drifted = listCounts(Object.fromEntries(counts));
  const compared =
    drifted === ''
      ? `No drift. ${counted(unchanged, 'object')} as last applied.`
      : `Drift: ${drifted}. ${unchanged} as last applied.`;
  return [
    compared,
    ...(unknown.length === 0 ? [] : [`${unknown.length} unknown.`]),
    ...(unmanagedLinks.length === 0 ? [] : [`${counted(unmanagedLinks.length, 'unmanaged link')}.`]),
  ].join(' ');
}

function driftRow({ kind, address, objectId, state, changes, evidence }: DriftRow, naming: Naming): Row {
  const id = objectId === undefined || objectId.includes('/') ? '' : `${objectId}  `;
  const fields = changes.map(({ field, was, is }) => {
    const [before, now] = [was, is].map((value) => showField(kind, field, value, naming));
    return { label: fieldName(kind, field), text: `was ${before}, is ${now}` };
  });
  const checks = evidence.map((proof) => ({ text: `checked: ${proof}` }));
  return { mark: state, title: address, text: `${id}${states[state]}`, lines: [...fields, ...checks] };
}
