/** Mocha reporter: a line per file with what runs meanwhile, every failure in full, and a last line that people and pipelines can read. */
import { relative, resolve } from 'node:path';
import { type Hook, type MochaOptions, type Runner, reporters, type Suite, type Test } from 'mocha';

const tests = resolve(__dirname, '..');

/** `provider/session` of `…/dist/test/provider/session.test.js`. */
function nameOf(file: string): string {
  return relative(tests, file).replace(/\.test\.[cm]?js$/u, '');
}

/** Ends the output with `N passed, N failed`, and `, N skipped` where tests were skipped. */
export default class SummaryReporter extends reporters.Base {
  /** Files that no process has begun, in their order. */
  readonly #waiting: string[];
  /** When each file began that runs now. */
  readonly #running = new Map<string, number>();
  /** What is known of the file whose events arrive: those of one file come together, when it has ended. */
  #file: string | undefined;
  #counts = { passed: 0, failed: 0, skipped: 0 };
  #failed: string[] = [];

  constructor(runner: Runner, options: MochaOptions & { readonly files?: readonly string[] } = {}) {
    super(runner, options);
    this.#waiting = [...(options.files ?? [])];
    runner.once('start', () => {
      for (let job = 0; job < (options.jobs ?? 1); job += 1) this.#next();
      process.stdout.write(`${this.#now()}\n`);
    });
    runner.on('pass', (test) => this.#count(test, 'passed'));
    runner.on('pending', (test) => this.#count(test, 'skipped'));
    runner.on('fail', (test) => {
      this.#count(test, 'failed');
      // What crossed from another process has no methods.
      this.#failed.push(test.titlePath?.().join(' ') ?? test.title);
    });
    runner.on('suite end', (suite) => this.#endOf(suite));
    runner.once('end', () => {
      this.epilogue();
      const { passes, failures, pending } = this.stats;
      process.stdout.write(`${textOf({ passed: passes, failed: failures, skipped: pending }, true)}\n`);
    });
  }

  #count(runnable: Test | Hook, as: 'passed' | 'failed' | 'skipped'): void {
    this.#file ??= runnable.file;
    this.#counts[as] += 1;
  }

  #endOf(suite: Suite): void {
    if (!suite.root || this.#file === undefined) return;
    const began = this.#running.get(this.#file) ?? Date.now();
    this.#running.delete(this.#file);
    this.#next();
    const seconds = ((Date.now() - began) / 1000).toFixed(1);
    const now = this.#running.size > 0 ? `   (${this.#now()})` : '';
    process.stdout.write(`${nameOf(this.#file)}: ${textOf(this.#counts)} in ${seconds} s${now}\n`);
    for (const title of this.#failed) process.stdout.write(`  failed: ${title}\n`);
    this.#file = undefined;
    this.#counts = { passed: 0, failed: 0, skipped: 0 };
    this.#failed = [];
  }

  /** A process took the next file: they are begun in their order. */
  #next(): void {
    const file = this.#waiting.shift();
    if (file !== undefined) this.#running.set(file, Date.now());
  }

  #now(): string {
    return `now ${[...this.#running.keys()].map(nameOf).join(', ')}`;
  }
}

/** `3 passed, 1 skipped`; with the failures even where there is none, if asked for. */
function textOf(
  counts: Readonly<Record<'passed' | 'failed' | 'skipped', number>>,
  alwaysFailed = false,
): string {
  return [
    `${counts.passed} passed`,
    ...(counts.failed > 0 || alwaysFailed ? [`${counts.failed} failed`] : []),
    ...(counts.skipped > 0 ? [`${counts.skipped} skipped`] : []),
  ].join(', ');
}
