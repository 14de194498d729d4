/** One manifest's bytes, as text that is known to be small enough and UTF-8. */
import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { unreadable } from './find-files';
import type { Findings } from './findings';
import { type Origin, Source } from './source';

/** Largest manifest, in bytes. */
export const mostBytes = 5_000_000;

/** Reads a manifest; null when it cannot be used. Mistakes go to `findings`. */
export function readManifestFile(origin: Origin, findings: Findings): Source | null {
  const at = { file: origin.shown, line: 1, column: 1 };
  let bytes: Buffer;
  try {
    const { size } = statSync(origin.absolute);
    if (size > mostBytes) {
      findings.error('too-large', { at }, tooLarge(size));
      return null;
    }
    bytes = readFileSync(origin.absolute);
  } catch (error) {
    findings.error('unreadable', { at }, unreadable(origin.shown, error));
    return null;
  }
  return decode(bytes, origin, findings);
}

/** The bytes as a source; null and an error at the first byte that is not UTF-8. */
export function decode(bytes: Uint8Array, origin: Origin, findings: Findings): Source | null {
  if (bytes.length > mostBytes) {
    findings.error('too-large', { at: { file: origin.shown, line: 1, column: 1 } }, tooLarge(bytes.length));
    return null;
  }
  if (isUtf8(bytes)) return new Source(origin, Buffer.from(bytes).toString('utf8'));
  const wide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const hint = wide ? ' (it looks like UTF-16)' : '';
  const at = { file: origin.shown, ...firstBad(bytes) };
  findings.error('not-utf8', { at }, `this is not UTF-8${hint}: save the file as UTF-8`);
  return null;
}

function tooLarge(size: number): string {
  return `the file has ${size} bytes, more than ${mostBytes}: split it, one file per team or layer`;
}

function firstBad(bytes: Uint8Array): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (;;) {
    const newline = bytes.indexOf(0x0a, start);
    const part = bytes.subarray(start, newline < 0 ? undefined : newline);
    if (!isUtf8(part)) return { line, column: Buffer.from(part).toString('utf8').indexOf('\uFFFD') + 1 };
    if (newline < 0) return { line, column: 1 };
    line += 1;
    start = newline + 1;
  }
}
