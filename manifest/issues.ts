/** Issues of manifests: collected, put in order, and shown with the lines they are about. */
import pc from 'picocolors';
import { plain } from '../client/text';
import { groupBy } from '../resources/groups';
import type { Issue, Position } from '../resources/kind';

/** Collects issues, in a form that is fit to print. */
export class IssueList {
  readonly all: Issue[] = [];

  /** Adds an error that belongs to no node. `at` is given where a line is known. */
  error(rule: string, message: string, at?: Position): void {
    this.add('error', rule, { at, path: '' }, message);
  }

  /** A warning stops nothing; after an error nothing may be done with the manifests. */
  add(
    severity: Issue['severity'],
    rule: string,
    { at, path }: { readonly at?: Position | undefined; readonly path: string },
    text: string,
    related: readonly Position[] = [],
  ): void {
    const quoted = text.replace(/`[^`]{200,}`/g, (quote) => `${quote.slice(0, 100)}…\``);
    const message = cut(quoted).split('\n').map(printable).join('\n');
    const places = { ...(at && { at }), ...(related.length > 0 && { related }) };
    this.all.push({ rule, severity, message, path: printable(cut(path)), ...places });
  }
}

/** A key of a manifest may have a million characters. */
function cut(text: string, most = 2000): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** For messages: `main.tether.yaml:3:5`. */
export function renderPosition(at: Position): string {
  return `${at.file}:${at.line}:${at.column}`;
}

/** A terminal must not obey what a manifest or the name of a file holds. */
export function printable(text: string): string {
  return plain(text, () => '?');
}

/** At most so many errors, and as many warnings, are shown: a slip in a generated file can make a hundred thousand. */
const mostIssues = 200;

/** Errors first, in the order of files and lines. Issues of the `once` rules with one message become one, with all places. */
export function sortedIssues(
  issues: readonly Issue[],
  files: readonly string[],
  once: ReadonlySet<string>,
): Issue[] {
  const order = new Map(files.map((file, index) => [file, index]));
  const ranked = issues.map((issue) => {
    const { severity, at } = issue;
    const place = at === undefined ? [] : [(order.get(at.file) ?? 0) + 1, at.line, at.column];
    const rank = [severity, ...place.map((number) => String(number).padStart(9, '0'))].join(' ');
    return { issue, rank };
  });
  ranked.sort((one, other) => (one.rank < other.rank ? -1 : one.rank > other.rank ? 1 : 0));
  const groups = groupBy(ranked, ({ issue }) => (once.has(issue.rule) ? issue.message : issue));
  const merged = [...groups.values()].flatMap(([first, ...others]): Issue[] => {
    const related = others.flatMap(({ issue }) => issue.at ?? []);
    return first === undefined ? [] : [{ ...first.issue, ...(related.length > 0 && { related }) }];
  });
  return [...groupBy(merged, ({ severity }) => severity)].flatMap(([severity, some]): Issue[] => {
    const message = `and ${some.length - mostIssues} more ${severity}s, shown once these are fixed`;
    const more = some.length > mostIssues ? [{ rule: 'more', severity, message, path: '' }] : [];
    return [...some.slice(0, mostIssues), ...more];
  });
}

/** Later issues have no frame. */
const mostFrames = 50;
/** At most so many further places of one issue are shown. */
const mostRelated = 5;

/** Renders each issue with the frame that its file gives. The text ends without a line break. */
export function renderIssues(
  issues: readonly Issue[],
  sources: ReadonlyMap<string, { frame(at: Position): readonly string[] }>,
  { color }: { readonly color: boolean },
): string {
  const colors = pc.createColors(color);
  const blocks = issues.map(({ severity, rule, message, at, related = [] }, index) => {
    const paint = severity === 'error' ? colors.red : colors.yellow;
    const where = at === undefined ? [] : [colors.bold(renderPosition(at))];
    const source = at && index < mostFrames ? sources.get(at.file) : undefined;
    return [
      [...where, paint(severity), colors.dim(rule)].join('  '),
      ...message.split('\n').map((line) => `  ${line}`),
      ...(at && source ? source.frame(at) : []),
      ...related.slice(0, mostRelated).map((other) => colors.dim(`  see also ${renderPosition(other)}`)),
      ...(related.length > mostRelated ? [colors.dim(`  and ${related.length - mostRelated} more`)] : []),
    ].join('\n');
  });
  return blocks.join('\n\n');
}
