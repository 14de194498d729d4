/** Mocha root hooks of the processes that run the tests. */
import { takeCoverage } from 'node:v8';

/** Loaded with `--require`; mocha runs the hooks in its workers alone. */
export const mochaHooks = {
  // What a test starts as a process is counted where another test runs it in this one: counting it again costs half as much again.
  beforeAll(): void {
    delete process.env.NODE_V8_COVERAGE;
  },
  // Mocha gives a worker a second to end, and on a busy machine writing takes longer: what was counted is on disk after each file.
  afterAll(): void {
    takeCoverage();
  },
};
