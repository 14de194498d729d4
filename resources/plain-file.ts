/** Reads files of strangers without waiting, and no more of them than asked for. */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';

/** Reading what is no plain file could wait, or never end. */
export class NotAFile extends Error {
  constructor(readonly kind: string) {
    super(`it is ${kind}, not a plain file`);
  }
}

/** Returns one byte more than `mostBytes` of a larger file. Throws `NotAFile`, and what the system says. */
export function readPlainFile(path: string, mostBytes: number): Buffer {
  // Without the flag, opening a named pipe waits for a writer. Windows has no such flag.
  const opened = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(opened);
    if (!stats.isFile()) throw new NotAFile(kindOf(stats));
    // The limit is far above most files, so it is not what is reserved for each.
    const chunks: Buffer[] = [];
    for (let left = mostBytes + 1; left > 0; ) {
      const chunk = Buffer.alloc(Math.min(left, Math.max(stats.size + 1, 4096)));
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
  return 'a device';
}

/** Returns null where `look` throws. */
export function unlessItFails<Result>(look: () => Result): Result | null {
  try {
    return look();
  } catch {
    return null;
  }
}
