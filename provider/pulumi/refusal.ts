/** A refusal of a program: one line, and nothing else. */
import { RunError } from '@pulumi/pulumi';

/**
 * The error to throw. Its stack is its message: the SDK's runner inspects the stack of every error that nobody caught, and
 * Node's `inspect` never ends on a frame directly in a scope's folder (nodejs/node#64011), as the SDK's source maps make them.
 */
export function refusal(message: string): RunError {
  const error = new RunError(message);
  error.stack = message;
  return error;
}
