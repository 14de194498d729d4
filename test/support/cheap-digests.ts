/** Makes digests cheap in the processes that run tests. `--require` loads it first. */

// One of the real cost takes as long as all the rest of an apply. Programs that tests start pay it; what they wrote is
// read here, too, since a digest says what it cost.
import { cost } from '../../reconciler/ledger/digest';

const real = cost.N;
cost.N = 2;

/** Makes digests real in the current `describe`, for tests of their form and of files from elsewhere. */
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
