// Marks a test with the statements it proves; docs/api-coverage.md is made from these marks.

import type { apiStatements } from './api-statements';
import type { gapStatements } from './gap-statements';

type KeysOfUnion<Union> = Union extends unknown ? keyof Union : never;

/** The id of a statement of the API text or of a gap. */
export type StatementId =
  | KeysOfUnion<(typeof apiStatements)[keyof typeof apiStatements]>
  | keyof typeof gapStatements;

/** Declares a test that proves the statements; their ids stand in the test's name. */
export function proves(ids: readonly StatementId[], title: string, test: () => Promise<void> | void): void {
  it(`${title} [${ids.join(' ')}]`, test);
}
