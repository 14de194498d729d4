/** A bench reports rows of one table. Each row has a figure and its goal. */

export interface Row {
  readonly what: string;
  readonly goal: string;
  readonly measured: string;
  readonly holds: boolean;
  /** Counts are the same on every machine, so a count that misses its goal is a failure. Times are only shown. */
  readonly isCount: boolean;
}

/** A full run measures what is worth quoting. A small one only counts, in seconds. */
export const isFull = process.argv[2] !== 'small';

/** Passes a row to `make bench`, which prints it. Times of a small run say nothing and are left out. */
export function report(row: Row): void {
  if (isFull || row.isCount) process.send?.(row);
}

/** Writes seconds, such as `1.5 s`. */
export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, two) => one - two);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
