/** Makes digests cheap in the processes that run tests and in the programs that they start. `--require` loads it first. */

// A key of the real cost takes as long as all the rest of an apply.
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
