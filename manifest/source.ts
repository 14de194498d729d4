/** Holds a manifest's text, finds places in it, and knows which parts no frame may show. */
import type { Position } from '../resources/kind';
import { type IssueList, printable } from './issues';

export interface Origin {
  /** Relative to the working directory, for people. */
  readonly shown: string;
  /** Relative to the folder, with forward slashes. */
  readonly file: string;
  readonly absolute: string;
}

/** A frame shows at most so many characters of a line, because a manifest may be one long line of JSON. */
const widest = 120;

/** Its text is private, so that no dump of a result can show a literal secret. */
export class Source {
  readonly #text: string;
  /** Where each line begins. */
  readonly #lines = [0];
  /** Where each hidden part ends, by its start. */
  readonly #masks = new Map<number, number>();
  /** Where it is set, frames show no other words. */
  #shownWords: ReadonlySet<string> | undefined;

  constructor(
    readonly origin: Origin,
    text: string,
    readonly issues: IssueList,
  ) {
    this.#text = text.startsWith('\uFEFF') ? text.slice(1) : text;
    for (let end = this.#text.indexOf('\n'); end >= 0; end = this.#text.indexOf('\n', end + 1)) {
      this.#lines.push(end + 1);
    }
  }

  /** The text without its byte order mark; offsets count in it. */
  text(): string {
    return this.#text;
  }

  at(offset: number): Position {
    const line = this.#lineOf(offset);
    return { file: this.origin.shown, line, column: offset - this.#startOf(line - 1) + 1 };
  }

  /** Hides a part that may hold a secret. */
  mask([start, end]: readonly [number, number]): void {
    if (!this.isMasked([start, end])) this.#masks.set(start, end);
  }

  isMasked([start, end]: readonly [number, number]): boolean {
    return (this.#masks.get(start) ?? -1) >= end;
  }

  /** For a file that was not understood: any other word may be a secret. */
  hideAllBut(words: readonly string[]): void {
    this.#shownWords = new Set(words);
  }

  /** The lines around a place with a mark below it. Hidden parts are `***`. */
  frame({ line, column }: Position): readonly string[] {
    const shownColumn = this.#masked(this.#startOf(line - 1), this.#startOf(line - 1) + column - 1).length;
    const cut = shownColumn >= widest ? shownColumn - widest / 2 : 0;
    const numbers = [line - 1, line, line + 1].filter((one) => one > 0 && one <= this.#lines.length);
    const width = String(line + 1).length;
    return numbers.flatMap((number) => {
      const text = this.#masked(this.#startOf(number - 1), this.#startOf(number) - 1).replace(/\r$/, '');
      const shown = printable(text.slice(cut, cut + widest).replaceAll('\t', ' '));
      const lead = `  ${number === line ? '>' : ' '} ${String(number).padStart(width)} |`;
      const mark = `    ${' '.repeat(width)} | ${' '.repeat(shownColumn - cut)}^`;
      return [shown === '' ? lead : `${lead} ${shown}`, ...(number === line ? [mark] : [])];
    });
  }

  /** The number of the line, from 1, in which an offset is. */
  #lineOf(offset: number): number {
    let [low, high] = [0, this.#lines.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#startOf(middle) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Where a line begins, counted from 0. Behind the last line, it is where another one would begin. */
  #startOf(line: number): number {
    return this.#lines[line] ?? this.#text.length + 1;
  }

  #masked(start: number, end: number): string {
    const words = this.#shownWords;
    if (words !== undefined) {
      const hide = (word: string) => (words.has(word) || !/[\p{L}\p{N}]/u.test(word) ? word : '***');
      return this.#text.slice(start, end).replace(/[^\s{}[\],:"']+/g, hide);
    }
    const cuts = [...this.#masks].filter(([from, to]) => from < end && to > start);
    let shown = '';
    let next = start;
    for (const [from, to] of cuts.sort((left, right) => left[0] - right[0])) {
      if (to <= next) continue;
      shown += `${this.#text.slice(next, Math.max(next, from))}***`;
      next = to;
    }
    return shown + this.#text.slice(next, end);
  }
}
