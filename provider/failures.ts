/** Errors as the engine prints them: one line each, without stack, without secret. */
import { OperationalError } from '../client/errors';
import { plain } from '../client/text';

/** The message says what the user can repair, where and how. */
export class ProviderError extends OperationalError {}

/** The object was made, but not finished: the engine records it, and the next `up` repairs it. */
export class Unfinished extends OperationalError {
  constructor(
    message: string,
    readonly id: string,
    readonly properties: Readonly<Record<string, unknown>>,
  ) {
    super(message);
  }
}

/** The message of any error, on one line. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const line = plain(message.replace(/\s*[\r\n]+\s*/gu, ' ').trim());
  if (error instanceof OperationalError) return line;
  return `unexpected: ${line}. This is a bug in tether; please report it`;
}
