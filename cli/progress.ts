/** Shows the present work of a run on one line of a terminal. */
import { plain } from '../client/text';

const eraseLine = '\r\u001b[K';
/** Some terminals break the line in the last column. */
const widest = 78;

export class Progress {
  #name = '';
  #isShown = false;

  constructor(private readonly write: ((text: string) => void) | null) {}

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

  update(detail: string): void {
    if (this.#name === '' || this.write === null) return;
    const line = plain(`${this.#name}… ${detail}`);
    this.write(eraseLine + (line.length > widest ? `${line.slice(0, widest - 1)}…` : line));
    this.#isShown = true;
  }

  clear(): void {
    if (this.#isShown) this.write?.(eraseLine);
    this.#isShown = false;
  }
}
