/** What a run is doing: one line on a terminal's stderr that changes, and nothing elsewhere. */
import { plain } from '../client/text';

const eraseLine = '\r\u001b[K';
/** Some terminals break the line in the last column. */
const widest = 78;

export class Progress {
  #name = '';
  #isShown = false;

  /** Null: silent. */
  constructor(private readonly write: ((text: string) => void) | null) {}

  /** Shows this phase until the work has ended. */
  async during<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    this.#name = name;
    this.update('');
    try {
      return await work();
    } finally {
      this.#name = '';
      this.clear();
    }
  }

  /** What is known of the phase now: `3 of 12 · OAuthClient/github`. */
  update(detail: string): void {
    if (this.#name === '' || this.write === null) return;
    const line = plain(`${this.#name}… ${detail}`);
    this.write(eraseLine + (line.length > widest ? `${line.slice(0, widest - 1)}…` : line));
    this.#isShown = true;
  }

  /** Before anything else is written to the terminal. */
  clear(): void {
    if (this.#isShown) this.write?.(eraseLine);
    this.#isShown = false;
  }
}
