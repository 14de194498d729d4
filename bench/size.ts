/** How much a bench does: `full` for figures to quote, `small` to see in seconds that it still runs. */

export type Size = 'full' | 'small';

/** The first argument of the program; `full` where there is none. Throws for anything else. */
export function sizeOf(args: readonly string[]): Size {
  const [size = 'full'] = args;
  if (size === 'full' || size === 'small') return size;
  throw new Error(`there is no size ${size}: full or small`);
}
