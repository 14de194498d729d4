/** The text of a manifest, and frames that show no secret. */
import { LineCounter } from 'yaml';
import type { Position } from '../resources/kind';
import { type IssueList, printable } from './issues';

export interface Origin {
  /** Relative to the working directory, with forward slashes. */
  readonly relativePath: string;
  readonly absolute: string;
}

/** A manifest may be one long line of JSON. */
const frameWidth = 120;
/** Frames of longer lines would take minutes. */
const maxLine = 10_000;
/** Matches a word without the marks of YAML and JSON. */
export const word = /[^\s{}[\],:"'`]+/g;
const readable = /[\p{L}\p{N}]/u;

export class Source {
  /** No dump of a result may show a literal secret. */
  readonly #text: string;
  readonly #counter = new LineCounter();

  constructor(
    readonly origin: Origin,
    text: string,
    readonly issues: IssueList,
  ) {
    this.#text = text.replace(/^\uFEFF/, '');
    let start = 0;
    do {
      this.#counter.addNewLine(start);
      start = this.#text.indexOf('\n', start) + 1;
    } while (start > 0);
  }

  /** Offsets count in the text without its byte order mark. */
  text(): string {
    return this.#text;
  }

  at(offset: number): Position {
    const { line, col } = this.#counter.linePos(offset);
    return { file: this.origin.relativePath, line, column: col };
  }

  /** Returns the lines around a position. Any word may belong to a secret, so only public words are shown. */
  frame({ line, column }: Position, message: string): readonly string[] {
    if (this.#line(line).length > maxLine) return [];
    const inMessage = new Set(message.match(word));
    const isPublic = (part: string) =>
      this.issues.publicWords.has(part) || inMessage.has(part) || !readable.test(part);
    const hide = (text: string) => text.replace(word, (part) => (isPublic(part) ? part : '***'));
    const before = hide(this.#line(line).slice(0, column - 1)).length;
    const cut = before < frameWidth ? 0 : before - frameWidth / 2;
    const width = String(line + 1).length;
    const frame: string[] = [];
    for (const number of [line - 1, line, line + 1]) {
      if (this.#counter.lineStarts[number - 1] === undefined) continue;
      if (this.#line(number).length > maxLine) continue;
      const text = hide(this.#line(number)).slice(cut, cut + frameWidth);
      const pointer = number === line ? '>' : ' ';
      const row = `  ${pointer} ${String(number).padStart(width)} | ${text.replaceAll('\t', ' ')}`;
      frame.push(printable(row).trimEnd());
      if (number === line) frame.push(`    ${' '.repeat(width)} | ${' '.repeat(before - cut)}^`);
    }
    return frame;
  }

  /** Lines count from 1. */
  #line(number: number): string {
    const { lineStarts } = this.#counter;
    const end = lineStarts[number] ?? this.#text.length + 1;
    return this.#text.slice(lineStarts[number - 1], end - 1).replace(/\r$/, '');
  }
}
