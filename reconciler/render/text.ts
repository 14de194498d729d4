/** Text for a terminal: harmless, values on one line, prose wrapped, colour where it is asked for. */
import pc from 'picocolors';
import { plain, plainLines } from '../../client/text';
import { hang } from '../../client/wrap';
import type { Manifests } from '../../manifest/desired';
import { groupBy } from '../../resources/groups';
import { type FieldValue, isReference, type Reference } from '../../resources/kind';
import { spellings } from '../ledger-key';

export interface RenderOptions {
  readonly color: boolean;
  /** Columns to wrap at; null for no wrapping (pipelines). */
  readonly width: number | null;
  /** Nothing is folded away. */
  readonly all?: boolean;
  /** They say what ids are called and where lines stand. */
  readonly manifests?: Pick<Manifests, 'entries' | 'aliases' | 'named'> | undefined;
}

export interface Style extends RenderOptions {
  /** Functions that colour a text, or leave it as it is. */
  readonly paint: ReturnType<typeof pc.createColors>;
  /** The alias or name of that id, or the id. */
  readonly nameOf: (id: string) => string;
}

export function styleFor(options: RenderOptions): Style {
  const { addressOf: nameOf } = spellings({ objects: {} }, options.manifests ?? null);
  return { ...options, nameOf, paint: pc.createColors(options.color) };
}

/** Symbol and colour of a listing. */
const marks = {
  unknown: ['?', 'yellow'],
  problem: ['!', 'red'],
  warning: ['!', 'yellow'],
  note: ['·', 'reset'],
  pending: ['·', 'dim'],
  left: ['·', 'yellow'],
  blocker: ['✖', 'red'],
} as const;

/** A block of lines `symbol address  text`, or none; of what has one cause, all addresses and then the cause. */
export function listing<Item extends { readonly address?: string }>(
  { paint, width }: Style,
  { mark, title }: { mark: keyof typeof marks; title: string },
  items: readonly Item[],
  textOf: (item: Item) => string,
): string[] {
  const [symbol, colour] = marks[mark];
  const lead = `    ${paint[colour](symbol)} `;
  const lines = [...groupBy(items, textOf)].flatMap(([cause, some]) => {
    const text = plainLines(cause);
    const named = some.flatMap(({ address }) => (address ? paint.bold(cut(address)) : []));
    if (named.length < 2) return hang(lead, [...named, text].join('  '), width);
    return [...hang(lead, named.join(', '), width), ...hang(' '.repeat(8), text, width)];
  });
  return lines.length === 0 ? [] : [...hang('', paint[colour](title), width), ...lines];
}

/** Those blocks of lines that have any, an empty line between them, ending with a line break. */
export function joinBlocks(blocks: readonly (readonly string[])[]): string {
  const shown = blocks.filter((lines) => lines.length > 0);
  return `${shown.map((lines) => lines.join('\n')).join('\n\n')}\n`;
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
  if (isReference(value)) return cut(value.address);
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return showText(value);
  return `[${[...value].sort().map(showName).join(', ')}]`;
}

function showText(text: string): string {
  const [first = '', ...more] = text.replace(/\n+$/, '').split('\n');
  const most = more.length === 0 ? mostOfName : 40;
  const isLong = first.length > most;
  const start = `"${plain(first.slice(0, most))}${isLong ? '…' : ''}"`;
  if (more.length > 0) return `${start} … (${counted(more.length + 1, 'line')})`;
  return isLong ? `${start} (${first.length} characters)` : start;
}

/** A name among others on a line: in quotes where it is several words, or might be read as a symbol, a bracket or two names. */
export function showName(name: string): string {
  const shown = cut(name);
  return /[\s"(),[\]{}]|^[-+~→∅…!?✖·]/u.test(shown) ? `"${shown.replaceAll('"', '\\"')}"` : shown;
}

/** A name of any length, on one line. */
export function cut(name: string): string {
  return name.length > mostOfName ? `${plain(name.slice(0, mostOfName))}…` : plain(name);
}

/** Nobody reads more of a name, and services put no limit on one. */
const mostOfName = 200;
