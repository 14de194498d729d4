/** Steps of a plan as blocks of lines: symbol, address, reason, fields, risks, whether it is approved. */
import { plain } from '../../client/text';
import { type Field, sameValue } from '../../resources/kind';
import { registry } from '../../resources/registry';
import type { PlannedChange, Step } from '../plan/plan';
import { prose, type Style, showSetChange, showValue } from './text';

const looks = {
  create: ['+', 'green'],
  update: ['~', 'yellow'],
  replace: ['-/+', 'magenta'],
  delete: ['-', 'red'],
  adopt: ['→', 'cyan'],
  move: ['→', 'cyan'],
  forget: ['∅', 'cyan'],
  cleanup: ['-', 'red'],
} as const;

const indent = '        ';

/** Steps of one line stand together, the others apart. */
export function renderSteps(steps: readonly Step[], style: Style): string[][] {
  const replaced = new Set(steps.flatMap(({ action, address }) => (action === 'replace' ? address : [])));
  const blocks: string[][] = [];
  let open: string[] | undefined;
  for (const step of steps) {
    const block = renderStep(step, replaced.has(step.address), style);
    const isLine = block.length === 1;
    if (isLine && open) open.push(...block);
    else {
      blocks.push(block);
      open = isLine ? block : undefined;
    }
  }
  return blocks;
}

/** `isReplaced`: the step that replaces the object has its risks and its approval. */
function renderStep(step: Step, isReplaced: boolean, style: Style): string[] {
  const { paint } = style;
  const { action, movedFrom, reason, approval } = step;
  const [symbol, colour] = looks[action];
  const tone = paint[colour];
  const from = movedFrom === undefined ? '' : ` from ${plain(movedFrom)}`;
  const unmanaged = step.unmanaged ? paint.yellow(' (unmanaged: not made by this ledger)') : '';
  const title = `${tone(symbol.padStart(5))} ${objectTitle(step, style)} ${tone(action)}${from}${unmanaged}`;
  const below = renderChanges(step, style);
  if (reason !== 'replaced' || !isReplaced) {
    for (const risk of risksOf(step)) {
      below.push(`${indent}${paint.yellow(`! ${prose(risk, `${indent}  `, style)}`)}`);
    }
    const approved = approval?.given ? paint.dim('approved') : paint.yellow('needs approval, see below');
    if (approval) below.push(`${indent}${approved}`);
  }
  const because = paint.dim(prose(step.because, indent, style));
  return below.length === 0 && fits(step, style)
    ? [`${title}  ${because}`]
    : [title, `${indent}${because}`, ...below];
}

/** An address with the id, unless that only repeats it, as an attachment's does. */
export function objectTitle(
  { address, objectId }: { readonly address: string; readonly objectId?: string | null },
  { paint }: Style,
): string {
  const id = !objectId || objectId.includes('/') ? '' : paint.dim(` (${plain(objectId)})`);
  return `${paint.bold(plain(address))}${id}`;
}

/** A step without details is one line where the terminal has room. */
function fits({ address, movedFrom = '', because }: Step, { width }: Style) {
  return width === null || address.length + movedFrom.length + because.length + 60 <= width;
}

/** What a replacement unlinks, the step's own risks say more exactly than those of its fields. */
function risksOf({ action, kind, changes, risks }: Step): string[] {
  const ofFields = changes.flatMap(({ field, risk }) => {
    const isTold = risks.length > 0 && action === 'replace' && fieldOf(kind, field)?.onChange === 'replace';
    return risk === undefined || isTold ? [] : [risk];
  });
  return [...new Set([...risks, ...ofFields])];
}

const secretWords = {
  same: 'unchanged, written again',
  new: 'new',
  changed: 'changed',
  unverified: 'not verified',
  'not-compared': 'not compared',
} as const;

/** Names padded to one column; a change with a risk has a `!` in front. */
function renderChanges({ action, kind, changes, secrets }: Step, style: Style): string[] {
  const listed = new Set(changes.map(({ field }) => field));
  // A new object needs its secrets too, changed or not.
  const again = Object.keys(action === 'replace' ? secrets : {}).flatMap((field): PlannedChange[] =>
    listed.has(field) ? [] : [{ field, secret: 'new' }],
  );
  const all = [...changes, ...again];
  const label = ({ field }: PlannedChange) => plain(fieldName(kind, field));
  const column = Math.max(0, ...all.map((change) => label(change).length));
  return all.flatMap((change) => {
    const mark = change.risk === undefined ? '  ' : style.paint.yellow('! ');
    const line = `${indent}${mark}${label(change).padEnd(column)}  ${showChange(change, style)}`;
    const below = `${indent}    ${' '.repeat(column)}`;
    return change.conflict ? [line, ...conflictLines(change, below, style)] : [line];
  });
}

function showChange({ secret, local, from, to }: PlannedChange, style: Style): string {
  const { paint } = style;
  if (secret !== undefined) return paint.dim(`(secret, ${secretWords[secret]})`);
  const note = local ? paint.dim(' (ours, not sent)') : '';
  if (to !== undefined && sameValue(from, to))
    return `${showValue(to)} ${paint.dim('(carried over)')}${note}`;
  if (Array.isArray(from) && Array.isArray(to)) return showSetChange(from, to, style) + note;
  if (from === undefined) return `${paint.green(showValue(to))}${note}`;
  if (to === undefined) return `${showValue(from)} ${paint.dim('(kept)')}${note}`;
  return `${paint.red(showValue(from))} → ${paint.green(showValue(to))}${note}`;
}

/** The three values of a conflict, since neither side saw the other's. */
function conflictLines({ baseline, from, to }: PlannedChange, indent: string, { paint }: Style): string[] {
  return [
    `${indent}${paint.yellow('conflict: both sides changed it; the manifest wins')}`,
    `${indent}  last applied         ${showValue(baseline)}`,
    `${indent}  changed elsewhere to ${showValue(from)}`,
    `${indent}  the manifest says    ${showValue(to)}`,
  ];
}

/** `agentPool` for `agentPoolId` of an OAuthClient; the given name for what is no field (`protect`). */
export function fieldName(kind: string, field: string): string {
  return fieldOf(kind, field)?.manifestName ?? field;
}

function fieldOf(kind: string, name: string): Field | undefined {
  return registry.find((one) => one.kind === kind)?.fields[name];
}
