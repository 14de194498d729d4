/** Programs that a user's machine may lack, and that CI must have. */

/** Skips the tests of a program that is not there. If `TETHER_REQUIRE` names it, they fail instead. */
export function skipWithout(name: string, isThere: boolean, test: Mocha.Context, advice: string): void {
  if (isThere) return;
  if ((process.env.TETHER_REQUIRE ?? '').split(',').includes(name)) {
    throw new Error(`TETHER_REQUIRE names ${name}, which is not there: ${advice}`);
  }
  test.skip();
}
