/** Errors of providers, and how the engine and the SDK print them. */
import { bugSentence, OperationalError } from '../client/errors';
import { inert, plainLines } from '../client/text';

/** An error that the user can repair. The first line says in one sentence what is wrong and where. Each other line is a way out. */
export class ProviderError extends OperationalError {
  constructor(sentence: string, ...ways: readonly string[]) {
    super([sentence, ...ways].join('\n'));
  }
}

/** The engine records this state, with its `__provider`, in spite of the error. The SDK reads `id`, `properties` and `reasons` by name. */
export class PartialError extends OperationalError {
  constructor(
    message: string,
    readonly id: string,
    readonly properties: object,
  ) {
    super(message);
  }
}

/** The engine prints the whole message two or three times. The SDK prints `${error}: ${error.stack}` besides, so that is short. */
export function toReadableError(error: unknown): Error {
  const text = error instanceof Error ? error.message : String(error);
  const bug = `unexpected: ${text.replace(/\s+/gu, ' ')}. ${bugSentence}`;
  const safeText = inert(plainLines(error instanceof OperationalError ? text : bug));
  const [first = '', ...ways] = safeText.split('\n');
  const message = [first, ...ways].join('\n  - ');
  const partialState = error instanceof PartialError && { ...error, reasons: [message] };
  return Object.assign(new Error(message), partialState, { stack: first, toString: () => 'tether' });
}
