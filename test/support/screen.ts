/** What a terminal shows of what was written to it: one line can be overwritten, wide characters take two columns. */

const wide = /[\u{1100}-\u{115f}\u{2e80}-\u{a4cf}\u{ac00}-\u{d7a3}\u{ff00}-\u{ff60}\u{1f300}-\u{1faff}]/u;
const escapeCharacter = String.fromCodePoint(27);

/** Rows of at most so many columns; throws for an escape sequence that is none of ours. */
export function screenOf(written: string, columns: number): readonly string[] {
  const rows: string[][] = [[]];
  let column = 0;
  const [first = '', ...controlled] = written.split(escapeCharacter);
  for (const piece of [...first, ...controlled.flatMap(piecesOf)]) {
    const row = rows.at(-1) ?? [];
    if (piece === '\r') column = 0;
    else if (piece === '[K') row.length = column;
    else if (/^\p{M}$/u.test(piece)) row[column - 1] += piece;
    else {
      const width = wide.test(piece) ? 2 : 1;
      if (piece === '\n' || column + width > columns) {
        rows.push([]);
        column = 0;
      }
      if (piece === '\n') continue;
      rows.at(-1)?.splice(column, width, piece, ...(width === 2 ? [''] : []));
      column += width;
    }
  }
  return rows.map((row) => row.join('').trimEnd());
}

/** A sequence, but for one of colour, and the characters that follow it. */
function piecesOf(text: string): string[] {
  const [sequence = ''] = /^\[([\d;]*m|K)/.exec(text) ?? [];
  if (sequence === '') throw new Error(`unknown sequence ${JSON.stringify(text.slice(0, 10))}`);
  return [...(sequence === '[K' ? [sequence] : []), ...text.slice(sequence.length)];
}
