/** Writes the messages for syntax errors, because those of the package may quote a secret. */
import type { Document } from 'yaml';

/** An error for a text that cannot be read, with the place of the mistake. */
export class Refused extends Error {
  constructor(
    readonly offset: number,
    message: string,
  ) {
    super(message);
  }
}

const indentation = 'the indentation does not fit the lines above';
const elsewhere = 'this does not belong here: check the lines above';

/** The first pattern that matches the code and message of the package `yaml` decides. test/manifest/mistakes.txt has an example of each. */
const messages: readonly (readonly [pattern: RegExp, message: string])[] = [
  [/^TAB_AS_INDENT/, 'a tab cannot indent YAML: use spaces'],
  [/^BAD_INDENT.*Flow|must end with/, 'a closing bracket is missing above'],
  [/^BAD_INDENT/, indentation],
  [/^MULTILINE|map values/, 'a key must stand on one line, followed by a colon'],
  [/closing/, 'a closing quote is missing'],
  [/^MISSING_CHAR.*between/, 'a comma or a colon is missing before this'],
  [/^BLOCK_AS/, 'this line has a second colon: quote the value, or use a line of its own'],
  [/^BAD_SCALAR_START/, 'a string cannot begin with this character: quote it'],
  [/^BAD_DQ_ESCAPE/, 'YAML does not know this escape: use single quotes'],
  [/flow-(?:map|seq)-end/, 'this bracket closes nothing'],
];

/** Finds the first mistake, which often makes all lines below it wrong. */
export function syntaxError(text: string, { errors }: Document.Parsed): Refused | undefined {
  const [first] = [...errors].sort((left, right) => left.pos[0] - right.pos[0]);
  if (first === undefined) return undefined;
  const [offset] = first.pos;
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const line = text.slice(start);
  const isKey = errors
    .filter(({ pos }) => pos[0] === offset)
    .some(({ code }) => code === 'MULTILINE_IMPLICIT_KEY');
  // The parser takes a line that is indented too much for the end of the key above it.
  const deeper = isKey ? /^( *)[^ \n][^\n]*\n\1 +/.exec(line) : null;
  if (deeper !== null) return new Refused(start + deeper[0].length, indentation);
  const isTab = first.code === 'BAD_INDENT' && /^ *\t/.test(line);
  const about = isTab ? 'TAB_AS_INDENT' : `${first.code} ${first.message}`;
  const [, message = elsewhere] = messages.find(([pattern]) => pattern.test(about)) ?? [];
  return new Refused(offset, message);
}
