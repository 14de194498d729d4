/** A drift report as text: what changed, is gone or unmanaged, and what waits to be applied. */
import { plain } from '../../client/text';
import type { DriftItem, DriftReport } from '../drift';
import type { existingOf } from '../survey';
import { fieldName, objectTitle } from './step';
import {
  counted,
  joinBlocks,
  listing,
  prose,
  type RenderOptions,
  type Style,
  showSetChange,
  showValue,
  someOf,
  styleFor,
} from './text';

const indent = '        ';

/** Ends with a line break. */
export function renderDrift(report: DriftReport, options: RenderOptions): string {
  const style = styleFor(options);
  const { items, unknown, problems, pending } = report;
  const unseen = 'Unknown (not readable with this token, or waiting for what is)';
  const waiting = 'Not applied yet (edits of the manifests, not drift)';
  return joinBlocks([
    ...items.map((item) => itemLines(item, style)),
    ...listing(style, { mark: 'unknown', title: unseen }, unknown, ({ why }) => why),
    ...listing(style, { mark: 'problem', title: 'Problems' }, problems, ({ message }) => message),
    ...listing(style, { mark: 'pending', title: waiting }, pending, ({ action }) => action),
    [style.paint.bold(driftLine(report))],
  ]);
}

/** `Drift: 2 changed, 1 gone, 1 unmanaged.`, or that there is none. */
function driftLine({ items, unknown, problems, pending }: DriftReport): string {
  const counts = { changed: 0, gone: 0, unmanaged: 0, unknown: unknown.length };
  for (const { state } of items) counts[state] += 1;
  const found = someOf(counts);
  if (problems.length > 0) found.push(counted(problems.length, 'problem'));
  const edits =
    pending.length === 0 ? '' : ` ${counted(pending.length, 'edit')} of the manifests not applied yet.`;
  return `${found.length === 0 ? 'No drift.' : `Drift: ${found.join(', ')}.`}${edits}`;
}

/** `Managed: 57 of 260 objects that can be seen around 12 workspaces; 203 unmanaged …`, and what cannot be read. */
export function existingLine({ managed, unmanaged, workspaces, unread }: ReturnType<typeof existingOf>) {
  const all = counted(managed + unmanaged.length, 'object');
  const around = `that can be seen around ${counted(workspaces, 'workspace')}`;
  const ways = '(--json lists them, `tether export` takes over what it can)';
  const rest = unmanaged.length === 0 ? '' : `; ${unmanaged.length} unmanaged ${ways}`;
  const unseen = unread.length === 0 ? '' : ` Not read: ${unread.map(({ owner }) => owner).join(', ')}.`;
  return plain(`Managed: ${managed} of ${all} ${around}${rest}.${unseen}`);
}

const looks = {
  changed: ['~', 'yellow', 'changed elsewhere'],
  gone: ['-', 'red', 'gone'],
  unmanaged: ['+', 'cyan', 'unmanaged: not made by this ledger'],
} as const;

/** Nothing tells one from the other. */
const already = 'as the manifests want it: by somebody else, or by an apply that was interrupted';

function itemLines(item: DriftItem, style: Style): string[] {
  const { kind, state, fields, evidence, asDesired } = item;
  const { paint } = style;
  const [symbol, colour, title] = looks[state];
  const label = (field: string) => plain(fieldName(kind, field));
  const column = Math.max(0, ...fields.map(({ field }) => label(field).length));
  const text = ({ was, is }: DriftItem['fields'][number]) =>
    Array.isArray(was) && Array.isArray(is)
      ? showSetChange(was, is, style)
      : `was ${paint.green(showValue(was))} → is ${paint.red(showValue(is))}`;
  const proof = state === 'gone' ? 'evidence: ' : '';
  return [
    `${paint[colour](`    ${symbol}`)} ${objectTitle(item, style)} ${asDesired ? `${state}, ${already}` : title}`,
    ...fields.map((one) => `${indent}${label(one.field).padEnd(column)}  ${text(one)}`),
    ...evidence.map((one) => `${indent}${paint.dim(prose(`${proof}${one}`, `${indent}  `, style))}`),
  ];
}
