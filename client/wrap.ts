/** Wraps text at the width of a terminal. Words stay whole, so that ids and URLs can be copied; wide characters count twice. */
import truncate from 'fast-string-truncated-width';
import { wrapAnsi } from 'fast-wrap-ansi';

/** Shown as a space, at which no line ends. */
export const glue = '\u00a0';

/** No text gets less room, however narrow the terminal. */
const leastRoom = 20;

/** How many columns a text takes; colours take none. */
export const widthOf = (text: string): number => truncate(text).width;

/** Lines of at most so many columns, unless a word is longer; null for any length. What is indented is shown as it is. */
function wrap(text: string, room: number | null): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const isWhole = room === null || line.startsWith(' ') || line.length <= room / 2;
    const lines = isWhole ? [line] : wrapAnsi(line, Math.max(leastRoom, room)).split('\n');
    return lines.map((one) => one.replaceAll(glue, ' ').trimEnd());
  });
}

/** A text behind a lead: its further lines begin where the first one does. `room` is for both. */
export function hang(lead: string, text: string, room: number | null): readonly string[] {
  const indent = widthOf(lead);
  const lines = wrap(text, room === null ? null : room - indent);
  return lines.map((line, index) => (index === 0 ? lead : ' '.repeat(indent)) + line);
}
