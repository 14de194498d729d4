/** Text for a terminal: what comes from elsewhere is made harmless, values are shown on one line, prose is wrapped, colour is asked for. */
import pc from 'picocolors';
import { plain } from '../../client/text';
import { type FieldValue, isReference, type Reference, type Registry } from '../../resources/kind';
import { registry } from '../../resources/registry';

export type Colours = ReturnType<typeof pc.createColors>;

export interface RenderOptions {
  readonly color: boolean;
  /** Columns to wrap prose at; null for no wrapping (pipelines). */
  readonly width: number | null;
}

/** Functions that colour a text, or leave it as it is. */
export function coloursFor(options: RenderOptions): Colours {
  return pc.createColors(options.color);
}

/** Like `plain`, for prose of several lines: line breaks stay, `indent` goes before each further line, long lines wrap. */
export function prose(text: string, indent: string, options: RenderOptions): string {
  const room =
    options.width === null ? Number.POSITIVE_INFINITY : Math.max(30, options.width - indent.length);
  return text
    .split('\n')
    .map((line) => plain(line).trimEnd())
    .flatMap((line) => wrapped(line, room))
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

/** `1 call`, `2 calls`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** One JSON document as text; characters that a terminal could act on are written as \u escapes, which JSON allows. */
export function renderJson(value: unknown): string {
  const text = plain(JSON.stringify(value, null, 2), (character) =>
    character === '\n'
      ? character
      : [...Array(character.length).keys()]
          .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
          .join(''),
  );
  return `${text}\n`;
}

/** One value: a text in quotes, a text of several lines by its first, a set in brackets, `none` for null. */
export function showValue(value: FieldValue | Reference | undefined): string {
  if (value === undefined) return 'unknown';
  if (value === null) return 'none';
  if (isReference(value)) return plain(value.address);
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return showText(value);
  return value.length === 0
    ? '[]'
    : `[${[...value]
        .sort()
        .map((one) => plain(one))
        .join(', ')}]`;
}

/** Services put no limit on names; nobody reads more than this of one. */
const longest = 200;

function showText(text: string): string {
  const lines = text.replace(/\n+$/, '').split('\n');
  const first = lines[0] ?? '';
  if (lines.length === 1) {
    if (first.length <= longest) return `"${plain(first)}"`;
    return `"${plain(first.slice(0, longest))}…" (${first.length} characters)`;
  }
  const start = first.length > 40 ? `${first.slice(0, 40)}…` : first;
  return `"${plain(start)}" … (${counted(lines.length, 'line')})`;
}

/** What a set gains and loses, each in order. */
export function setDifference(
  from: readonly string[],
  to: readonly string[],
): { gained: readonly string[]; lost: readonly string[] } {
  const before = new Set(from);
  const after = new Set(to);
  return {
    gained: [...after].filter((member) => !before.has(member)).sort(),
    lost: [...before].filter((member) => !after.has(member)).sort(),
  };
}

/** `agentPool` for `agentPoolId` of an OAuthClient; the given name for what no definition knows (`protect`). */
export function fieldName(kind: string, field: string, kinds: Registry = registry): string {
  const known = kinds.find((one) => one.kind === kind)?.fields[field];
  return known?.manifestName ?? field;
}
