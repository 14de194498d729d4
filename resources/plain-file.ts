/** Reads files that a stranger may have put there: plain files only, never waiting, and no more than asked for. */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';

/** Something is there, and it is no file: reading it could wait or go on without end. */
export class NotAFile extends Error {
  override readonly name = 'NotAFile';
  constructor(
    /** `a folder`, `a named pipe`, `a device`. */
    readonly kind: string,
  ) {
    super(`it is ${kind}, not a plain file`);
  }
}

const chunkBytes = 64 * 1024;

/** The bytes of a file, links followed; one more than `mostBytes` shows that it is larger. Throws `NotAFile`, and what the system says. */
export function readPlainFile(path: string, mostBytes: number): Buffer {
  // Without it, opening a named pipe waits for somebody to write into it. Windows has no such flag.
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
