/** Wraps text at the width of a terminal. Words stay whole, so that ids and URLs can be copied; wide characters count twice. */
import type * as Width from 'fast-string-truncated-width';
import type * as Wrap from 'fast-wrap-ansi';

/** It is shown as a space, and no line ends there. */
export const glue = '\u00a0';

/** A longer lead may leave no room for a word that would fit below it. */
const shortLead = 8;

/** Cuts a text to so many columns; colours take none. */
export function truncate(text: string, options?: Width.TruncationOptions): Width.Result {
  // It is loaded at the first text that is not plain, which most programs never have.
  return (require('fast-string-truncated-width') as typeof Width).default(text, options);
}

/** Returns the columns that a text takes; colours take none. */
export function widthOf(text: string): number {
  return /^[ -~]*$/.test(text) ? text.length : truncate(text).width;
}

/** Wraps at so many columns, or nowhere for null. Longer words stay whole, and indented lines stay as they are. */
function wrap(text: string, room: number | null): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const isWhole = room === null || line.startsWith(' ') || line.length <= room / 2;
    const lines = isWhole ? [line] : wrapped(line, Math.max(1, room));
    return lines.map((one) => one.replaceAll(glue, ' ').trimEnd());
  });
}

/** Puts a text behind a lead. Its further lines begin where the first one does. `room` is for both. */
export function hang(lead: string, text: string, room: number | null): readonly string[] {
  const behind = widthOf(lead);
  const isTooLong = (word: string) => room !== null && widthOf(word) > room - behind;
  const isBelow = behind > shortLead && text.split(/\s/).some(isTooLong);
  const indent = isBelow ? 4 : behind;
  const lines = wrap(text, room === null ? null : room - indent);
  const indented = lines.map((line) => ' '.repeat(indent) + line);
  return isBelow ? [lead.trimEnd(), ...indented] : [lead + lines[0], ...indented.slice(1)];
}

function wrapped(line: string, room: number): readonly string[] {
  return (require('fast-wrap-ansi') as typeof Wrap).wrapAnsi(line, room).split('\n');
}
