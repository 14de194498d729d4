/** Mistakes that the user can repair, and bugs. */
import { bugSentence, OperationalError } from '../client/errors';
import { plain, plainLines } from '../client/text';

export class UserError extends OperationalError {
  constructor(
    message: string,
    readonly details: object = {},
    readonly code = 'usage',
    /** The message in one line, if it has several. */
    readonly reason = message,
  ) {
    super(message);
  }
}

export function explain(error: unknown, stack: boolean): string {
  if (error instanceof OperationalError) return plainLines(error.message);
  if (!(error instanceof Error)) return `unexpected: ${plain(String(error))}. ${bugSentence}.`;
  const trace = stack && error.stack !== undefined ? `\n${plainLines(error.stack)}` : '';
  const hint = stack ? '' : ' (-vv shows where)';
  return `${plain(error.message)}\n${bugSentence}${hint}.${trace}`;
}
