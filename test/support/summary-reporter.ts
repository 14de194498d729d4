/** Mocha reporter: a dot per test, every failure in full, and a last line that people and pipelines can read. */
import { type MochaOptions, type Runner, reporters } from 'mocha';

/** Ends the output with `N passed, N failed`, and `, N skipped` where tests were skipped. */
export default class SummaryReporter extends reporters.Dot {
  constructor(runner: Runner, options?: MochaOptions) {
    super(runner, options);
    // Registered after Dot's own listener, so that this is the last line.
    runner.once('end', () => {
      const { passes, failures, pending } = this.stats;
      const skipped = pending > 0 ? `, ${pending} skipped` : '';
      process.stdout.write(`${passes} passed, ${failures} failed${skipped}\n`);
    });
  }
}
