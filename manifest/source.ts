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
  /** Absolute; what the manifest itself names by a relative path is beside it. */
  readonly absolute: string;
}

/** Text, origin and masks of one manifest. The text is private, so that no dump of a result can show a literal secret. */
export class Source {
  readonly #text: string;
  readonly #starts: number[] = [0];
  readonly #masks: (readonly [number, number])[] = [];
  #shown = false;

  constructor(
    readonly origin: Origin,
    text: string,
  ) {
    this.#text = text.startsWith('\uFEFF') ? text.slice(1) : text;
    for (let at = this.#text.indexOf('\n'); at >= 0; at = this.#text.indexOf('\n', at + 1)) {
      this.#starts.push(at + 1);
    }
  }

  /** The whole text, without its byte order mark. Offsets count in it. */
  text(): string {
    return this.#text;
  }

  /** Line and column, 1-based, of an offset. */
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

  /** Whether its lines may be shown: not those of a file that is no manifest, which may be any file of this machine. */
  get isShown(): boolean {
    return this.#shown;
  }

  showLines(): void {
    this.#shown = true;
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

  /** The lines from `first` to `last` (1-based, cut to what there is), masked parts as `***`. */
  lines(first: number, last: number): string[] {
    const lines: string[] = [];
    for (let line = Math.max(1, first); line <= Math.min(last, this.#starts.length); line += 1) {
      const start = this.#startOf(line - 1);
      const end = this.#startOf(line) - 1;
      lines.push(this.#masked(start, end).replace(/\r$/, ''));
    }
    return lines;
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
