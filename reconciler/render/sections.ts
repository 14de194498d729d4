/** Sections of a plan or a drift report as text: a column of names, and what becomes of each beside it. */
import { glue, hang, widthOf } from '../../client/wrap';
import type { Row } from './row';
import type { Style } from './text';
import type { Line, Section } from './view';

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

/** Of symbols, and the space behind one. */
const margin = 6;
/** What stands beside a name gets at least so much room, or its own lines. */
const leastRoom = 40;
const widestName = 28;

/** The lines of some rows that stand together, or of what is said around them; made only when they are asked for. */
export interface Piece {
  readonly rows: readonly Row[];
  lines(): readonly string[];
}

export function renderSections(sections: readonly Section[], style: Style): string[][] {
  return sections.map((section) => piecesOf(section, style).flatMap((piece) => piece.lines()));
}

export function piecesOf(section: Section, style: Style): readonly Piece[] {
  const { lines, more } = section;
  const layout = layoutOf(section, style);
  const rest = () => hang(' '.repeat(margin), style.paint.dim(more), style.width);
  return [
    { rows: [], lines: () => renderHeading(section, style) },
    ...lines.map((line) => ({ rows: line.members.flat(), lines: () => renderLine(line, layout) })),
    ...(more === '' ? [] : [{ rows: [], lines: rest }]),
  ];
}

/** `+`, `-`, and others for what is neither. */
export function symbolOf(mark: Row['mark']): string {
  return looks[mark][0];
}

/** A style with the column at which everything but names begins. */
interface Layout extends Style {
  readonly column: number;
}

function renderHeading({ title, ends, reasons }: Section, { paint, width }: Style): readonly string[] {
  const said = reasons.map(({ mark, why }) => paint.dim(`(${looks[mark][0]}${glue}${why})`));
  return hang('', [paint.bold(title), ...(ends === '' ? [] : [ends]), ...said].join('   '), width);
}

/** Wide enough for its names, as far as there is room. */
function layoutOf({ lines }: Section, style: Style): Layout {
  const { width } = style;
  const widest = lines.reduce((most, { name }) => Math.max(most, widthOf(name)), 0);
  const column = margin + (widest === 0 ? 0 : Math.min(widest, widestName) + 2);
  const isNarrow = width !== null && width - column < leastRoom;
  return { ...style, column: isNarrow ? margin + 2 : column };
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

function renderLine(line: Line, layout: Layout): string[] {
  const [[row] = []] = line.members;
  return line.isWhole && row !== undefined ? renderRow(line.name, row, layout) : renderMembers(line, layout);
}

function renderRow(name: string, row: Row, layout: Layout): string[] {
  const { paint, width, column } = layout;
  const { mark, id, why, details } = row;
  const room = width === null ? null : width - column;
  const [symbol, colour] = looks[mark];
  const head = `${paint[colour](symbol.padStart(margin - 1))} ${paint.bold(name)}`;
  const about = [id, why].flatMap((one) => (one === '' ? [] : paint.dim(one)));
  const body = [
    ...(about.length === 0 ? [] : hang('', about.join('  '), room)),
    ...details.flatMap(({ lead, text }) => hang(lead, text, room)),
  ];
  return beside(head, body, layout);
}

/** Members on one line, wrapped; those with one reason say it once, behind the last. */
function renderMembers({ name, members, more }: Line, layout: Layout): string[] {
  const { paint, width, column } = layout;
  const parts = members.flatMap((alike) => {
    const shown = alike.map((row) => {
      const [symbol, colour] = looks[row.mark];
      const member = paint[colour](`${symbol}${glue}${row.name.replaceAll(' ', glue)}`);
      return row.id === '' ? member : `${member}${glue}${paint.dim(row.id)}`;
    });
    const why = alike[0]?.why ?? '';
    const who = alike.length === 1 ? '' : `each of these ${alike.length}: `;
    return why === '' ? shown : [...shown.slice(0, -1), `${shown.at(-1)} ${paint.dim(`(${who}${why})`)}`];
  });
  if (more !== '') parts.push(paint.dim(more));
  const body = hang('', parts.join('  '), width === null ? null : width - column);
  return beside(name === '' ? '' : ' '.repeat(margin) + paint.bold(name), body, layout);
}
