/** Programs that a user's machine may lack, and that CI must have. */
import assert from 'node:assert/strict';

/** `.ci/run` and `bench/run.ts` set `TETHER_REQUIRE` to these names. `fuzz` is for a tool outside the tests. */
const programs = ['jq', 'pulumi', 'gitea', 'minio', 'fuzz'] as const;

export type Program = (typeof programs)[number];

/** Skips the tests of a program that is not there. If `TETHER_REQUIRE` names it, they fail instead. */
export function skipWithout(name: Program, isThere: boolean, test: Mocha.Context, advice: string): void {
  const required = (process.env.TETHER_REQUIRE ?? '').split(',').filter(Boolean);
  for (const text of required) {
    // A misspelt name would require nothing.
    assert.ok(
      programs.some((program) => program === text),
      `TETHER_REQUIRE names ${text}, which no test needs`,
    );
  }
  if (isThere) return;
  assert.ok(!required.includes(name), `TETHER_REQUIRE names ${name}, which is not there: ${advice}`);
  test.skip();
}
