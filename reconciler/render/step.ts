/** One step of a plan as a block of lines: symbol, address, reason, fields, risks, the line that approves it. */

import { plain } from '../../client/text';
import { type FieldValue, sameValue } from '../../resources/kind';
import { registry } from '../../resources/registry';
import type { Action, PlannedChange, Step } from '../plan/plan';
import { type Colours, fieldName, prose, type RenderOptions, setDifference, showValue } from './text';

const symbols: Readonly<Record<Action, string>> = {
  create: '+',
  update: '~',
  replace: '-/+',
  delete: '-',
  adopt: '→',
  move: '→',
  forget: '∅',
  sweep: '-',
};

const indent = '        ';

/** The lines of one step; `isReplaced`: the step that replaces the object has its risks and its approval. */
export function renderStep(
  step: Step,
  isReplaced: boolean,
  options: RenderOptions,
  paint: Colours,
): string[] {
  const tone = toneOf(step.action, paint);
  const symbol = tone(symbols[step.action].padStart(5));
  const address = paint.bold(plain(step.address));
  const id = paint.dim(idText(step));
  const foreign = step.foreign ? paint.yellow(' (foreign: not made by this ledger)') : '';
  const from = step.movedFrom === undefined ? '' : ` from ${plain(step.movedFrom)}`;
  const title = `${symbol} ${address}${id} ${tone(step.action)}${from}${foreign}`;
  const isRepeated = step.reason === 'replaced' && isReplaced;
  const below = [
    ...renderChanges(step, indent, paint),
    ...(isRepeated ? [] : risksOf(step)).map(
      (risk) => `${indent}${paint.yellow(`! ${prose(risk, `${indent}  `, options)}`)}`,
    ),
    ...(isRepeated ? [] : approvalLines(step, paint)),
  ];
  const because = paint.dim(prose(step.because, indent, options));
  return below.length === 0 && fits(step, options)
    ? [`${title}  ${because}`]
    : [title, `${indent}${because}`, ...below];
}

/** A step without details is one line where the terminal has room. */
function fits(step: Step, { width }: RenderOptions): boolean {
  const length = step.address.length + (step.movedFrom ?? '').length + step.because.length + 60;
  return width === null || length <= width;
}

/** The blocks of several steps: those of one line stand together, the others apart. */
export function joinSteps(blocks: readonly (readonly string[])[]): string[][] {
  const joined: string[][] = [];
  let open: string[] | null = null;
  for (const block of blocks) {
    if (block.length === 1 && open !== null) open.push(...block);
    else {
      const group = [...block];
      joined.push(group);
      open = block.length === 1 ? group : null;
    }
  }
  return joined;
}

/** An attachment's id only repeats its address. */
function idText({ objectId }: Step): string {
  return objectId === undefined || objectId.includes('/') ? '' : ` (${plain(objectId)})`;
}

function toneOf(action: Action, paint: Colours): (text: string) => string {
  if (action === 'create') return paint.green;
  if (action === 'delete' || action === 'sweep') return paint.red;
  if (action === 'replace') return paint.magenta;
  return action === 'update' ? paint.yellow : paint.cyan;
}

/** What a replacement unlinks stands in the step's own risks, more exactly than in those of its fields. */
function risksOf(step: Step): readonly string[] {
  const fields = registry.find((one) => one.kind === step.kind)?.fields ?? {};
  const known = step.risks.length > 0 ? fields : {};
  const ofFields = step.changes.flatMap(({ field, risk }) =>
    risk === undefined || (step.action === 'replace' && known[field]?.onChange === 'replace') ? [] : [risk],
  );
  return [...new Set([...step.risks, ...ofFields])];
}

function approvalLines(step: Step, paint: Colours): string[] {
  if (step.approval === undefined) return [];
  if (step.approval.given) return [`${indent}${paint.dim('approved')}`];
  return [`${indent}${paint.yellow('needs approval, see below')}`];
}

const secretTexts = {
  new: '(secret, new)',
  changed: '(secret, changed)',
  unverified: '(secret, not verified)',
  'not-compared': '(secret, not compared)',
} as const;

/** The changes of one step, names padded to one column; a change with a risk has a `!` in front. */
function renderChanges(step: Step, indent: string, paint: Colours): string[] {
  const { kind } = step;
  const changes = [...step.changes, ...writtenAgain(step)];
  const label = (change: PlannedChange): string => plain(fieldName(kind, change.field));
  const column = Math.max(0, ...changes.map((change) => label(change).length));
  return changes.flatMap((change) => {
    const mark = change.risk === undefined ? '  ' : paint.yellow('! ');
    const name = label(change).padEnd(column);
    const line = `${indent}${mark}${name}  ${showChange(change, paint)}`;
    return change.conflict
      ? [line, ...conflictLines(change, `${indent}  ${' '.repeat(column)}  `, paint)]
      : [line];
  });
}

/** A new object needs its secrets too, changed or not. */
function writtenAgain({ action, changes, secrets }: Step): PlannedChange[] {
  if (action !== 'replace') return [];
  const listed = new Set(changes.map((change) => change.field));
  return Object.keys(secrets)
    .filter((field) => !listed.has(field))
    .map((field) => ({ field, secret: 'new' }));
}

function showChange(change: PlannedChange, paint: Colours): string {
  if (change.secret !== undefined) return paint.dim(secretTexts[change.secret]);
  const note = change.local ? paint.dim(' (ours, not sent)') : '';
  if (change.to !== undefined && sameValue(change.from, change.to)) {
    return `${showValue(change.to)} ${paint.dim('(carried over)')}${note}`;
  }
  if (Array.isArray(change.from) && Array.isArray(change.to)) {
    return showSetChange(change.from, change.to, paint) + note;
  }
  if (change.from === undefined) return `${paint.green(showValue(change.to))}${note}`;
  if (change.to === undefined) return `${showValue(change.from)} ${paint.dim('(kept)')}${note}`;
  return `${paint.red(showValue(change.from))} → ${paint.green(showValue(change.to))}${note}`;
}

/** What a set gains (+) and loses (−). */
export function showSetChange(from: readonly string[], to: readonly string[], paint: Colours): string {
  const { gained, lost } = setDifference(from, to);
  return [
    ...gained.map((member) => paint.green(`+ ${plain(member)}`)),
    ...lost.map((member) => paint.red(`− ${plain(member)}`)),
  ].join('  ');
}

/** The three values of a conflict, since neither side saw the other's. */
function conflictLines(change: PlannedChange, indent: string, paint: Colours): string[] {
  const rows: readonly (readonly [string, FieldValue | undefined])[] = [
    ['last applied', change.baseline],
    ['changed elsewhere to', change.from],
    ['the manifest says', change.to],
  ];
  return [
    `${indent}${paint.yellow('conflict: both sides changed it; the manifest wins')}`,
    ...rows.map(([label, value]) => `${indent}  ${label.padEnd(21)}${showValue(value)}`),
  ];
}
