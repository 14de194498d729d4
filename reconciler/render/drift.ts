/** A drift report as text: what changed since the last apply, what is gone, what is foreign, what waits to be applied. */

import { plain } from '../../client/text';
import type { DriftItem, DriftReport } from '../drift';
import { showSetChange } from './step';
import { type Colours, coloursFor, counted, fieldName, prose, type RenderOptions, showValue } from './text';

/** The whole report, ending with a line break. */
export function renderDrift(report: DriftReport, options: RenderOptions): string {
  const paint = coloursFor(options);
  const blocks = [...blocksOf(report, options, paint), [paint.bold(driftLine(report))]];
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** `Drift: 2 changed, 1 gone, 1 foreign.`, or that there is none. */
function driftLine({ items, undetermined, problems, pending }: DriftReport): string {
  const of = (state: DriftItem['state']): number => items.filter((item) => item.state === state).length;
  const found = (['changed', 'gone', 'foreign'] as const).flatMap((state) =>
    of(state) === 0 ? [] : [`${of(state)} ${state}`],
  );
  if (undetermined.length > 0) found.push(`${undetermined.length} undetermined`);
  if (problems.length > 0) found.push(counted(problems.length, 'problem'));
  const edits =
    pending.length === 0 ? '' : ` ${counted(pending.length, 'edit')} of the manifests not applied yet.`;
  return `${found.length === 0 ? 'No drift.' : `Drift: ${found.join(', ')}.`}${edits}`;
}

function blocksOf(report: DriftReport, options: RenderOptions, paint: Colours): string[][] {
  const row = (symbol: string, address: string, text: string): string =>
    `${symbol} ${address === '' ? '' : `${paint.bold(plain(address))}  `}${prose(text, '        ', options)}`;
  const rows = (title: string, lines: string[]): string[][] =>
    lines.length === 0 ? [] : [[title, ...lines]];
  return [
    ...report.items.map((item) => itemLines(item, options, paint)),
    ...rows(
      paint.yellow('Undetermined: it cannot be seen, so nobody knows'),
      report.undetermined.map((each) => row(paint.yellow('    ?'), each.address, each.why)),
    ),
    ...rows(
      paint.red('Problems'),
      report.problems.map((each) => row(paint.red('    !'), each.address, each.message)),
    ),
    ...rows(
      paint.dim('Not applied yet (edits of the manifests, not drift)'),
      report.pending.map((each) => row(paint.dim('    ·'), each.address, each.action)),
    ),
  ];
}

const titles = {
  changed: 'changed elsewhere',
  gone: 'gone',
  foreign: 'foreign: not made by this ledger',
} as const;

function itemLines(item: DriftItem, options: RenderOptions, paint: Colours): string[] {
  const symbol = { changed: paint.yellow('    ~'), gone: paint.red('    -'), foreign: paint.cyan('    +') }[
    item.state
  ];
  const id =
    item.objectId === null || item.objectId.includes('/') ? '' : paint.dim(` (${plain(item.objectId)})`);
  const label = (field: string): string => plain(fieldName(item.kind, field));
  const column = Math.max(0, ...item.fields.map(({ field }) => label(field).length));
  const fields = item.fields.map(({ field, was, is }) => {
    const text =
      Array.isArray(was) && Array.isArray(is)
        ? showSetChange(was, is, paint)
        : `was ${paint.green(showValue(was))} → is ${paint.red(showValue(is))}`;
    return `        ${label(field).padEnd(column)}  ${text}`;
  });
  const evidence = item.evidence.map(
    (text) =>
      `        ${paint.dim(prose(item.state === 'gone' ? `evidence: ${text}` : text, '          ', options))}`,
  );
  return [`${symbol} ${paint.bold(plain(item.address))}${id} ${titles[item.state]}`, ...fields, ...evidence];
}
