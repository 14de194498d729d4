/** Collects mistakes and warnings, so that all of them are told at once. */
import type { Issue, Position } from '../resources/kind';

/** Where something stands and what it is called: the `at` and `path` of an issue. */
export interface Spot {
  readonly at: Position;
  readonly path: string;
}

/** A growing list of issues. */
export class Findings {
  readonly issues: Issue[] = [];

  /** Adds a mistake; nothing may be done with the manifests any more. */
  error(rule: string, spot: Partial<Spot>, message: string, ...related: readonly Position[]): void {
    this.issues.push(issue('error', rule, spot, message, related));
  }

  /** Adds a remark that stops nothing. */
  warning(rule: string, spot: Partial<Spot>, message: string, ...related: readonly Position[]): void {
    this.issues.push(issue('warning', rule, spot, message, related));
  }
}

function issue(
  severity: Issue['severity'],
  rule: string,
  spot: Partial<Spot>,
  message: string,
  related: readonly Position[],
): Issue {
  return {
    rule,
    severity,
    message,
    path: spot.path ?? '',
    ...(spot.at === undefined ? {} : { at: spot.at }),
    ...(related.length === 0 ? {} : { related }),
  };
}

/** For messages: `main.tether.yaml:3:5`. */
export function place(at: Position): string {
  return `${at.file}:${at.line}:${at.column}`;
}
