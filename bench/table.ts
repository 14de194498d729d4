/** What benches print: one title, and rows in columns. */

/** Prints a table at once; the first cell of a row is its name. */
export function printTable(title: string, rows: readonly (readonly (string | number)[])[]): void {
  const texts = rows.map((row) => row.map(String));
  const widths = (texts[0] ?? []).map((_, column) =>
    Math.max(...texts.map((row) => (row[column] ?? '').length)),
  );
  const lines = texts.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  process.stdout.write(`${title}\n${lines.map((line) => `  ${line}\n`).join('')}\n`);
}

/** `1,234 ms` below ten seconds, then `12.3 s`. */
export function duration(ms: number): string {
  return ms < 10_000 ? `${Math.round(ms).toLocaleString('en')} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** `20.0 ×`: how many times the one is the other. */
export function ratio(one: number, other: number): string {
  return `${(one / other).toFixed(1)} ×`;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
