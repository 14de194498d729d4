/** Values of fields as a reviewer reads them, on one line each. */
import { type FieldValue, isReference, type Reference } from '../../resources/kind';
import { counted, plain } from './text';

/** One value: a text in quotes, a text of several lines by its first, a set in brackets, `none` for null. */
export function showValue(value: FieldValue | Reference | undefined): string {
  if (value === undefined) return 'unknown';
  if (value === null) return 'none';
  if (isReference(value)) return plain(value.address);
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return showText(value);
  return value.length === 0 ? '[]' : `[${[...value].sort().map(plain).join(', ')}]`;
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
