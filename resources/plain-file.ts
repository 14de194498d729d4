/** Reads untrusted files. It never waits for a pipe or a device, and never reads more than a limit. */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';

/** The path is not a plain file, so reading it could wait or never end. */
export class NotAFile extends Error {
  constructor(readonly kind: string) {
    super(`it is ${kind}, not a plain file`);
  }
}

/** True for a path such as `\\host\share\file`. Opening one sends the credentials of a Windows user to that host. */
export function namesHost(path: string): boolean {
  return /^[\\/]{2}/.test(path);
}

/** Returns `maxBytes` + 1 bytes of a file that is too large. Throws `NotAFile` and system errors. */
export function readPlainFile(path: string, maxBytes: number): Buffer {
  // This flag opens a named pipe without waiting for a writer. Windows does not have it.
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new NotAFile(describeFileKind(stats));
    // Most files are far smaller than the limit, so the buffers are not made that large.
    const chunks: Buffer[] = [];
    for (let remaining = maxBytes + 1; remaining > 0; ) {
      const chunk = Buffer.alloc(Math.min(remaining, Math.max(stats.size + 1, 4096)));
      const count = readSync(descriptor, chunk);
      if (count === 0) break;
      chunks.push(chunk.subarray(0, count));
      remaining -= count;
    }
    return Buffer.concat(chunks);
  } finally {
    closeSync(descriptor);
  }
}

function describeFileKind(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  return 'a device';
}

/** Returns null if the call throws. */
export function unlessItFails<Result>(call: () => Result): Result | null {
  try {
    return call();
  } catch {
    return null;
  }
}
