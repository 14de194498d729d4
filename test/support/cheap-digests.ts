/** Digests that cost next to nothing, in the processes that run tests: loaded first, by `--require`. */

// One of the real cost takes as long as all the rest of an apply. Programs that tests start pay it; what they wrote is
// read here, too, since a digest says what it cost.
import { cost } from '../../reconciler/ledger/digest';

const real = cost.N;
cost.N = 2;

/** In the current `describe` digests are as users have them: for tests of their form, and of files that somebody else wrote. */
export function withRealDigests(): void {
  let cheap = cost.N;
  before(() => {
    cheap = cost.N;
    cost.N = real;
  });
  after(() => {
    cost.N = cheap;
  });
}
