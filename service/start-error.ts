// All that is wrong with how a service shall start, told at once.

/** Several mistakes, each an error of its own class; the message has a line for each. */
export class StartError extends Error {
  override readonly name = 'StartError';

  constructor(readonly mistakes: readonly Error[]) {
    super(mistakes.map((mistake) => mistake.message).join('\n'));
  }
}

/** The work's result, or the error it threw put among the others. */
export function collect<Result>(errors: Error[], work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    errors.push(error instanceof Error ? error : new Error(String(error)));
    return undefined;
  }
}
