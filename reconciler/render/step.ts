/** One step of a plan as a block of lines: symbol, address, reason, fields, risks, the line that approves it. */
import { registry } from '../../resources/registry';
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

/** The lines of one step; `told`: the step that replaces the object has told of its risks already. */
export function renderStep(step: Step, told: boolean, options: RenderOptions, paint: Colours): string[] {
  const tone = toneOf(step.action, paint);
  const symbol = tone(symbols[step.action].padStart(5));
  const address = paint.bold(plain(step.address));
  const id = paint.dim(idText(step));
  const foreign = step.foreign ? paint.yellow(' (foreign: not made by this ledger)') : '';
  const from = step.movedFrom === undefined ? '' : ` from ${plain(step.movedFrom)}`;
  const title = `${symbol} ${address}${id} ${tone(step.action)}${from}${foreign}`;
  const below = [
    ...renderChanges(step, indent, paint),
    ...(step.reason === 'replaced' && told ? [] : risksOf(step)).map(
      (risk) => `${indent}${paint.yellow(`! ${prose(risk, `${indent}  `, options)}`)}`,
    ),
    ...(step.reason === 'replaced' && told ? [] : approvalLines(step, paint)),
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
