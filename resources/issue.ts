/** A user's mistake or a warning, as a collected value: never thrown, always all of them at once. */

/** Where in a file, 1-based, for people: `file` is relative to the working directory. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface Issue {
  /** Stable kebab-case name of the rule, for reports and tests: `unknown-key`. */
  readonly rule: string;
  readonly severity: 'error' | 'warning';
  /** What is wrong and what to do, one or more sentences, no secret. */
  readonly message: string;
  /** Member path inside the thing judged: `oauthClients.github.httpUrl`; empty for the whole. */
  readonly path: string;
  /** Absent where no file is involved (a flag, a program). */
  readonly at?: Position;
  /** Other places that take part: the first of two duplicates. */
  readonly related?: readonly Position[];
}
