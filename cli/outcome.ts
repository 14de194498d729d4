/** The outcomes are sorted from the best to the worst. */
export const outcomes = {
  done: { exitCode: 0, title: 'done' },
  planned: { exitCode: 0, title: 'changes' },
  changes: { exitCode: 2, title: 'changes' },
  drift: { exitCode: 2, title: 'drift' },
  /** A part is unknown or has a problem. */
  incomplete: { exitCode: 1, title: 'incomplete' },
  /** An approval is missing, or too much would be lost. */
  blocked: { exitCode: 1, title: 'blocked' },
  declined: { exitCode: 1, title: 'not applied' },
  failed: { exitCode: 1, title: 'failed' },
  error: { exitCode: 1, title: 'error' },
  interrupted: { exitCode: 130, title: 'interrupted' },
} as const;

export type Outcome = keyof typeof outcomes;

export function exitCodeOf(outcome: Outcome): number {
  return outcomes[outcome].exitCode;
}

export function worstOf(all: readonly Outcome[]): Outcome {
  const order = Object.keys(outcomes) as Outcome[];
  return order.findLast((one) => all.includes(one)) ?? 'done';
}
