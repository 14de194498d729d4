/** What an apply did, step by step. */

/** `blocked`: a step that it needs did not succeed. `not-tried`: the apply was interrupted or had to stop. */
export type StepStatus = 'done' | 'failed' | 'blocked' | 'not-tried';

export interface StepResult {
  readonly step: string;
  readonly address: string;
  readonly status: StepStatus;
  /** Why it was not done, or what to know of one that was. */
  readonly message?: string;
  /** The kind of failure, for reports: `not-found`, `stale`. */
  readonly code?: string;
  /** The id of a new object. */
  readonly objectId?: string;
}

export interface ApplyResult {
  readonly steps: readonly StepResult[];
  readonly counts: Readonly<Record<StepStatus, number>>;
  readonly interrupted: boolean;
}

export type ApplyEvent =
  | { readonly type: 'started'; readonly step: string; readonly address: string }
  | { readonly type: 'finished'; readonly result: StepResult }
  /** To be printed at once: `OAuthClient/github: not authorized yet: open …`. */
  | { readonly type: 'note'; readonly message: string };
