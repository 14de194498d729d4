// Marks a test with the gaps of the API text that it settles; docs/spec-gaps.md is made from these marks.

import type { gapStatements } from './gap-statements';

export type Gap = keyof typeof gapStatements;

/** Declares a test that proves what we do in these gaps; their ids stand at the end of the test's name. */
export function proves(ids: readonly Gap[], title: string, test: () => Promise<void> | void): void {
  it(ids.length > 0 ? `${title} [${ids.join(' ')}]` : title, test);
}
