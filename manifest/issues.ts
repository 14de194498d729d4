/** Issues of manifests: collected while they are read, so that all are told at once, and shown with the lines they are about. */
import pc from 'picocolors';
import { plain } from '../client/text';
import type { Issue, Position } from '../resources/kind';
import type { Violation } from '../resources/violations';
import type { Source } from './source';

/** Where something stands and what it is called: the `at` and `path` of an issue. */
export interface Spot {
  readonly at: Position;
  readonly path: string;
}

/** A growing list of issues, made fit to print. */
export class IssueList {
  readonly all: Issue[] = [];

  /** Adds a mistake; nothing may be done with the manifests any more. */
  error(rule: string, spot: Partial<Spot>, message: string, ...related: readonly Position[]): void {
    this.#add('error', rule, spot, message, related);
  }

  /** Adds a remark that stops nothing. */
  warning(rule: string, spot: Partial<Spot>, message: string, ...related: readonly Position[]): void {
    this.#add('warning', rule, spot, message, related);
  }

  /** Adds what is wrong with a string. */
  violation({ rule, subject, problem }: Violation, text: string, spot: Spot): void {
    this.error(rule, spot, `\`${subject === 'value' ? text : spot.path}\` ${problem}`);
  }

  #add(
    severity: Issue['severity'],
    rule: string,
    { at, path = '' }: Partial<Spot>,
    text: string,
    related: readonly Position[],
  ): void {
    const message = text.split('\n').map(printable).join('\n');
    const places = { ...(at && { at }), ...(related.length > 0 && { related }) };
    this.all.push({ rule, severity, message, path: printable(path), ...places });
  }
}

/** For messages: `main.tether.yaml:3:5`. */
export function place(at: Position): string {
  return `${at.file}:${at.line}:${at.column}`;
}

/** A terminal must not obey what a manifest or the name of a file holds. */
export function printable(text: string): string {
  return plain(text, () => '?');
}

/** How many issues get a frame; the rest are one line each. */
const mostFrames = 50;
/** Longest part of a line that a frame shows. */
const widest = 120;

/** All issues as text, each with its frame where the source is known; empty for none. Ends without a line break. */
export function renderIssues(
  issues: readonly Issue[],
  sources: ReadonlyMap<string, Source>,
  options: { readonly color: boolean },
): string {
  const colors = pc.createColors(options.color);
  const blocks = issues.map(({ severity, rule, message, at, related = [] }, index) => {
    const paint = severity === 'error' ? colors.red : colors.yellow;
    const where = at === undefined ? [] : [colors.bold(place(at))];
    const source = at && index < mostFrames ? sources.get(at.file) : undefined;
    return [
      [...where, paint(severity), colors.dim(rule)].join('  '),
      `  ${message}`,
      ...(at && source?.isShown ? [renderFrame(source, at)] : []),
      ...related.map((other) => colors.dim(`  see also ${place(other)}`)),
    ].join('\n');
  });
  return blocks.join('\n\n');
}

function renderFrame(source: Source, at: Position): string {
  // Loaded with the first frame: most runs have none.
  const { codeFrameColumns }: typeof import('@babel/code-frame') = require('@babel/code-frame');
  const startLine = Math.max(1, at.line - 1);
  const column = source.shownColumn(at);
  // A manifest may be one long line of JSON: only the part around the place is shown.
  const cut = column > widest ? column - Math.floor(widest / 2) : 0;
  const lines = source
    .lines(startLine, at.line + 1)
    .map((line) => printable(line.slice(cut, cut + widest).replaceAll('\t', ' ')));
  const start = { line: at.line, column: Math.max(1, column - cut) };
  const options = { linesAbove: 1, linesBelow: 1, startLine, highlightCode: false };
  return codeFrameColumns(lines.join('\n'), { start }, options).replace(/^/gm, '  ');
}
