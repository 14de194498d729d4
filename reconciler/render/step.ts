/** The steps of a plan as blocks of lines: symbol, address, reason, fields, risks, whether it is approved. */
import { plain } from '../../client/text';
import { type FieldValue, sameValue } from '../../resources/kind';
import { registry } from '../../resources/registry';
import type { Action, PlannedChange, Step } from '../plan/plan';
import { prose, type Style, showSetChange, showValue } from './text';

const looks: Readonly<
  Record<Action, readonly [symbol: string, colour: 'green' | 'red' | 'magenta' | 'yellow' | 'cyan']>
> = {
  create: ['+', 'green'],
  update: ['~', 'yellow'],
  replace: ['-/+', 'magenta'],
  delete: ['-', 'red'],
  adopt: ['→', 'cyan'],
  move: ['→', 'cyan'],
  forget: ['∅', 'cyan'],
  cleanup: ['-', 'red'],
};

const indent = '        ';

/** Steps of one line stand together, the others apart. */
export function renderSteps(steps: readonly Step[], style: Style): string[][] {
  const replaced = new Set(steps.flatMap(({ action, address }) => (action === 'replace' ? address : [])));
  const blocks: string[][] = [];
  let open: string[] | null = null;
  for (const step of steps) {
    const block = renderStep(step, replaced.has(step.address), style);
    if (block.length === 1 && open !== null) open.push(...block);
    else {
      blocks.push(block);
      open = block.length === 1 ? block : null;
    }
  }
  return blocks;
}

/** `isReplaced`: the step that replaces the object has its risks and its approval. */
function renderStep(step: Step, isReplaced: boolean, style: Style): string[] {
  const { paint } = style;
  const { action, address, objectId, movedFrom, reason, approval } = step;
  const [symbol, colour] = looks[action];
  const tone = paint[colour];
  // An attachment's id only repeats its address.
  const id = objectId === undefined || objectId.includes('/') ? '' : ` (${plain(objectId)})`;
  const from = movedFrom === undefined ? '' : ` from ${plain(movedFrom)}`;
  const unmanaged = step.unmanaged ? paint.yellow(' (unmanaged: not made by this ledger)') : '';
  const title = `${tone(symbol.padStart(5))} ${paint.bold(plain(address))}${paint.dim(id)} ${tone(action)}${from}${unmanaged}`;
  const below = renderChanges(step, style);
  if (reason !== 'replaced' || !isReplaced) {
    const approved = approval?.given ? paint.dim('approved') : paint.yellow('needs approval, see below');
    below.push(
      ...risksOf(step).map((risk) => `${indent}${paint.yellow(`! ${prose(risk, `${indent}  `, style)}`)}`),
      ...(approval === undefined ? [] : [`${indent}${approved}`]),
    );
  }
  const because = paint.dim(prose(step.because, indent, style));
  return below.length === 0 && fits(step, style)
    ? [`${title}  ${because}`]
    : [title, `${indent}${because}`, ...below];
}

/** A step without details is one line where the terminal has room. */
function fits({ address, movedFrom = '', because }: Step, { width }: Style): boolean {
  return width === null || address.length + movedFrom.length + because.length + 60 <= width;
}

/** What a replacement unlinks stands in the step's own risks, more exactly than in those of its fields. */
function risksOf({ action, kind, changes, risks }: Step): readonly string[] {
  const fields = registry.find((one) => one.kind === kind)?.fields;
  const ofFields = changes.flatMap(({ field, risk }) => {
    const isTold = risks.length > 0 && action === 'replace' && fields?.[field]?.onChange === 'replace';
    return risk === undefined || isTold ? [] : [risk];
  });
  return [...new Set([...risks, ...ofFields])];
}

const secretTexts = {
  new: '(secret, new)',
  changed: '(secret, changed)',
  unverified: '(secret, not verified)',
  'not-compared': '(secret, not compared)',
} as const;

/** Names padded to one column; a change with a risk has a `!` in front. */
function renderChanges({ action, kind, changes, secrets }: Step, style: Style): string[] {
  const listed = new Set(changes.map(({ field }) => field));
  // A new object needs its secrets too, changed or not.
  const again = Object.keys(action === 'replace' ? secrets : {}).flatMap((field): PlannedChange[] =>
    listed.has(field) ? [] : [{ field, secret: 'new' }],
  );
  const all = [...changes, ...again].map((change) => ({
    change,
    label: plain(fieldName(kind, change.field)),
  }));
  const column = Math.max(0, ...all.map(({ label }) => label.length));
  return all.flatMap(({ change, label }) => {
    const mark = change.risk === undefined ? '  ' : style.paint.yellow('! ');
    const line = `${indent}${mark}${label.padEnd(column)}  ${showChange(change, style)}`;
    return change.conflict
      ? [line, ...conflictLines(change, `${indent}    ${' '.repeat(column)}`, style)]
      : [line];
  });
}

function showChange({ secret, local, from, to }: PlannedChange, style: Style): string {
  const { paint } = style;
  if (secret !== undefined) return paint.dim(secretTexts[secret]);
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
  const rows: readonly (readonly [string, FieldValue | undefined])[] = [
    ['last applied', baseline],
    ['changed elsewhere to', from],
    ['the manifest says', to],
  ];
  return [
    `${indent}${paint.yellow('conflict: both sides changed it; the manifest wins')}`,
    ...rows.map(([label, value]) => `${indent}  ${label.padEnd(21)}${showValue(value)}`),
  ];
}

/** `agentPool` for `agentPoolId` of an OAuthClient; the given name for what no definition knows (`protect`). */
export function fieldName(kind: string, field: string): string {
  const known = registry.find((one) => one.kind === kind)?.fields[field];
  return known?.manifestName ?? field;
}
