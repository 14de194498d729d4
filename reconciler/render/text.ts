/** Writes a report as text for a terminal, and any value as JSON. */
import pc from 'picocolors';
import { escapedInString, inert, plain, plainLines, type Redact } from '../../client/text';
import { type Line, marks, type Report, type Row, type Section } from './report';

/** Titles up to this width share a column. */
const maxTitleWidth = 36;

/** The text ends with a line break. */
export function renderText(report: Report, color: boolean): string {
  const { about, sections, summary } = report;
  const paint = pc.createColors(color);
  const end = [paint.bold(plain(summary)), ...renderFooter(report).map((line) => plain(line))].join('\n');
  return `${[paint.dim(plain(about)), ...renderSections(sections, color), end].join('\n\n')}\n`;
}

/** Returns the lines below the summary. */
export function renderFooter({ footer, next }: Pick<Report, 'footer' | 'next'>): readonly string[] {
  return [footer ?? [], next === undefined ? [] : `Next: ${next}`].flat();
}

/** Returns a text for each section. */
export function renderSections(sections: readonly Section[], color: boolean): readonly string[] {
  const paint = pc.createColors(color);
  const paintMark = ({ mark }: Row) => paint[marks[mark].colour](marks[mark].symbol);
  return sections.map(({ title, rows, paste = [] }) =>
    [paint.bold(plain(title)), ...rowTexts(rows, paintMark), ...paste.map((line) => plain(line))].join('\n'),
  );
}

/** Returns a text for each row. Its first line begins with two spaces and the symbol. */
export function rowTexts(rows: readonly Row[], paintMark: (row: Row) => string): readonly string[] {
  const column = Math.min(maxTitleWidth, maxWidth(rows.map(({ title }) => title)));
  return rows.map((row) => {
    const { title, text = '', lines = [] } = row;
    const [first = '', ...more] = plainLines(text).split('\n');
    const padded = first === '' ? plain(title) : `${plain(title).padEnd(column)}  ${first}`;
    const head = title === '' ? first : padded.trimEnd();
    const below = [...more, ...labelled(lines)].map((line) => `      ${line}`);
    return [`  ${paintMark(row)} ${head}`, ...below].join('\n');
  });
}

function maxWidth(texts: readonly string[]): number {
  return texts.reduce((most, { length }) => Math.max(most, length), 0);
}

function labelled(lines: readonly Line[]): readonly string[] {
  const width = maxWidth(lines.map(({ label = '' }) => label));
  return lines.flatMap(({ label, text }) => {
    const all = plainLines(text).split('\n');
    if (label === undefined) return all;
    return all.map((line, index) => `${(index === 0 ? label : '').padEnd(width)}  ${line}`);
  });
}

/** Escapes characters that a terminal could act on, and masks secrets in values. The text ends with a line break. */
export function renderJson(value: unknown, redact: Redact = (text) => text): string {
  const masked = (_: string, member: unknown) => (typeof member === 'string' ? redact(member) : member);
  const text = plain(JSON.stringify(value, masked, 2), (character) =>
    character === '\n' ? character : escapedInString(character),
  );
  return `${inert(text, escapedInString)}\n`;
}

/** Aligns the cells in columns. The last column is not padded. */
export function renderTable(rows: readonly (readonly string[])[]): string {
  const plainRows = rows.map((cells) => cells.map((cell) => plain(cell)));
  const widthAt = (index: number) => maxWidth(plainRows.map((cells) => cells[index] ?? ''));
  const widths = (plainRows[0] ?? []).map((_, index) => widthAt(index));
  const lines = plainRows.map((cells) => {
    const padded = cells.map((cell, index) => cell.padEnd(widths[index] ?? 0));
    return `${padded.join('  ').trimEnd()}\n`;
  });
  return lines.join('');
}
