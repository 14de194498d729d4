/** The text of a manifest, and frames that show no secret. */
import { LineCounter } from 'yaml';
import type { Position } from '../resources/kind';
import { type IssueList, printable, word } from './issues';

export interface Origin {
  /** Relative to the working directory, with forward slashes. */
  readonly shown: string;
  readonly absolute: string;
}

/** A part of the text, from its first offset to the one behind its end. */
type Part = readonly [start: number, end: number];

/** A manifest may be one long line of JSON. */
const frameWidth = 120;
/** Frames of longer lines would take minutes. */
const longestLine = 10_000;
const readable = /[\p{L}\p{N}]/u;

export class Source {
  /** No dump of a result may show a literal secret. */
  readonly #text: string;
  readonly #counter = new LineCounter();
  readonly #shown: Part[] = [];
  readonly #hidden: Part[] = [];

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
    return { file: this.origin.shown, line, column: col };
  }

  /** Frames show the words of this part. Elsewhere, any word may belong to a secret. */
  show(...part: Part): void {
    this.#shown.push(part);
  }

  /** Frames show no words of this part, even if it is in a shown one. */
  hide(...part: Part): void {
    this.#hidden.push(part);
  }

  /** Returns the lines around a position. Outside of shown parts, only public words are shown. */
  frame({ line, column }: Position, message: string): readonly string[] {
    if (this.#line(line).length > longestLine) return [];
    const inMessage = new Set(message.match(word));
    const isPublic = (one: string) =>
      this.issues.publicWords.has(one) || inMessage.has(one) || !readable.test(one);
    const visible = (number: number, length?: number) => {
      const isShown = this.#shownIn(number);
      const text = this.#line(number).slice(0, length);
      return text.replace(word, (one, at: number) => (isPublic(one) || isShown(one, at) ? one : '***'));
    };
    const before = visible(line, column - 1).length;
    const cut = before < frameWidth ? 0 : before - frameWidth / 2;
    const width = String(line + 1).length;
    const frame: string[] = [];
    for (const number of [line - 1, line, line + 1]) {
      if (this.#counter.lineStarts[number - 1] === undefined) continue;
      if (this.#line(number).length > longestLine) continue;
      const text = visible(number).slice(cut, cut + frameWidth);
      const pointer = number === line ? '>' : ' ';
      const row = `  ${pointer} ${String(number).padStart(width)} | ${text.replaceAll('\t', ' ')}`;
      frame.push(printable(row).trimEnd());
      if (number === line) frame.push(`    ${' '.repeat(width)} | ${' '.repeat(before - cut)}^`);
    }
    return frame;
  }

  /** Returns a function that says which words of a line are in shown parts. A comment may hold anything. */
  #shownIn(number: number): (one: string, at: number) => boolean {
    const start = this.#counter.lineStarts[number - 1] ?? 0;
    const text = this.#line(number);
    const comment = text.search(/(?:^|\s)#/);
    const end = start + (comment < 0 ? text.length : comment);
    const isHere = ([from, to]: Part) => from < end && to > start;
    const [shown, hidden] = [this.#shown.filter(isHere), this.#hidden.filter(isHere)];
    return (one, at) => {
      const isIn = ([from, to]: Part) => from <= start + at && start + at < to;
      const isListed = start + at < end && shown.some(isIn) && !hidden.some(isIn);
      return isListed && !this.issues.isSecret(one);
    };
  }

  /** Lines count from 1. */
  #line(number: number): string {
    const { lineStarts } = this.#counter;
    const end = lineStarts[number] ?? this.#text.length + 1;
    return this.#text.slice(lineStarts[number - 1], end - 1);
  }
}
