/** One line per changed field: old → new, sets as what is gained and lost, secrets never as values. */
import { type FieldValue, sameValue } from '../../resources/kind';
import type { PlannedChange, Step } from '../plan/plan';
import { fieldName } from './field-name';
import { type Colours, plain } from './text';
import { setDifference, showValue } from './value';

const secretTexts = {
  new: '(secret, new)',
  changed: '(secret, changed)',
  unverified: '(secret, not verified)',
  'not-compared': '(secret, not compared)',
} as const;

/** The changes of one step, names padded to one column; a change with a risk has a `!` in front. */
export function renderChanges(step: Step, indent: string, paint: Colours): string[] {
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
