/** Issues for people: place, rule, message, and the lines themselves with secrets masked. */
import pc from 'picocolors';
import type { Issue, Position } from '../resources/kind';
import { place } from './findings';
import type { Source } from './source';

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
  const lines = source.lines(first, at.line + 1).map((line) => printable(line.slice(cut, cut + widest)));
  const { codeFrameColumns } = loadCodeFrame();
  const start = { line: at.line, column: Math.max(1, column - cut) };
  const frameOptions = { linesAbove: 1, linesBelow: 1, startLine: first, highlightCode: false };
  const frame = codeFrameColumns(lines.join('\n'), { start }, frameOptions);
  return frame.replace(/^/gm, '  ');
}

/** Loaded with the first frame: most runs have none. */
function loadCodeFrame(): typeof import('@babel/code-frame') {
  return require('@babel/code-frame');
}

/** A terminal must not obey what a manifest holds. */
function printable(line: string): string {
  return line.replace(/(?!\t)[\p{Cc}\p{Cs}\u2028\u2029\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, '?');
}
