/** Reads files of strangers: plain ones only, without waiting, and no more than asked for. */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';

/** What is there is no file: reading it could wait, or never end. */
export class NotAFile extends Error {
  constructor(
    /** `a folder`, `a named pipe`, `a device`. */
    readonly kind: string,
  ) {
    super(`it is ${kind}, not a plain file`);
  }
}

const chunkBytes = 64 * 1024;

/** One byte more than `mostBytes` if it is larger. Follows links. Throws `NotAFile`, and what the system says. */
export function readPlainFile(path: string, mostBytes: number): Buffer {
  // Or opening a named pipe waits for a writer. Windows has no such flag.
  const opened = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(opened);
    if (!stats.isFile()) throw new NotAFile(kindOf(stats));
    const chunks: Buffer[] = [];
    for (let left = mostBytes + 1; left > 0; ) {
      const chunk = Buffer.alloc(Math.min(left, chunkBytes));
      const read = readSync(opened, chunk);
      if (read === 0) break;
      chunks.push(chunk.subarray(0, read));
      left -= read;
    }
    return Buffer.concat(chunks);
  } finally {
    closeSync(opened);
  }
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}

/** What it returns; null where it throws. */
export function unlessItFails<Result>(look: () => Result): Result | null {
  try {
    return look();
  } catch {
    return null;
  }
}
