/** One manifest's bytes, as text that is known to be small enough and UTF-8. */
import { isUtf8 } from 'node:buffer';
import { readPlainFile } from '../resources/plain-file';
import { unreadable } from './find-files';
import type { Findings } from './findings';
import { mostBytes, type Origin, Source } from './source';

/** Reads a manifest; null when it cannot be used. Mistakes go to `findings`. */
export function readManifestFile(origin: Origin, findings: Findings): Source | null {
  const at = { file: origin.shown, line: 1, column: 1 };
  try {
    return decode(readPlainFile(origin.absolute, mostBytes), origin, findings);
  } catch (error) {
    findings.error('unreadable', { at }, unreadable(origin.shown, error));
    return null;
  }
}

/** The bytes as a source; null and an error at the first byte that is not UTF-8. */
export function decode(bytes: Uint8Array, origin: Origin, findings: Findings): Source | null {
  if (bytes.length > mostBytes) {
    const at = { file: origin.shown, line: 1, column: 1 };
    const message = `the file has more than ${mostBytes} bytes: split it, one file per team or layer`;
    findings.error('too-large', { at }, message);
    return null;
  }
  if (isUtf8(bytes)) return new Source(origin, Buffer.from(bytes).toString('utf8'));
  const wide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const hint = wide ? ' (it looks like UTF-16)' : '';
  const at = { file: origin.shown, ...firstBad(bytes) };
  findings.error('not-utf8', { at }, `this is not UTF-8${hint}: save the file as UTF-8`);
  return null;
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
