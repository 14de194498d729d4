/** Text for a terminal: harmless, values on one line, prose wrapped, colour where it is asked for. */
import pc from 'picocolors';
import { plain } from '../../client/text';
import { type FieldValue, isReference, type Reference } from '../../resources/kind';
import { grouped } from '../plan/steps';

export interface RenderOptions {
  readonly color: boolean;
  /** Columns to wrap prose at; null for no wrapping (pipelines). */
  readonly width: number | null;
}

export interface Style extends RenderOptions {
  /** Functions that colour a text, or leave it as it is. */
  readonly paint: ReturnType<typeof pc.createColors>;
}

export function styleFor(options: RenderOptions): Style {
  return { ...options, paint: pc.createColors(options.color) };
}

/** A block, or none without lines. */
export function section(title: string, lines: readonly string[]): string[][] {
  return lines.length === 0 ? [] : [[title, ...lines]];
}

/** Symbol and colour of a listing. */
const marks = {
  unknown: ['?', 'yellow'],
  problem: ['!', 'red'],
  warning: ['!', 'yellow'],
  note: ['·', 'reset'],
  pending: ['·', 'dim'],
  blocker: ['✖', 'red'],
} as const;

/** A section of lines `symbol address  text`, each after the margin. */
export function listing<Item extends { readonly address?: string }>(
  style: Style,
  { mark, title, margin = '    ' }: { mark: keyof typeof marks; title: string; margin?: string },
  items: readonly Item[],
  textOf: (item: Item) => string,
): string[][] {
  const [symbol, colour] = marks[mark];
  const paint = style.paint[colour];
  // What has the same cause stands together, and says it once.
  const causes = grouped(items.map((item) => [textOf(item), item] as const));
  const lines = [...causes].flatMap(([text, alike]) =>
    alike.map((item, index) => {
      const subject = item.address ? `${style.paint.bold(plain(item.address))}  ` : '';
      const said = index === 0 ? prose(text, `${margin}    `, style) : style.paint.dim('as above');
      return `${paint(margin + symbol)} ${subject}${said}`;
    }),
  );
  return section(paint(title), lines);
}

/** Blocks of lines, an empty line between them, ending with a line break. */
export function joinBlocks(blocks: readonly (readonly string[])[]): string {
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** Like `plain`, but line breaks stay, long lines wrap, and `indent` goes before each further line. */
export function prose(text: string, indent: string, { width }: RenderOptions): string {
  const room = width === null ? Number.POSITIVE_INFINITY : Math.max(30, width - indent.length);
  return text
    .split('\n')
    .flatMap((line) => wrapped(plain(line).trimEnd(), room))
    .join(`\n${indent}`);
}

function wrapped(line: string, room: number): string[] {
  const lead = /^ */.exec(line)?.[0] ?? '';
  const lines: string[] = [];
  let current = '';
  for (const word of line.trimStart().split(' ')) {
    const longer = current === '' ? lead + word : `${current} ${word}`;
    if (current !== '' && longer.length > room) {
      lines.push(current);
      current = lead + word;
    } else current = longer;
  }
  return [...lines, current];
}

/** `2 failed`, for each that is not 0. */
export function someOf(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts).flatMap(([what, count]) => (count === 0 ? [] : [`${count} ${what}`]));
}

/** `1 call`, `2 calls`. */
export function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}

/** Characters that a terminal could act on are \u escapes. */
export function renderJson(value: unknown): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const text = plain(JSON.stringify(value, null, 2), (character) =>
    character === '\n' ? character : character.split('').map(escaped).join(''),
  );
  return `${text}\n`;
}

/** A text in quotes, one of several lines by its first, a set in brackets, `none` for null. */
export function showValue(value: FieldValue | Reference | undefined): string {
  if (value === undefined) return 'unknown';
  if (value === null) return 'none';
  if (isReference(value)) return plain(value.address);
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return showText(value);
  const members = [...value].sort().map((one) => plain(one));
  return `[${members.join(', ')}]`;
}

function showText(text: string): string {
  const [first = '', ...more] = text.replace(/\n+$/, '').split('\n');
  // Nobody reads more of a name, and services put no limit on one.
  const most = more.length === 0 ? 200 : 40;
  const isLong = first.length > most;
  const start = `"${plain(first.slice(0, most))}${isLong ? '…' : ''}"`;
  if (more.length > 0) return `${start} … (${counted(more.length + 1, 'line')})`;
  return isLong ? `${start} (${first.length} characters)` : start;
}

/** What a set gains (+) and loses (−), each in order. */
export function showSetChange(from: readonly string[], to: readonly string[], { paint }: Style): string {
  const only = (these: readonly string[], others: readonly string[]) =>
    [...new Set(these)].filter((member) => !others.includes(member)).sort();
  return [
    ...only(to, from).map((member) => paint.green(`+ ${plain(member)}`)),
    ...only(from, to).map((member) => paint.red(`− ${plain(member)}`)),
  ].join('  ');
}
