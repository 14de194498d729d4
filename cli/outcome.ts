import type { Flags } from './flags';

/** The outcomes of a folder, from the best to the worst. `title` stands in JSON, `word` in tables. */
export const outcomes = {
  /** Nothing was to be done, or the command has done its work. */
  done: { exitCode: 0, title: 'done', word: 'no changes' },
  applied: { exitCode: 0, title: 'done', word: 'applied' },
  planned: { exitCode: 0, title: 'changes', word: 'changes' },
  /** `plan` found that `apply` would refuse. A pull request can still add an approval, so that alone is no error. */
  refusable: { exitCode: 0, title: 'blocked', word: 'blocked' },
  drift: { exitCode: 2, title: 'drift', word: 'drifted' },
  /** A part is unknown or has a problem. */
  incomplete: { exitCode: 1, title: 'incomplete', word: 'incomplete' },
  /** All folders together would lose too much. */
  held: { exitCode: 1, title: 'blocked', word: 'blocked' },
  /** An approval is missing, or too much would be lost. */
  blocked: { exitCode: 1, title: 'blocked', word: 'blocked' },
  declined: { exitCode: 1, title: 'not applied', word: 'not applied' },
  failed: { exitCode: 1, title: 'failed', word: 'failed' },
  error: { exitCode: 1, title: 'error', word: 'failed' },
  interrupted: { exitCode: 130, title: 'interrupted', word: 'interrupted' },
} as const;

export type Outcome = keyof typeof outcomes;

/** The words of commands that do not plan. */
const wordsOfCommands: Readonly<Record<string, Partial<Record<Outcome, string>>>> = {
  validate: { done: 'valid', error: 'invalid' },
  drift: { done: 'no drift', incomplete: 'unknown' },
  'ledger unlock': { done: 'unlocked' },
};

export function describeOutcome(command: string, outcome: Outcome): string {
  return wordsOfCommands[command]?.[outcome] ?? outcomes[outcome].word;
}

export function toExitCode(outcome: Outcome, { detailedExitcode }: Flags = {}): number {
  const hasChanges = outcome === 'planned' || outcome === 'refusable';
  return detailedExitcode && hasChanges ? outcomes.drift.exitCode : outcomes[outcome].exitCode;
}

/** Returns the position among the outcomes. A worse outcome has a higher one. */
export function rankOutcome(outcome: Outcome): number {
  return Object.keys(outcomes).indexOf(outcome);
}

export function findWorst(all: readonly Outcome[]): Outcome {
  return all.toSorted((left, right) => rankOutcome(right) - rankOutcome(left))[0] ?? 'done';
}

/** False if nobody has to look at a folder with this outcome. */
export function needsAttention(outcome: Outcome): boolean {
  return outcome !== 'done' && outcome !== 'applied';
}
