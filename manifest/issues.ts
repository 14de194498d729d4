/** Collects, sorts and renders the mistakes and warnings of manifests. It also knows which words a frame may show. */
import pc from 'picocolors';
import { plain } from '../client/text';
import type { Issue, Position } from '../resources/kind';

export class IssueList {
  readonly all: Issue[] = [];
  /** Frames may show these words: keys of the schema, names, and values that cannot be secrets. */
  readonly publicWords = new Set<string>();
  /** Values in a place of a secret. No message or frame may show them. */
  readonly literalSecrets = new Set<unknown>();

  hasErrors(): boolean {
    return this.all.some(({ severity }) => severity === 'error');
  }

  /** Adds an error that belongs to a file or to none. */
  error(rule: string, message: string, at?: Position): void {
    this.add('error', rule, { at, path: '' }, message);
  }

  /** Adds an error, or a warning that stops nothing. */
  add(
    severity: Issue['severity'],
    rule: string,
    { at, path }: { readonly at?: Position | undefined; readonly path: string },
    text: string,
    related: readonly Position[] = [],
  ): void {
    this.all.push({
      rule,
      severity,
      message: printable(cut(text)),
      path: printable(cut(path)),
      ...(at && { at }),
      ...(related.length > 0 && { related }),
    });
  }
}

/** Shortens a text, because a key of a manifest may have a million characters. */
function cut(text: string): string {
  return text.length > 800 ? `${text.slice(0, 800)}…` : text;
}

/** Writes `main.tether.yaml:3:5`. */
export function renderPosition({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`;
}

/** Replaces characters of a manifest that a terminal would obey. */
export function printable(text: string): string {
  return plain(text, () => '?');
}

/** One mistake in a generator can cause a hundred thousand issues. */
const maxIssues = 200;

/** Puts errors before warnings, each in the order of files and lines. */
export function sortedIssues(issues: readonly Issue[]): readonly Issue[] {
  const sorted = [...issues].sort(inOrder);
  const next = sorted[maxIssues];
  if (next === undefined) return sorted;
  const message = `and ${sorted.length - maxIssues} more, shown once these are fixed`;
  const more = { rule: 'more', severity: next.severity, message, path: '' };
  return [...sorted.slice(0, maxIssues), more];
}

const nowhere: Position = { file: '', line: 0, column: 0 };

function inOrder(left: Issue, right: Issue): number {
  if (left.severity !== right.severity) return left.severity < right.severity ? -1 : 1;
  const { at: leftAt = nowhere } = left;
  const { at: rightAt = nowhere } = right;
  if (leftAt.file !== rightAt.file) return leftAt.file < rightAt.file ? -1 : 1;
  return leftAt.line - rightAt.line || leftAt.column - rightAt.column;
}

/** The text ends without a line break. */
export function renderIssues(
  issues: readonly Issue[],
  sources: ReadonlyMap<string, { frame(at: Position, message: string): readonly string[] }>,
  { color }: { readonly color: boolean },
): string {
  const { red, yellow, bold, dim } = pc.createColors(color);
  const blocks = issues.map(({ severity, rule, message, at, related = [] }) => {
    const paint = severity === 'error' ? red : yellow;
    const head = [paint(severity), dim(rule)];
    if (at) head.unshift(bold(renderPosition(at)));
    const lines = [head.join('  '), `  ${message}`];
    if (at) lines.push(...(sources.get(at.file)?.frame(at, message) ?? []));
    lines.push(...related.map((position) => dim(`  see also ${renderPosition(position)}`)));
    return lines.join('\n');
  });
  return blocks.join('\n\n');
}
