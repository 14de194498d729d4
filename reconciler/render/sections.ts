/** Sections of a plan or a drift report by kind: a column of names, and what becomes of each beside it; links by their first end, each reason once. */
import { glue, hang, widthOf } from '../../client/wrap';
import { groupBy } from '../../resources/groups';
import { registry } from '../../resources/registry';
import type { DriftItem } from '../drift';
import type { Step } from '../plan/plan';
import { withoutReplaced } from '../plan/steps';
import { definition, type Row, rowOfItem, rowOfStep } from './row';
import { counted, cut, type Style } from './text';

const looks = {
  create: ['+', 'green'],
  update: ['~', 'yellow'],
  replace: ['-/+', 'magenta'],
  delete: ['-', 'red'],
  adopt: ['→', 'cyan'],
  move: ['→', 'cyan'],
  forget: ['∅', 'cyan'],
  cleanup: ['-', 'red'],
  changed: ['~', 'yellow'],
  gone: ['-', 'red'],
  unmanaged: ['+', 'cyan'],
} as const;

/** `+`, `-`, and others for what is neither. */
export function symbolOf(mark: Row['mark']): string {
  return looks[mark][0];
}

/** The heading first. */
export type Section = readonly Piece[];

/** The lines of rows that stand together, or of what is said around them; made only when they are asked for. */
interface Piece {
  readonly rows: readonly Row[];
  lines(): readonly string[];
}

interface SectionOptions {
  /** Of which marks; all where it is left out. */
  readonly isWanted?: (mark: Row['mark']) => boolean;
  /** Rows of one line have one mark, and are not too many: for a `diff` block. */
  readonly isApart?: boolean;
}

/** Without `all`, plain rows are left out where there are many. */
export function planSections(steps: readonly Step[], style: Style, options: SectionOptions = {}) {
  const rows = withoutReplaced(steps).map((step) => rowOfStep(step, style));
  return sectionsOf(rows, style, options);
}

export function driftSections(items: readonly DriftItem[], style: Style, options: SectionOptions = {}) {
  const rows = items.map((item) => rowOfItem(item, style));
  return sectionsOf(rows, { ...style, all: true }, options);
}

export function renderSections(sections: readonly Section[]): string[][] {
  return sections.map((pieces) => pieces.flatMap((piece) => piece.lines()));
}

/** In the order of the registry. */
function sectionsOf(rows: readonly Row[], style: Style, options: SectionOptions): readonly Section[] {
  const { isWanted = () => true, isApart = false } = options;
  const wanted = rows.filter(({ mark }) => isWanted(mark));
  const byKind = groupBy(wanted, ({ kind }) => kind);
  const kinds = new Set([...registry.map(({ kind }) => kind), ...byKind.keys()]);
  return [...kinds].flatMap((kind) => {
    const own = byKind.get(kind);
    return own === undefined ? [] : [sectionOf(kind, own, style, isApart)];
  });
}

/** Plain objects up to so many show their fields. */
const mostInFull = 3;
/** More plain lines than `most`, or plain rows of a line, are cut to `shown`. */
const lineLimit = { most: 10, shown: 8 };
const rowLimit = { most: 15, shown: 12 };
/** Links of one mark on one line of a `diff` block. */
const mostTogether = 30;

const isPlain = (row: Row) => row.isPlain;
const fullName = ({ owner, name }: Row) => (owner === '' ? name : `${owner}/${name}`);

function sectionOf(kind: string, rows: readonly Row[], style: Style, isApart: boolean): Section {
  const { paint, width } = style;
  const { title = cut(kind), section, edge } = definition(kind) ?? {};
  const nounOf = (field: string) => section?.ends.find((end) => end.field === field)?.singular ?? field;
  const ends = edge === undefined ? [] : [`${nounOf(edge.to)} ← ${nounOf(edge.from)}`];
  const repeated = repeatedReasons(rows);
  const reasons = repeated
    .filter(({ isOrdinary }) => !isOrdinary)
    .map(({ mark, why }) => paint.dim(`(${symbolOf(mark)}${glue}${why})`));
  const heading = [paint.bold(title), ...ends, ...reasons].join('   ');
  const areMany = !style.all && rows.filter((row) => isPlain(row) && row.owner === '').length > mostInFull;
  const isAlone = (row: Row) => (row.owner === '' ? !(areMany && isPlain(row)) : row.details.length > 0);
  const alone: Row[] = [];
  const members: Row[] = [];
  for (const row of rows) (isAlone(row) ? alone : members).push(row);
  const lines = isApart
    ? [...groupBy(members, ({ owner, mark }) => `${mark} ${owner}`).values()].flatMap(chunksOf)
    : [...groupBy(members, ({ owner }) => owner).values()];
  const left = excess(
    lines.filter((line) => line.every(isPlain)),
    lineLimit,
    style,
  );
  const shown = lines.filter((line) => !left.has(line));
  const names = [...alone.map(fullName), ...shown.map(([first]) => first?.owner ?? '')];
  const said = new Map(repeated.map(({ mark, why }) => [mark, why] as const));
  const layout = { ...style, column: columnOf(names, style), said };
  const rest = `${countOf([...left].flat())}, for ${counted(left.size, 'other')} (-v lists them)`;
  return [
    { rows: [], lines: () => hang('', heading, width) },
    ...alone.map((row) => ({ rows: [row], lines: () => renderRow(row, layout) })),
    ...shown.map((line) => ({ rows: line, lines: () => renderMembers(line, layout) })),
    ...(left.size === 0 ? [] : [{ rows: [], lines: () => hang(' '.repeat(margin), paint.dim(rest), width) }]),
  ];
}

/** Of each mark a row with its most frequent reason, which is said once for the section, if more than one line has it. */
function repeatedReasons(rows: readonly Row[]) {
  return [...groupBy(rows, ({ mark }) => mark).values()].flatMap((some) => {
    const byWhy = [...groupBy(some, ({ why }) => why).values()];
    const [most = []] = byWhy.sort((one, two) => two.length - one.length);
    const isRepeated = new Set(most.map((row) => row.owner || row)).size > 1;
    return (isRepeated ? most[0] : some.find(({ isOrdinary }) => isOrdinary)) ?? [];
  });
}

/** What a long list is cut by. */
function excess<Item>(items: readonly Item[], { most, shown }: typeof lineLimit, { all }: Style) {
  return new Set(all || items.length <= most ? [] : items.slice(shown));
}

/** `… and 8 more to create, 2 to adopt`. */
function countOf(rows: readonly Row[]): string {
  const counts = [...groupBy(rows, ({ mark }) => mark)].map(([mark, some], index) => {
    return `${some.length}${index === 0 ? ' more' : ''} to ${mark}`;
  });
  return `… and ${counts.join(', ')}`;
}

function chunksOf(rows: readonly Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / mostTogether) }, (_, index) =>
    rows.slice(index * mostTogether, (index + 1) * mostTogether),
  );
}

/** Of symbols, and the space behind one. */
const margin = 6;
/** What stands beside a name gets at least so much room, or its own lines. */
const leastRoom = 40;
const widestName = 28;

interface Layout extends Style {
  /** At which everything but names begins. */
  readonly column: number;
  /** Reasons that the heading says, or that go without saying, by mark. */
  readonly said: ReadonlyMap<Row['mark'], string>;
}

function reasonOf({ mark, why }: Row, { said }: Layout): string {
  return said.get(mark) === why ? '' : why;
}

/** Wide enough for these names, as far as there is room. */
function columnOf(names: readonly string[], { width }: Style): number {
  const widest = names.reduce((most, name) => Math.max(most, widthOf(name)), 0);
  const column = margin + (widest === 0 ? 0 : Math.min(widest, widestName) + 2);
  return width !== null && width - column < leastRoom ? margin + 2 : column;
}

/** The body begins beside the head where that ends before the column, else below it. */
function beside(head: string, body: readonly string[], { column }: Layout): string[] {
  const isShort = widthOf(head) < column;
  const [first, ...more] = body;
  const start =
    isShort && first !== undefined ? [head.padEnd(column + head.length - widthOf(head)) + first] : [head];
  const rest = isShort ? more : body;
  return [...start, ...rest.map((line) => ' '.repeat(column) + line)];
}

function renderRow(row: Row, layout: Layout): string[] {
  const { paint, width, column } = layout;
  const { mark, id, details } = row;
  const room = width === null ? null : width - column;
  const [symbol, colour] = looks[mark];
  const head = `${paint[colour](symbol.padStart(margin - 1))} ${paint.bold(fullName(row))}`;
  const about = [id, reasonOf(row, layout)].flatMap((one) => (one === '' ? [] : paint.dim(one)));
  const body = [
    ...(about.length === 0 ? [] : hang('', about.join('  '), room)),
    ...details.flatMap(({ lead, text }) => hang(lead, text, room)),
  ];
  return beside(head, body, layout);
}

/** Members on one line, wrapped, plain ones first; those with one reason say it once, behind the last. */
function renderMembers(rows: readonly Row[], layout: Layout): string[] {
  const { paint, width, column } = layout;
  const { owner = '' } = rows[0] ?? {};
  const left = excess(rows.filter(isPlain), rowLimit, layout);
  const shown = rows.filter((row) => !left.has(row));
  const ordered = [...shown.filter(isPlain), ...shown.filter((row) => !isPlain(row))];
  const reason = (row: Row) => reasonOf(row, layout);
  const parts = [...groupBy(ordered, (row) => `${row.mark} ${reason(row)}`).values()].flatMap((alike) => {
    const names = alike.map((row) => {
      const [symbol, colour] = looks[row.mark];
      const member = paint[colour](`${symbol}${glue}${row.name.replaceAll(' ', glue)}`);
      return row.id === '' ? member : `${member}${glue}${paint.dim(row.id)}`;
    });
    const [why = ''] = alike.slice(0, 1).map(reason);
    const who = alike.length === 1 ? '' : `each of these ${alike.length}: `;
    return why === '' ? names : [...names.slice(0, -1), `${names.at(-1)} ${paint.dim(`(${who}${why})`)}`];
  });
  const hint = owner === '' ? '(-v shows their fields)' : '(-v lists them)';
  if (left.size > 0) parts.push(paint.dim(`${countOf([...left])} ${hint}`));
  else if (owner === '') parts.push(paint.dim(hint));
  const body = hang('', parts.join('  '), width === null ? null : width - column);
  return beside(owner === '' ? '' : ' '.repeat(margin) + paint.bold(owner), body, layout);
}
