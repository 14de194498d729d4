/** How a command ends: the one table of exit codes, from the best to the worst. */
export const outcomes = {
  done: { exitCode: 0, title: 'done' },
  /** A plan with changes, without `--detailed-exitcode`. */
  planned: { exitCode: 0, title: 'changes' },
  changes: { exitCode: 2, title: 'changes' },
  drift: { exitCode: 2, title: 'drift' },
  /** Something is unknown or has a problem; the rest was done. */
  incomplete: { exitCode: 1, title: 'incomplete' },
  /** Nothing was written, because an approval is missing or too much would be lost. */
  blocked: { exitCode: 1, title: 'blocked' },
  /** The question was answered with no. */
  declined: { exitCode: 1, title: 'not applied' },
  /** Some steps failed. */
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
  return all.reduce<Outcome>(
    (worst, one) => (order.indexOf(one) > order.indexOf(worst) ? one : worst),
    'done',
  );
}
