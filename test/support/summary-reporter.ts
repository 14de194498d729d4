/** Mocha reporter: a line per file, every failure in full, and a last line that people and pipelines read: `N passed, N failed`. */
import { relative, resolve } from 'node:path';
import { type MochaOptions, type Runner, reporters } from 'mocha';

const tests = resolve(__dirname, '..');

interface Ended {
  readonly file?: string;
}

export default class SummaryReporter extends reporters.Base {
  constructor(runner: Runner, options: MochaOptions) {
    super(runner, options);
    // The events of one file come together, when it has ended.
    let file: string | undefined;
    let counts = { passed: 0, failed: 0, skipped: 0 };
    const count = (as: keyof typeof counts) => (ended: Ended) => {
      file ??= ended.file;
      counts[as] += 1;
    };
    runner.on('pass', count('passed'));
    runner.on('fail', count('failed'));
    runner.on('pending', count('skipped'));
    runner.on('suite end', ({ root }) => {
      if (!root || file === undefined) return;
      const name = relative(tests, file).replace(/\.test\.[cm]?js$/u, '');
      process.stdout.write(`${name}: ${describeCounts(counts)}\n`);
      file = undefined;
      counts = { passed: 0, failed: 0, skipped: 0 };
    });
    runner.once('end', () => {
      this.epilogue();
      const { passes: passed, failures: failed, pending: skipped } = this.stats;
      process.stdout.write(`${describeCounts({ passed, failed, skipped })}\n`);
    });
  }
}

/** `3 passed, 0 failed, 1 skipped`. */
function describeCounts({
  passed,
  failed,
  skipped,
}: Readonly<Record<'passed' | 'failed' | 'skipped', number>>): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
