// What a failure says for people, and what the system calls it.

/** The message of an error, or the text of whatever else was thrown. */
export function messageOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}

/** The code of a failed system or database call (`EADDRINUSE`), or undefined. */
export function codeOf(failure: unknown): unknown {
  return failure instanceof Error ? Reflect.get(failure, 'code') : undefined;
}
