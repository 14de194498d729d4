/** Errors as the engine prints them: one line each, without stack, without secret. */
import { AccountError } from '../client/account';
import { isOfClient } from '../client/errors';
import { plain } from '../client/text';
import { ProfileError } from '../resources/profile';
import { UnexpectedAnswer } from '../resources/safe-calls';

/** The message says what the user can repair, where and how. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
}

/** The object was made, but not finished: the engine records it, and the next `up` repairs it. */
export class Unfinished extends Error {
  override readonly name = 'Unfinished';
  readonly reasons = [this.message];
  constructor(
    message: string,
    readonly id: string,
    readonly properties: Readonly<Record<string, unknown>>,
  ) {
    super(message);
  }
}

/** Written for people, as those of the client. */
const selfExplaining = [ProviderError, Unfinished, AccountError, ProfileError, UnexpectedAnswer] as const;

/** The message of any error, on one line. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const line = plain(message.replace(/\s*[\r\n]+\s*/gu, ' ').trim());
  const known = isOfClient(error) || selfExplaining.some((one) => error instanceof one);
  return known ? line : `unexpected: ${line}. This is a bug in tether; please report it`;
}

/** The same failure, with one line where the SDK prints message and stack. */
export function onOneLine(error: unknown): Error {
  const line = messageOf(error);
  const short =
    error instanceof Unfinished ? new Unfinished(line, error.id, error.properties) : new ProviderError(line);
  short.stack = line;
  short.toString = () => 'tether';
  return short;
}
