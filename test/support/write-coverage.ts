/** Mocha root hook: writes the coverage of this process after each file, for workers that are ended before they could. */
import { takeCoverage } from 'node:v8';

/**
 * Loaded with `--require` by `make coverage`. Mocha gives a worker a second to end, and on a busy machine writing
 * takes longer; whatever was counted up to the last file is then on disk already.
 */
export const mochaHooks = {
  afterAll(): void {
    if (process.env.NODE_V8_COVERAGE !== undefined) takeCoverage();
  },
};
