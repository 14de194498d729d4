/** A manifest's text, places in it, and which parts no frame may show. */
import type { Position } from '../resources/kind';
import { countBelow } from './events';
import { type IssueList, printable } from './issues';

export interface Origin {
  /** Relative to the working directory, for people. */
  readonly shown: string;
  /** Relative to the root, with forward slashes, for the ledger. */
  readonly file: string;
  readonly absolute: string;
}

const widest = 120;

/** Its text is private, so that no dump of a result can show a literal secret. */
export class Source {
  /** Not before it is known to be a manifest of this folder: it may be any file of this machine. */
  isShown = false;
  readonly #text: string;
  /** Where each line begins. */
  readonly #lines = [0];
  /** Ends by starts. */
  readonly #masks = new Map<number, number>();

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

  /** Without its byte order mark; offsets count in it. */
  text(): string {
    return this.#text;
  }

  at(offset: number): Position {
    const line = countBelow(this.#lines, (start) => start <= offset);
    return { file: this.origin.shown, line, column: offset - this.#startOf(line - 1) + 1 };
  }

  /** Marks a part that may hold a secret. */
  mask([start, end]: readonly [number, number]): void {
    if (!this.isMasked([start, end])) this.#masks.set(start, end);
  }

  isMasked([start, end]: readonly [number, number]): boolean {
    return (this.#masks.get(start) ?? -1) >= end;
  }

  /** The lines around a place with a mark below it, masked parts as `***`; empty where it is not shown. */
  frame({ line, column }: Position): readonly string[] {
    if (!this.isShown) return [];
    // Loaded with the first frame: most runs have none.
    const { codeFrameColumns }: typeof import('@babel/code-frame') = require('@babel/code-frame');
    const startLine = Math.max(1, line - 1);
    const lineStart = this.#startOf(line - 1);
    const shownColumn = this.#masked(lineStart, lineStart + column - 1).length + 1;
    // A manifest may be one long line of JSON: only the part around the place is shown.
    const cut = shownColumn > widest ? shownColumn - Math.floor(widest / 2) : 0;
    const lines = this.#lines.slice(startLine - 1, line + 1).map((start, index) => {
      const text = this.#masked(start, this.#startOf(startLine + index) - 1).replace(/\r$/, '');
      return printable(text.slice(cut, cut + widest).replaceAll('\t', ' '));
    });
    const start = { line, column: Math.max(1, shownColumn - cut) };
    const options = { linesAbove: 1, linesBelow: 1, startLine, highlightCode: false };
    return [codeFrameColumns(lines.join('\n'), { start }, options).replace(/^/gm, '  ')];
  }

  /** Of a line (from 0); past the last one, where the next would begin. */
  #startOf(line: number): number {
    return this.#lines[line] ?? this.#text.length + 1;
  }

  #masked(start: number, end: number): string {
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
