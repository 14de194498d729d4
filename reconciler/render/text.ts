/** A report as text for a terminal, and any value as JSON. */
import pc from 'picocolors';
import { plain, plainLines } from '../../client/text';
import { type Line, marks, type Report, type Row, type Section } from './report';

/** Titles up to this width share a column. */
const widestTitle = 36;

/** Ends with a line break. */
export function renderText({ about, sections, summary, footer }: Report, color: boolean): string {
  const paint = pc.createColors(color);
  const blocks = [
    [paint.dim(plain(about))],
    ...sections.map((section) => [
      paint.bold(plain(section.title)),
      ...sectionLines(section, (row) => (text) => paint[marks[row.mark].colour](text)),
    ]),
    [paint.bold(plain(summary)), ...footer.map((line) => plain(line))],
  ];
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

type Paint = (row: Row) => (text: string) => string;

function sectionLines({ rows, paste = [] }: Section, paint: Paint): readonly string[] {
  const column = columnOf(rows);
  return [
    ...rows.flatMap((row) => rowLines(row, column, paint(row))),
    ...paste.map((line) => `  ${plain(line)}`),
  ];
}

export function columnOf(rows: readonly Row[]): number {
  return Math.min(
    widestTitle,
    rows.reduce((most, { title }) => Math.max(most, title.length), 0),
  );
}

/** The first line begins with two spaces and the symbol. */
export function rowLines(row: Row, column: number, paint: (text: string) => string): readonly string[] {
  const { mark, title, text, lines } = row;
  const [first = '', ...more] = plainLines(text).split('\n');
  const head = title === '' ? first : `${plain(title).padEnd(first === '' ? 0 : column)}  ${first}`.trimEnd();
  return [
    `  ${paint(marks[mark].symbol)} ${head}`,
    ...more.map((line) => `      ${line}`),
    ...labelled(lines).map((line) => `      ${line}`),
  ];
}

function labelled(lines: readonly Line[]): readonly string[] {
  const width = lines.reduce((most, { label }) => Math.max(most, label.length), 0);
  return lines.flatMap(({ label, text }) => {
    const all = plainLines(text).split('\n');
    return label === ''
      ? all
      : all.map((line, index) => `${(index === 0 ? label : '').padEnd(width)}  ${line}`);
  });
}

/** Characters that a terminal could act on are \u escapes. Ends with a line break. */
export function renderJson(value: unknown): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const text = plain(JSON.stringify(value, null, 2), (character) =>
    character === '\n' ? character : character.split('').map(escaped).join(''),
  );
  return `${text}\n`;
}

/** Cells in columns, the last one as long as it is. */
export function renderTable(rows: readonly (readonly string[])[]): string {
  const shown = rows.map((cells) => cells.map((cell) => plain(cell)));
  const widths = (shown[0] ?? []).map((_, index) =>
    Math.max(...shown.map((cells) => cells[index]?.length ?? 0)),
  );
  const lines = shown.map((cells) =>
    cells
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}
