/** A drift report as text: what changed since the last apply, what is gone, what is foreign, what waits to be applied. */
import type { DriftItem, DriftReport, OrganizationDrift } from '../drift/drift';
import { showSetChange } from './change';
import { fieldName } from './field-name';
import { type Colours, coloursFor, counted, plain, prose, type RenderOptions } from './text';
import { showValue } from './value';

/** How many items drifted; manifest edits that wait are not counted. */
export function driftCount(report: DriftReport): number {
  return report.organizations.reduce((sum, one) => sum + one.items.length, 0);
}

/** The whole report, ending with a line break. */
export function renderDrift(report: DriftReport, options: RenderOptions): string {
  const paint = coloursFor(options);
  const several = report.organizations.length > 1;
  const blocks = report.organizations.flatMap((one) => {
    const own = organizationBlocks(one, several ? `${one.organization}:` : '', options, paint);
    if (!several) return own;
    return [[paint.bold(`# ${plain(one.organization)}`)], ...(own.length > 0 ? own : [['  no drift']])];
  });
  return `${[...blocks, [paint.bold(driftLine(report))]].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** `Drift: 2 changed, 1 gone, 1 foreign.`, or that there is none. */
function driftLine(report: DriftReport): string {
  const items = report.organizations.flatMap((one) => one.items);
  const of = (state: DriftItem['state']): number => items.filter((item) => item.state === state).length;
  const sum = (list: (one: OrganizationDrift) => readonly unknown[]): number =>
    report.organizations.reduce((total, one) => total + list(one).length, 0);
  const found = (['changed', 'gone', 'foreign'] as const).flatMap((state) =>
    of(state) === 0 ? [] : [`${of(state)} ${state}`],
  );
  const unseen = sum((one) => one.undetermined);
  const problems = sum((one) => one.problems);
  const pending = sum((one) => one.pending);
  if (unseen > 0) found.push(`${unseen} undetermined`);
  if (problems > 0) found.push(counted(problems, 'problem'));
  const edits = pending === 0 ? '' : ` ${counted(pending, 'edit')} of the manifests not applied yet.`;
  return `${found.length === 0 ? 'No drift.' : `Drift: ${found.join(', ')}.`}${edits}`;
}

function organizationBlocks(
  one: OrganizationDrift,
  prefix: string,
  options: RenderOptions,
  paint: Colours,
): string[][] {
  const row = (symbol: string, address: string, text: string): string =>
    `${symbol} ${address === '' ? '' : `${paint.bold(plain(prefix + address))}  `}${prose(text, '        ', options)}`;
  const rows = (title: string, lines: string[]): string[][] =>
    lines.length === 0 ? [] : [[title, ...lines]];
  return [
    ...one.items.map((item) => itemLines(item, prefix, options, paint)),
    ...rows(
      paint.yellow('Undetermined: it cannot be seen, so nobody knows'),
      one.undetermined.map((each) => row(paint.yellow('    ?'), each.address, each.why)),
    ),
    ...rows(
      paint.red('Problems'),
      one.problems.map((each) => row(paint.red('    !'), each.address, each.message)),
    ),
    ...rows(
      paint.dim('Not applied yet (edits of the manifests, not drift)'),
      one.pending.map((each) => row(paint.dim('    ·'), each.address, each.action)),
    ),
  ];
}

const titles = {
  changed: 'changed elsewhere',
  gone: 'gone',
  foreign: 'foreign: not made by this ledger',
} as const;

function itemLines(item: DriftItem, prefix: string, options: RenderOptions, paint: Colours): string[] {
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
  return [
    `${symbol} ${paint.bold(plain(prefix + item.address))}${id} ${titles[item.state]}`,
    ...fields,
    ...evidence,
  ];
}
