/** What an apply did, step by step. */

/** `blocked`: a step it needs did not succeed. `not-tried`: interrupted, or the object cannot be seen. */
export type StepStatus = 'done' | 'failed' | 'blocked' | 'not-tried';

export interface StepResult {
  /** Step id of the plan. */
  readonly step: string;
  readonly address: string;
  readonly status: StepStatus;
  /** For failed and blocked: what happened, where, what to do. */
  readonly message?: string;
  /** For failed: the service judged what was asked for wrong (422), and will again. */
  readonly refused?: true;
  /** For done creates: the new id. */
  readonly objectId?: string;
}

export interface ApplyResult {
  readonly steps: readonly StepResult[];
  readonly counts: Readonly<Record<StepStatus, number>>;
  readonly interrupted: boolean;
}

/** Progress while it runs, in the order things happen. */
export type ApplyEvent =
  | { readonly type: 'started'; readonly step: string; readonly address: string }
  | { readonly type: 'finished'; readonly result: StepResult }
  | { readonly type: 'note'; readonly text: string };
