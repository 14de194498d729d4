/** One step of a plan as a block of lines: symbol, address, reason, fields, risks, the line that approves it. */
import type { Action, Step } from '../plan/plan';
import { renderChanges } from './change';
import { type Colours, plain, prose, type RenderOptions } from './text';

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

/** The lines of one step; `prefix` goes in front of the address (`acme:`). */
export function renderStep(step: Step, prefix: string, options: RenderOptions, paint: Colours): string[] {
  const tone = toneOf(step.action, paint);
  const symbol = tone(symbols[step.action].padStart(5));
  const address = paint.bold(plain(prefix + step.address));
  const id = step.objectId === undefined || step.kind === '' ? '' : paint.dim(` ${idText(step)}`);
  const foreign = step.foreign ? paint.yellow(' (foreign: not made by this ledger)') : '';
  const from = step.movedFrom === undefined ? '' : ` from ${plain(prefix + step.movedFrom)}`;
  return [
    `${symbol} ${address}${id} ${tone(step.action)}${from}${foreign}`,
    `${indent}${paint.dim(prose(step.because, indent, options))}`,
    ...renderChanges(step.changes, indent, paint),
    ...risksOf(step).map((risk) => `${indent}${paint.yellow(`! ${prose(risk, `${indent}  `, options)}`)}`),
    ...approvalLines(step, paint),
  ];
}

/** An attachment's id only repeats its address. */
function idText(step: Step): string {
  const id = step.objectId ?? '';
  return id.includes('/') ? '' : `(${plain(id)})`;
}

function toneOf(action: Action, paint: Colours): (text: string) => string {
  if (action === 'create') return paint.green;
  if (action === 'delete' || action === 'sweep') return paint.red;
  if (action === 'replace') return paint.magenta;
  return action === 'update' ? paint.yellow : paint.cyan;
}

function risksOf(step: Step): readonly string[] {
  const ofFields = step.changes.flatMap((change) => (change.risk === undefined ? [] : [change.risk]));
  return [...new Set([...step.risks, ...ofFields])];
}

function approvalLines(step: Step, paint: Colours): string[] {
  if (step.approval === undefined) return [];
  if (step.approval.given) return [`${indent}${paint.dim('approved')}`];
  return [
    `${indent}${paint.yellow(`needs approval: add this line to the manifest to allow the ${step.approval.action}`)}`,
    `${indent}  ${paint.bold(plain(step.approval.line))}`,
  ];
}
