/** How much a bench does: `full` for figures to quote, `small` to see in seconds that it still runs; and where its figures go. */

export type Size = 'full' | 'small';

/** The first argument of the program; `full` where there is none. Throws for anything else. */
export function sizeOf(args: readonly string[]): Size {
  const [size = 'full'] = args;
  if (size === 'full' || size === 'small') return size;
  throw new Error(`there is no size ${size}: full or small`);
}

/** Gives the figures to `make bench`, where that started this program. */
export function publish(name: string, figures: unknown): void {
  process.send?.({ [name]: figures });
}
