/** A manifest's text with the places in it, and which parts of it no message or frame may show. */
import type { Position } from '../resources/kind';

/** True for the names that are looked for in folders. */
export function isManifestName(name: string): boolean {
  return /\.tether\.(?:yaml|yml|json)$/.test(name);
}

/** Where a manifest came from. */
export interface Origin {
  /** Relative to the working directory, for people. */
  readonly shown: string;
  /** Relative to the root, with forward slashes, for the ledger. */
  readonly file: string;
  readonly absolute: string;
}

/** One manifest. Its text is private, so that no dump of a result can show a literal secret. */
export class Source {
  /** Whether frames may show its lines: not those of a file that is no manifest, which may be any file of this machine. */
  isShown = false;
  readonly #text: string;
  readonly #starts: number[] = [0];
  readonly #masks: (readonly [number, number])[] = [];

  constructor(
    readonly origin: Origin,
    text: string,
  ) {
    this.#text = text.startsWith('\uFEFF') ? text.slice(1) : text;
    for (let at = this.#text.indexOf('\n'); at >= 0; at = this.#text.indexOf('\n', at + 1)) {
      this.#starts.push(at + 1);
    }
  }

  /** Without its byte order mark; offsets count in it. */
  text(): string {
    return this.#text;
  }

  at(offset: number): Position {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#startOf(middle) <= offset) low = middle;
      else high = middle - 1;
    }
    return { file: this.origin.shown, line: low + 1, column: offset - this.#startOf(low) + 1 };
  }

  /** Marks a part that may hold a secret. */
  mask(range: readonly [number, number]): void {
    this.#masks.push(range);
  }

  /** The column of a place in its line as `lines` shows it. */
  shownColumn(at: Position): number {
    const start = this.#startOf(at.line - 1);
    return this.#masked(start, start + at.column - 1).length + 1;
  }

  /** The lines from `first` to `last`, 1-based, as far as there are any; masked parts as `***`. */
  lines(first: number, last: number): string[] {
    return this.#starts
      .slice(first - 1, last)
      .map((start, index) => this.#masked(start, this.#startOf(first + index) - 1).replace(/\r$/, ''));
  }

  /** The offset of a line (from 0); past the last one, where the next would begin. */
  #startOf(line: number): number {
    return this.#starts[line] ?? this.#text.length + 1;
  }

  #masked(start: number, end: number): string {
    const cuts = this.#masks
      .filter(([from, to]) => from < end && to > start)
      .sort((left, right) => left[0] - right[0]);
    let shown = '';
    let next = start;
    for (const [from, to] of cuts) {
      if (to <= next) continue;
      shown += `${this.#text.slice(next, Math.max(next, from))}***`;
      next = Math.min(to, end);
    }
    return shown + this.#text.slice(next, end);
  }
}
