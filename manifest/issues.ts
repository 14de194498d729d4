/** Issues of manifests: reported all at once, with the lines they are about. */
import pc from 'picocolors';
import { plain } from '../client/text';
import { hang } from '../client/wrap';
import type { Issue, Position } from '../resources/kind';

/** Makes them fit to print. */
export class IssueList {
  readonly all: Issue[] = [];

  /** Of no node; `at` where a line is known. */
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
    const message = text.split('\n').map(printable).join('\n');
    const places = { ...(at && { at }), ...(related.length > 0 && { related }) };
    this.all.push({ rule, severity, message, path: printable(path), ...places });
  }
}

/** For messages: `main.tether.yaml:3:5`. */
export function renderPosition(at: Position): string {
  return `${at.file}:${at.line}:${at.column}`;
}

/** A terminal must not obey what a manifest or the name of a file holds. */
export function printable(text: string): string {
  return plain(text, () => '?');
}

/** Issues after these are one line each. */
const mostFrames = 50;
/** Further places of one issue. */
const mostRelated = 5;

/** Each with the frame that its file gives. Ends without a line break. */
export function renderIssues(
  issues: readonly Issue[],
  sources: ReadonlyMap<string, { frame(at: Position): readonly string[] }>,
  { color, width = null }: { readonly color: boolean; readonly width?: number | null },
): string {
  const colors = pc.createColors(color);
  const blocks = issues.map(({ severity, rule, message, at, related = [] }, index) => {
    const paint = severity === 'error' ? colors.red : colors.yellow;
    const where = at === undefined ? [] : [colors.bold(renderPosition(at))];
    const source = at && index < mostFrames ? sources.get(at.file) : undefined;
    return [
      [...where, paint(severity), colors.dim(rule)].join('  '),
      ...hang('  ', message, width),
      ...(at && source ? source.frame(at) : []),
      ...related.slice(0, mostRelated).map((other) => colors.dim(`  see also ${renderPosition(other)}`)),
      ...(related.length > mostRelated ? [colors.dim(`  and ${related.length - mostRelated} more`)] : []),
    ].join('\n');
  });
  return blocks.join('\n\n');
}
