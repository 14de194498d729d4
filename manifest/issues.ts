/** Issues of manifests: collected while they are read, so that all of them are told at once, and shown with the lines they are about. */

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
    message: string,
    related: readonly Position[],
  ): void {
    this.all.push({
      rule,
      severity,
      message: message.split('\n').map(printable).join('\n'),
      path: printable(path),
      ...(at === undefined ? {} : { at }),
      ...(related.length === 0 ? {} : { related }),
    });
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

type Colors = ReturnType<typeof pc.createColors>;

/** All issues as text, each with its frame where the source is known; empty for none. Ends without a line break. */
export function renderIssues(
  issues: readonly Issue[],
  sources: ReadonlyMap<string, Source>,
  options: { readonly color: boolean },
): string {
  const colors = pc.createColors(options.color);
  return issues
    .map((issue, index) => renderIssue(issue, index < mostFrames ? sources : new Map(), colors))
    .join('\n\n');
}

function renderIssue(issue: Issue, sources: ReadonlyMap<string, Source>, colors: Colors): string {
  const severity = issue.severity === 'error' ? colors.red(issue.severity) : colors.yellow(issue.severity);
  const where = issue.at === undefined ? [] : [colors.bold(place(issue.at))];
  const head = [...where, severity, colors.dim(issue.rule)].join('  ');
  const source = issue.at === undefined ? undefined : sources.get(issue.at.file);
  const frame = issue.at !== undefined && source?.isShown ? [renderFrame(source, issue.at)] : [];
  const related = (issue.related ?? []).map((at) => colors.dim(`  see also ${place(at)}`));
  return [head, `  ${issue.message}`, ...frame, ...related].join('\n');
}

function renderFrame(source: Source, at: Position): string {
  const first = Math.max(1, at.line - 1);
  const column = source.shownColumn(at);
  // A manifest may be one long line of JSON: only the part around the place is shown.
  const cut = column > widest ? column - Math.floor(widest / 2) : 0;
  const lines = source
    .lines(first, at.line + 1)
    .map((line) => printable(line.slice(cut, cut + widest).replaceAll('\t', ' ')));
  const { codeFrameColumns } = loadCodeFrame();
  const start = { line: at.line, column: Math.max(1, column - cut) };
  const frameOptions = { linesAbove: 1, linesBelow: 1, startLine: first, highlightCode: false };
  return codeFrameColumns(lines.join('\n'), { start }, frameOptions).replace(/^/gm, '  ');
}

/** Loaded with the first frame: most runs have none. */
function loadCodeFrame(): typeof import('@babel/code-frame') {
  return require('@babel/code-frame');
}
