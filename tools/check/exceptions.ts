/** What is excused from a house rule, each with its reason. An excuse that excuses nothing is itself an error. */

/** `path` is one file, or a folder when it ends with `/`. */
export interface Exception {
  readonly rule: string;
  readonly path: string;
  readonly reason: string;
}

export const exceptions: readonly Exception[] = [];
