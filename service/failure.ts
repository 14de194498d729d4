// The message of a failure, and the system's code for it.

/** The message of an error, or the text of whatever else was thrown. */
export function messageOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}

/** Why a file could not be read, in words where there are better ones than the system's. */
export function whyUnread(failure: unknown): string {
  const code = codeOf(failure);
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file';
  if (code === 'EISDIR') return 'it is a folder';
  if (code === 'EACCES') return 'this user may not read it';
  return messageOf(failure);
}

/** The code of a failed system or database call (`EADDRINUSE`), or undefined. */
export function codeOf(failure: unknown): unknown {
  return failure instanceof Error ? Reflect.get(failure, 'code') : undefined;
}
